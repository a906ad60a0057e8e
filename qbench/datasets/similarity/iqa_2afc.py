"""Which of two images is of better quality: KADID-10k, KonIQ-10k, PieAPP, AGIQA-3K and PIPAL.

UniSim-Bench, Sec. 3.1 and App. B.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np

from qbench.datasets.similarity import agiqa, koniq
from qbench.datasets.similarity import pieapp as pieapp_files
from qbench.datasets.similarity.files import Loader, Location, MissingError, require
from qbench.datasets.similarity.random_pairs import ManifestRows, in_random_order, sample_at_most
from qbench.errors import DataError
from qbench.rows import finite

KADID = Location(("kadid-10k", "kadid10k"), "dmos.csv")
PIPAL = Location(("pipal", "PIPAL"), "val_label.txt")
_TEST_PHOTOS = (73, 81)
TRAINING_PHOTOS = (1, 72)
_TYPES, _LEVELS = 25, 5
_MOST = 5000
"""Pairs of a test set."""
_GOOD = 1500
"""Elo score from which the authors count a distorted image among the good ones."""
_GOOD_ONES = 5


def kadid(
    _root: Path,
    generator: np.random.Generator,
    *,
    next_level: bool = False,
    photos: tuple[int, int] = _TEST_PHOTOS,
    count: int = _MOST,
) -> ManifestRows:
    """KADID-10k (Lin et al. 2019): two levels of one distortion of one of the photos; the lower is better.

    Args:
        generator: Chooses photo, distortion and levels, and their order.
        next_level: Whether the levels are neighbours, as the paper says, or any two, as its code draws them.
        photos: First and last photo.
        count: How many pairs.
    """
    rows: ManifestRows = []
    for _ in range(count):
        photo = int(generator.integers(*photos, endpoint=True))
        kind = int(generator.integers(1, _TYPES, endpoint=True))
        if next_level:
            low = int(generator.integers(1, _LEVELS))
            levels, label = in_random_order(low, low + 1, generator)
        else:
            levels = (1 + generator.choice(_LEVELS, 2, replace=False)).tolist()
            label = int(levels[1] < levels[0])
        images = [f"images/I{photo:02d}_{kind:02d}_{level:02d}.png" for level in levels]
        rows.append({"images": images, "label": label, "cluster": f"I{photo:02d}"})
    return rows


def koniq_quality(root: Path, generator: np.random.Generator) -> ManifestRows:
    """KonIQ-10k: each test image in turn against a random other, by people's scores."""
    return koniq.random_pairs(koniq.rated(root), generator, {})


def pieapp_quality(
    root: Path, generator: np.random.Generator, *, split: str = "test", most: int = _MOST
) -> ManifestRows:
    """PieAPP: an image against a distorted version of it, for so many of those that a split's comparisons show."""
    shown = [
        (comparison.reference, distorted)
        for comparison in pieapp_files.clear_comparisons(root, split)
        for distorted in (comparison.first, comparison.second)
    ]
    rows: ManifestRows = []
    for reference, distorted in sample_at_most(shown, most, generator):
        images, label = in_random_order(reference, distorted, generator)
        rows.append({"images": images, "label": label, "cluster": PurePosixPath(reference).stem})
    return rows


def agiqa_quality(root: Path, generator: np.random.Generator) -> ManifestRows:
    """AGIQA-3K: two images of one prompt, by people's scores of their quality."""
    return agiqa.pairs_of_prompts(root, generator, by="mos_quality", least=None, captioned=False)


def pipal(root: Path, generator: np.random.Generator) -> ManifestRows:
    """PIPAL (Gu et al. 2020), validation: each badly rated image against the reference and the first four good ones."""
    scores = _scores(require(root, "val_label.txt"))
    rows: ManifestRows = []
    for stem in _stems(root, "Val_Ref"):
        mine = {name: score for name, score in scores.items() if name.startswith(f"{stem}_")}
        rows += _good_and_bad(f"Val_Ref/{stem}.bmp", "Val_Dist", mine, generator)
    return rows


def pipal_training(root: Path, generator: np.random.Generator) -> ManifestRows:
    """PIPAL's training split, by the same rule: a list of scores for each reference."""
    rows: ManifestRows = []
    for stem in _stems(root, "Train_Ref"):
        scores = _scores(require(root, f"Train_Label/{stem}.txt"))
        rows += _good_and_bad(f"Train_Ref/{stem}.bmp", "Dist_Imgs", scores, generator)
    return rows


def _stems(root: Path, folder: str) -> list[str]:
    stems = sorted(path.stem for path in require(root, folder).glob("*.bmp"))
    if not stems:
        raise MissingError(f"{folder}/*.bmp")
    return stems


def _good_and_bad(
    reference: str, folder: str, scores: dict[str, float], generator: np.random.Generator
) -> ManifestRows:
    good = [reference, *(f"{folder}/{name}" for name, score in scores.items() if score >= _GOOD)]
    bad = [f"{folder}/{name}" for name, score in scores.items() if score < _GOOD]
    rows: ManifestRows = []
    for better in good[:_GOOD_ONES]:
        for worse in bad:
            images, label = in_random_order(better, worse, generator)
            rows.append({"images": images, "label": label, "cluster": PurePosixPath(reference).stem})
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


LISTS: Mapping[str, Loader] = {
    "kadid-10k-pairs": Loader(KADID, kadid),
    "kadid-10k-pairs-paper": Loader(KADID, partial(kadid, next_level=True)),
    "koniq-10k-pairs": Loader(koniq.KONIQ, koniq_quality),
    "pieapp-quality": Loader(pieapp_files.PIEAPP, pieapp_quality),
    "agiqa-3k-pairs": Loader(agiqa.AGIQA, agiqa_quality),
    "pipal": Loader(PIPAL, pipal),
}
"""Name -> how its list is made."""
