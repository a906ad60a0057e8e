"""KonIQ-10k's test images with people's scores and measured attributes (Hosu et al. 2020), which two tasks use.

https://database.mmsp-kn.de/koniq-10k-database.html.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from qbench.datasets.similarity.files import Location, read_table
from qbench.datasets.similarity.random_pairs import ManifestRows, pairs_by_score
from qbench.errors import DataError

KONIQ = Location(("koniq-10k", "koniq10k"), "koniq10k_distributions_sets.csv")
_SETS, _INDICATORS = "koniq10k_distributions_sets.csv", "koniq10k_indicators.csv"


def rated(root: Path) -> dict[str, float]:
    """Images of the test set with their mean opinion scores."""
    rows = read_table(root, _SETS, "image_name", "MOS", "set")
    return {row.data["image_name"]: row.number("MOS") for row in rows if row.data["set"] == "test"}


def measured(root: Path, attribute: str) -> dict[str, float]:
    """The test images with an attribute that was measured in them; nobody was asked about it."""
    rows = read_table(root, _INDICATORS, "image_id", attribute)
    values = {PurePosixPath(row.data["image_id"]).stem: row.number(attribute) for row in rows}
    names = rated(root)
    without = [name for name in names if PurePosixPath(name).stem not in values]
    if without:
        raise DataError(f"{_INDICATORS} has no row of {len(without):,} test images, the first of them {without[0]}")
    return {name: values[PurePosixPath(name).stem] for name in names}


def random_pairs(scores: Mapping[str, float], generator: np.random.Generator, more: Mapping[str, Any]) -> ManifestRows:
    """5,000 pairs of images, each image in turn against a random other; the higher score is right."""
    return [
        {"images": [f"1024x768/{name}" for name in images], "label": label, "cluster": anchor, **more}
        for anchor, (images, label) in pairs_by_score(scores, 5000, generator)
    ]
