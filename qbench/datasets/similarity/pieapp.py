"""PieAPP's comparisons of distorted images (Prashnani et al. 2018), which two tasks use.

https://github.com/prashnani/PerceptualImageError/blob/master/dataset/dataset_README.md. Headers of its tables have
leading blanks, and those of its test set call the preference by another name than those of the other splits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from qbench.datasets.similarity.files import Location, read_table, require

PIEAPP = Location(
    ("pieapp", "pie_app", "pie-app", "PieAPP_dataset_CVPR_2018"),
    "test_reference_list.txt",
    ("", "PieAPP_dataset_CVPR_2018", "all_data_PieAPP_dataset_CVPR_2018"),
)
_A, _B = "distorted image A", "distorted image B"
_PREFERENCE = {"test": "preference for A", "train": "processed preference for A"}
"""Split -> the column of the share of people who found A nearer."""
_DIVIDED = (0.4, 0.6)
"""Preferences from here to here are left out, as in UniSim's code."""


@dataclass(frozen=True)
class PieAppComparison:
    """An image and two distorted versions of it, by their paths, with the share of people who found A nearer to it."""

    reference: str
    first: str
    second: str
    preference: float


def clear_comparisons(root: Path, split: str) -> Iterator[PieAppComparison]:
    """The comparisons of a split that people agree on and in which neither image is the reference itself."""
    column = _PREFERENCE[split]
    for name in require(root, f"{split}_reference_list.txt").read_text(encoding="utf-8").split():
        stem = PurePosixPath(name).stem
        for row in read_table(root, f"labels/{split}/{stem}_pairwise_labels.csv", _A, _B, column):
            first, second, preference = row.data[_A], row.data[_B], row.number(column)
            if name not in (first, second) and not _DIVIDED[0] <= preference <= _DIVIDED[1]:
                folder = f"distorted_images/{split}/{stem}"
                yield PieAppComparison(
                    f"reference_images/{split}/{name}", f"{folder}/{first}", f"{folder}/{second}", preference
                )
