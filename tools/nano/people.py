"""How much people mind each damage: KADID-10k's mean ratings by type and level, from its list of scores.

Lin, Hosu and Saupe, "KADID-10k: A Large-scale Artificially Distorted IQA Database", QoMEX 2019. Its images are named
I<photo>_<type>_<level>.png, and its types are those of `qbench.distortions`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qbench.datasets.manifest import read_manifest
from qbench.distortions import TYPES
from qbench.errors import UserError
from tools.demo.damage import Damage

_BEST, _WORST = 4.8, 1.0
"""Rating of a photo that nothing was done to, and the lowest one."""
_TWO_SIDED = (18, 25)
"""Types that run from one side through zero to the other; here each side is a type of its own."""

Kept = Mapping[str, NDArray[np.float64]]
"""Type of damage -> what levels 0 to 5 leave of a photo's quality, from 1 to 0."""


def read_ratings(path: Path) -> Kept:
    """What each type and level leaves; of types that people did not rate, the mean over those that they did.

    Raises:
        UserError: The list is not KADID-10k's.
    """
    rated: dict[tuple[int, int], list[float]] = defaultdict(list)
    for sample in read_manifest(path):
        parts = Path(sample.id).stem.split("_")
        if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit() and sample.human is not None:
            rated[int(parts[1]), int(parts[2])].append(sample.human)
    numbers = {key: kind.kadid for key, kind in TYPES.items() if kind.kadid and kind.kadid not in _TWO_SIDED}
    if any((number, level) not in rated for number in numbers.values() for level in range(1, 6)):
        raise UserError(
            f"{path} is not KADID-10k's list of scores: some of its 25 types or 5 levels are not rated there"
        )

    def left(number: int) -> NDArray[np.float64]:
        means = [float(np.mean(rated[number, level])) for level in range(1, 6)]
        return (np.array([_BEST, *means]) - _WORST) / (_BEST - _WORST)

    known = {key: left(number) for key, number in numbers.items()}
    usual: NDArray[np.float64] = np.mean([*known.values()], axis=0)
    return dict.fromkeys(TYPES, usual) | known


def what_is_left(kept: Kept, damages: Sequence[Damage]) -> float:
    """Of a photo's quality: every damage takes its share of what others leave."""
    return float(np.prod([np.interp(damage.level, range(6), kept[damage.kind]) for damage in damages]))
