"""Which pairs a comparison task asks: coarse random rounds and the three fine-grained rules.

2AFC prompting (arXiv 2402.01162, Sec. II-A); https://github.com/h4nwei/2AFC-LMMs. Every pair is asked in both orders.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qbench.errors import DataError, UserError
from qbench.records import Sample

Pairs = NDArray[np.intp]

ROUNDS = 12
PAIRING_SEED = 1234
_INTERVALS = ("[0, 25)", "[25, 50)", "[50, 75)", "[75, 100]")
"""The paper's intervals of MOS on SPAQ's scale."""


def coarse_rounds(n: int, rounds: int = ROUNDS, seed: int = PAIRING_SEED) -> Pairs:
    """Random rounds of disjoint pairs of n items, as an array (round, pair, 2) of item indices.

    Each round couples a fresh shuffle of all items; with an odd number one item idles. Defaults give the schedule of
    the released code, hence of the published numbers: round r shuffles with seed 1234 + r. Pairs may come again in a
    later round.
    """
    if n < 2:
        raise UserError(f"pairing needs at least 2 items, not {n}")
    used = n // 2 * 2
    # The published schedules come from NumPy's legacy generator; the state here is our own, not the global one.
    orders = (np.random.RandomState(seed + number).permutation(n) for number in range(rounds))
    return np.stack([order[:used].reshape(-1, 2) for order in orders])


def both_orders(pairs: ArrayLike) -> Pairs:
    """Every pair (i, j) followed by (j, i), as an array (presentation, 2); rounds are strung together."""
    pairs = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    return np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)


def same_mos_interval(samples: Sequence[Sample]) -> dict[str, tuple[str, ...]]:
    """Fine-grained rule 3: interval of the paper -> ids of samples whose human scores lie in it.

    Groups where fewer than two samples fall are left out.
    """
    groups: dict[str, list[str]] = {name: [] for name in _INTERVALS}
    for sample in samples:
        if sample.human is None:
            raise DataError(f"sample {sample.id!r} has no human score; pairing by MOS interval needs one for each")
        if not 0 <= sample.human <= 100:
            raise DataError(
                f"sample {sample.id!r} has the human score {sample.human:g}, and intervals are those of a scale from 0 "
                "to 100; give scores on that scale"
            )
        groups[_INTERVALS[min(int(sample.human // 25), 3)]].append(sample.id)
    return _pairable(groups)


def same_content(samples: Sequence[Sample], alike: str, different: str) -> dict[str, tuple[str, ...]]:
    """Fine-grained rules 1 and 2: "content.type" -> ids of samples that differ in level, or "content.level" in type."""
    groups: dict[str, dict[str, str]] = {}
    for sample in samples:
        for key in ("content", alike, different):
            if key not in sample.groups:
                raise DataError(
                    f"sample {sample.id!r} has no group {key!r}; this pairing rule needs content, type and level"
                )
        group = groups.setdefault(f"{sample.groups['content']}.{sample.groups[alike]}", {})
        twin = group.setdefault(sample.groups[different], sample.id)
        if twin != sample.id:
            raise DataError(f"samples {twin!r} and {sample.id!r} share content, type and level; keep one of them")
    return _pairable({name: list(members.values()) for name, members in groups.items()})


def _pairable(groups: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    kept = {name: tuple(members) for name, members in groups.items() if len(members) > 1}
    if not kept:
        raise DataError("no group holds 2 samples or more, so there is nothing to pair")
    return kept
