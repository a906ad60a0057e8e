"""Which of two images is of better quality: KADID-10k, KonIQ-10k, PieAPP, AGIQA-3K and PIPAL.

UniSim-Bench, Sec. 3.1 and App. B.1. Other tasks use the files of KonIQ-10k (Hosu et al. 2020), PieAPP (Prashnani et al.
2018) and AGIQA-3K (Li et al. 2023) too. PieAPP's preference has another name in its test set than in its other splits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from pathlib import Path, PurePosixPath
from typing import Any

from numpy.random import Generator

from qbench.datasets.similarity import files
from qbench.rows import finite

KADID = files.Location(("kadid-10k", "kadid10k"), "dmos.csv")
PIPAL = files.Location(("pipal", "PIPAL"), "val_label.txt")
KONIQ = files.Location(("koniq-10k", "koniq10k"), "koniq10k_distributions_sets.csv")
PIEAPP = files.Location(
    ("pieapp", "pie_app", "pie-app", "PieAPP_dataset_CVPR_2018"),
    "test_reference_list.txt",
    ("", "PieAPP_dataset_CVPR_2018", "all_data_PieAPP_dataset_CVPR_2018"),
)
AGIQA = files.Location(("agiqa-3k", "AGIQA-3k", "AGIQA-3K"), "data.csv")
_AGIQA_IMAGES = ("images", "AGIQA-3K", "AGIQA-3k", "")
_A, _B = "distorted image A", "distorted image B"
_PREFERENCE = {"test": "preference for A", "train": "processed preference for A"}
"""Split -> the column of the share of people who found A nearer."""
_DIVIDED = (0.4, 0.6)
"""Preferences from here to here are left out, as in UniSim's code."""
_TEST_PHOTOS = (73, 81)
TRAINING_PHOTOS = (1, 72)
_TYPES, _LEVELS = 25, 5
_MOST = 5000
"""Pairs of a test set."""
_GOOD = 1500
"""Elo score from which the authors count a distorted image among the good ones."""
_GOOD_ONES = 5


def kadid(
    _root: Path, generator: Generator, *, photos: tuple[int, int] = _TEST_PHOTOS, count: int = _MOST
) -> files.ManifestRows:
    """KADID-10k (Lin et al. 2019): two levels of one distortion of one of the photos, from the first to the last of
    `photos`; the lower is better."""
    rows: files.ManifestRows = []
    for _ in range(count):
        photo = int(generator.integers(*photos, endpoint=True))
        kind = int(generator.integers(1, _TYPES, endpoint=True))
        levels = (1 + generator.choice(_LEVELS, 2, replace=False)).tolist()
        images = [f"images/I{photo:02d}_{kind:02d}_{level:02d}.png" for level in levels]
        rows.append({"images": images, "label": int(levels[1] < levels[0]), "cluster": f"I{photo:02d}"})
    return rows


def koniq(root: Path, generator: Generator, *, attribute: str = "") -> files.ManifestRows:
    """KonIQ-10k: each test image in turn against a random other, by people's scores or an attribute.

    Its authors measured the attributes; nobody was asked about them.
    """
    rated = files.read_table(root, KONIQ.marker, "image_name", "MOS", "set")
    scores = {row.data["image_name"]: row.number("MOS") for row in rated if row.data["set"] == "test"}
    more: dict[str, Any] = {}
    if attribute:
        table = files.read_table(root, "koniq10k_indicators.csv", "image_id", attribute)
        measured = {PurePosixPath(row.data["image_id"]).stem: row.number(attribute) for row in table}
        scores, more = {name: measured[PurePosixPath(name).stem] for name in scores}, {"attribute": attribute}
    return [
        files.row_of((f"1024x768/{higher}", f"1024x768/{lower}"), generator, cluster=anchor, **more)
        for anchor, higher, lower in files.pairs_by_score(scores, _MOST, generator)
    ]


def clear_comparisons(root: Path, split: str) -> Iterator[tuple[str, tuple[str, str], float]]:
    """PieAPP's comparisons of a split that people agree on and in which neither image is the reference itself.

    https://github.com/prashnani/PerceptualImageError/blob/master/dataset/dataset_README.md.

    Yields:
        An image, two distorted versions of it, and the share of people who found the first nearer to it.
    """
    column = _PREFERENCE[split]
    for name in files.require(root, f"{split}_reference_list.txt").read_text(encoding="utf-8").split():
        stem = PurePosixPath(name).stem
        for row in files.read_table(root, f"labels/{split}/{stem}_pairwise_labels.csv", _A, _B, column):
            pair, preference = (row.data[_A], row.data[_B]), row.number(column)
            if name not in pair and not _DIVIDED[0] <= preference <= _DIVIDED[1]:
                first, second = (f"distorted_images/{split}/{stem}/{image}" for image in pair)
                yield f"reference_images/{split}/{name}", (first, second), preference


def pieapp_quality(root: Path, generator: Generator, *, split: str = "test", most: int = _MOST) -> files.ManifestRows:
    """PieAPP: an image against a distorted version of it, for so many of those that a split's comparisons show."""
    shown = [(reference, image) for reference, pair, _ in clear_comparisons(root, split) for image in pair]
    return [
        files.row_of((reference, distorted), generator, cluster=PurePosixPath(reference).stem)
        for reference, distorted in files.sample_at_most(shown, most, generator)
    ]


def agiqa(
    root: Path, generator: Generator, *, by: str = "mos_quality", least: float = -math.inf, captioned: bool = False
) -> files.ManifestRows:
    """AGIQA-3K: 5,000 pairs of images of one prompt, the prompts taking turns; equal scores make no pair.

    https://github.com/lcysyzxdxc/AGIQA-3k-Database. Which is right says the score in the column `by`, of which an image
    must have the `least`; `captioned` pairs go with their prompt.
    """
    prompts: dict[str, dict[str, float]] = {}
    for row in files.read_table(root, "data.csv", "name", "prompt", by):
        if row.number(by) >= least:
            prompts.setdefault(row.data["prompt"], {})[row.data["name"]] = row.number(by)
    unequal = {
        prompt: [pair for pair in combinations(sorted(scores), 2) if scores[pair[0]] != scores[pair[1]]]
        for prompt, scores in sorted(prompts.items())
    }
    folder = files.folder_of(root, next((pairs[0][0] for pairs in unequal.values() if pairs), ""), _AGIQA_IMAGES)
    rows: files.ManifestRows = []
    for prompt in files.cycled([prompt for prompt, pairs in unequal.items() if pairs], _MOST):
        pair = unequal[prompt][generator.integers(len(unequal[prompt]))]
        lower, higher = sorted(pair, key=prompts[prompt].__getitem__)
        paths = f"{folder}/{higher}".lstrip("/"), f"{folder}/{lower}".lstrip("/")
        rows.append(files.row_of(paths, generator, of={"texts": [prompt]} if captioned else {}, cluster=prompt))
    return rows


def pipal(root: Path, generator: Generator, *, training: bool = False) -> files.ManifestRows:
    """PIPAL (Gu et al. 2020): each badly rated image against the reference and the first four good ones.

    The scores of the validation split stand in one file, those of the training split in one for each reference.
    """
    references, distorted = ("Train_Ref", "Dist_Imgs") if training else ("Val_Ref", "Val_Dist")
    stems = sorted(path.stem for path in files.require(root, references).glob("*.bmp"))
    if not stems:
        raise files.MissingError(f"{references}/*.bmp")
    every = {} if training else _scores(files.require(root, "val_label.txt"))
    rows: files.ManifestRows = []
    for stem in stems:
        scores = _scores(files.require(root, f"Train_Label/{stem}.txt")) if training else every
        own = {name: score for name, score in scores.items() if training or name.startswith(f"{stem}_")}
        mine = {f"{distorted}/{name}": score for name, score in own.items()}
        good = [f"{references}/{stem}.bmp", *(image for image, score in mine.items() if score >= _GOOD)]
        bad = [image for image, score in mine.items() if score < _GOOD]
        rows += [files.row_of(pair, generator, cluster=stem) for pair in product(good[:_GOOD_ONES], bad)]
    return rows


def _scores(path: Path) -> dict[str, float]:
    """Image -> score, sorted by image."""
    lines = (line.split(",", 1) for line in path.read_text(encoding="utf-8").splitlines())
    return dict(sorted((name.strip(), finite(score.strip(), f"{path.name}: the score")) for name, score in lines))


LISTS: Mapping[str, files.Loader] = {
    "kadid-10k-pairs": files.Loader(KADID, kadid),
    "koniq-10k-pairs": files.Loader(KONIQ, koniq),
    "pieapp-quality": files.Loader(PIEAPP, pieapp_quality),
    "agiqa-3k-pairs": files.Loader(AGIQA, agiqa),
    "pipal": files.Loader(PIPAL, pipal),
}
"""Name -> how its list is made."""
