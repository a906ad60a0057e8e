"""Which of two images is of better quality: KADID-10k, KonIQ-10k, PieAPP, AGIQA-3K and PIPAL.

UniSim-Bench, Sec. 3.1 and App. B.1.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import numpy as np

from qbench.datasets.similarity import agiqa, koniq
from qbench.datasets.similarity import pieapp as source_of_pieapp
from qbench.datasets.similarity.draws import Rows, shuffled, some
from qbench.datasets.similarity.files import MissingError, Source, need
from qbench.errors import DataError
from qbench.rows import finite

KADID = Source(("kadid-10k", "kadid10k"), "dmos.csv")
PIPAL = Source(("pipal", "PIPAL"), "val_label.txt")
_TEST_PHOTOS = (73, 81)
_TYPES, _LEVELS = 25, 5
_GOOD = 1500
"""Elo score from which the authors count a distorted image among the good ones."""
_GOOD_ONES = 5


def kadid(_root: Path, generator: np.random.Generator, *, next_level: bool = False) -> Rows:
    """KADID-10k (Lin et al. 2019): two levels of one distortion of one of the photos 73 to 81; the lower is better.

    Args:
        generator: Chooses photo, distortion and levels, and their order.
        next_level: Whether the levels are neighbours, as the paper says, or any two, as its code draws them.
    """
    rows: Rows = []
    for _ in range(5000):
        photo = int(generator.integers(_TEST_PHOTOS[0], _TEST_PHOTOS[1], endpoint=True))
        kind = int(generator.integers(1, _TYPES, endpoint=True))
        if next_level:
            low = int(generator.integers(1, _LEVELS))
            levels, label = shuffled(low, low + 1, generator)
        else:
            levels = (1 + generator.choice(_LEVELS, 2, replace=False)).tolist()
            label = int(levels[1] < levels[0])
        images = [f"images/I{photo:02d}_{kind:02d}_{level:02d}.png" for level in levels]
        rows.append({"images": images, "label": label, "cluster": f"I{photo:02d}"})
    return rows


def koniq_quality(root: Path, generator: np.random.Generator) -> Rows:
    """KonIQ-10k: each test image in turn against a random other, by people's scores."""
    return koniq.random_pairs(koniq.rated(root), generator, {})


def pieapp_quality(root: Path, generator: np.random.Generator) -> Rows:
    """PieAPP: an image against a distorted version of it, for 5,000 of those that the comparisons show."""
    shown = [
        (one.reference, distorted)
        for one in source_of_pieapp.clear_comparisons(root)
        for distorted in (one.first, one.second)
    ]
    rows: Rows = []
    for reference, distorted in some(shown, 5000, generator):
        images, label = shuffled(reference, distorted, generator)
        rows.append({"images": images, "label": label, "cluster": PurePosixPath(reference).stem})
    return rows


def agiqa_quality(root: Path, generator: np.random.Generator) -> Rows:
    """AGIQA-3K: two images of one prompt, by people's scores of their quality."""
    return agiqa.pairs_of_prompts(root, generator, by="mos_quality", least=None, captioned=False)


def pipal(root: Path, generator: np.random.Generator) -> Rows:
    """PIPAL (Gu et al. 2020), validation: each badly rated image against the reference and the first four good ones."""
    scores = _scores(need(root, "val_label.txt"))
    references = sorted(path.stem for path in need(root, "Val_Ref").glob("*.bmp"))
    if not references:
        raise MissingError("Val_Ref/*.bmp")
    rows: Rows = []
    for stem in references:
        mine = {name: score for name, score in scores.items() if name.startswith(f"{stem}_")}
        good = [f"Val_Ref/{stem}.bmp", *(f"Val_Dist/{name}" for name, score in mine.items() if score >= _GOOD)]
        bad = [f"Val_Dist/{name}" for name, score in mine.items() if score < _GOOD]
        for better in good[:_GOOD_ONES]:
            for worse in bad:
                images, label = shuffled(better, worse, generator)
                rows.append({"images": images, "label": label, "cluster": stem})
    return rows


def _scores(path: Path) -> dict[str, float]:
    """Image -> score, sorted by image."""
    scores = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        name, comma, score = line.partition(",")
        if not comma:
            raise DataError(f"{path.name}, line {number}: is {line[:60]!r}, not a file and its score")
        scores[name.strip()] = finite(score.strip(), f"{path.name}, line {number}: the score")
    return dict(sorted(scores.items()))
