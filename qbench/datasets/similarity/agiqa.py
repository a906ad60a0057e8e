"""AGIQA-3K's generated images with their two scores (Li et al. 2023), which two tasks use.

https://github.com/lcysyzxdxc/AGIQA-3k-Database.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from qbench.datasets.similarity.files import Location, folder_of, read_table
from qbench.datasets.similarity.random_pairs import ManifestRows, cycled, in_random_order

AGIQA = Location(("agiqa-3k", "AGIQA-3k", "AGIQA-3K"), "data.csv")
_FOLDERS = ("images", "AGIQA-3K", "AGIQA-3k", "")


def pairs_of_prompts(
    root: Path, generator: np.random.Generator, *, by: str, least: tuple[str, float] | None, captioned: bool
) -> ManifestRows:
    """5,000 pairs of images of one prompt, the prompts taking turns; equal scores make no pair.

    Args:
        root: The folder of `data.csv`.
        generator: Chooses the pairs and their order.
        by: Column of the score that says which is right.
        least: Column and the least that an image must have in it.
        captioned: Whether the pair goes with its prompt.
    """
    prompts: dict[str, dict[str, float]] = {}
    for row in read_table(root, "data.csv", "name", "prompt", by, *([least[0]] if least else [])):
        if least is None or row.number(least[0]) >= least[1]:
            prompts.setdefault(row.data["prompt"], {})[row.data["name"]] = row.number(by)
    unequal = {
        prompt: [pair for pair in combinations(sorted(scores), 2) if scores[pair[0]] != scores[pair[1]]]
        for prompt, scores in sorted(prompts.items())
    }
    folder = folder_of(root, next((pairs[0][0] for pairs in unequal.values() if pairs), ""), _FOLDERS)
    rows: ManifestRows = []
    for prompt in cycled([prompt for prompt, pairs in unequal.items() if pairs], 5000):
        pair = unequal[prompt][generator.integers(len(unequal[prompt]))]
        lower, higher = sorted(pair, key=prompts[prompt].__getitem__)
        names, label = in_random_order(higher, lower, generator)
        images = [f"{folder}/{name}".lstrip("/") for name in names]
        rows.append({**({"texts": [prompt]} if captioned else {}), "images": images, "label": label, "cluster": prompt})
    return rows
