"""How far two models can be told apart: on the same items where these are known, else from the figures alone.

Where it is not known which items each model got right, the figures are treated as independent. That makes the verdicts
cautious: "can't tell apart" comes up more often than a paired test would say it.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from scipy.special import ndtr, ndtri

from leaderboard.tables.columns import COMPARED_DECIMALS, Column
from qbench.errors import UndefinedError
from qbench.records import Items
from qbench.stats.significance import holm, two_proportions
from qbench.summary.items import compare_items, same_items

CONFIDENCE_LEVEL = 0.95


class Figure(NamedTuple):
    """One figure with its interval and the number of independent items behind it, where known."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True)
class ModelDifference:
    """Two models in one column."""

    column: str
    leader: str
    """The better one; of two equal ones, the first asked for."""
    other: str
    value: float
    """How much better the leader is; never negative."""
    low: float | None = None
    high: float | None = None
    p: float | None = None
    """Two-sided; from `differences`, Holm-corrected over all pairs of the column."""
    paired: bool = False
    """Whether the models were tested on the very same items."""

    @property
    def apart(self) -> bool | None:
        """Whether the two can be told apart; None where there is no evidence either way."""
        return None if self.p is None else self.p < 1 - CONFIDENCE_LEVEL


def differences(
    column: Column, figures: Mapping[str, Figure], items: Mapping[str, Items] = types.MappingProxyType({})
) -> list[ModelDifference]:
    """Every pair of models in one column, the widest difference first; without counts or intervals, without verdict.

    Args:
        column: The column.
        figures: Model -> figure.
        items: Model -> what single items add to it, where that is known.
    """
    pairs = [
        _paired(_difference(column, figures, *pair), items, column.metric.direction == "lower")
        for pair in combinations(figures, 2)
    ]
    corrected = holm([math.nan if pair.p is None else pair.p for pair in pairs])
    pairs = [replace(pair, p=None if math.isnan(p) else float(p)) for pair, p in zip(pairs, corrected, strict=True)]
    return sorted(pairs, key=lambda pair: -pair.value)


def _difference(column: Column, figures: Mapping[str, Figure], first: str, second: str) -> ModelDifference:
    lower = column.metric.direction == "lower"
    ahead = round(figures[first].value - figures[second].value, COMPARED_DECIMALS)
    leads = ahead <= 0 if lower else ahead >= 0
    leader, other = (first, second) if leads else (second, first)
    big, small = (figures[other], figures[leader]) if lower else (figures[leader], figures[other])
    gap = big.value - small.value if ahead else 0.0
    low, high = _interval(big, small)
    p = _p_of_shares(big, small) if column.metric.proportion else None
    return ModelDifference(
        column=column.key,
        leader=leader,
        other=other,
        value=gap,
        low=low,
        high=high,
        p=_p_of_interval(gap, low) if p is None else p,
    )


def _paired(difference: ModelDifference, items: Mapping[str, Items], lower: bool) -> ModelDifference:
    """The difference as a paired test has it, where both figures are about the very same items."""
    leader, other = items.get(difference.leader), items.get(difference.other)
    if leader is None or other is None or not same_items(leader, other):
        return difference
    try:
        found = compare_items(*((other, leader) if lower else (leader, other)))
    except UndefinedError:
        return difference
    return replace(difference, low=found.estimate.low, high=found.estimate.high, p=found.p, paired=True)


def _interval(big: Figure, small: Figure) -> tuple[float | None, float | None]:
    """Interval of big minus small from the intervals of both (MOVER: Newcombe 1998, Zou & Donner 2008)."""
    if big.low is None or big.high is None or small.low is None or small.high is None:
        return None, None
    gap = big.value - small.value
    down = math.hypot(big.value - big.low, small.high - small.value)
    up = math.hypot(big.high - big.value, small.value - small.low)
    return gap - down, gap + up


def _p_of_shares(big: Figure, small: Figure) -> float | None:
    if not big.n or not small.n:
        return None
    return two_proportions(big.value * big.n, big.n, small.value * small.n, small.n)


def _p_of_interval(gap: float, low: float | None) -> float | None:
    """From the normal distribution that the side towards zero of the 95 % interval implies, so that both say the same.

    The other side may be short for another reason, as at a share of 1.
    """
    if low is None or low == gap:
        return None
    return float(2 * ndtr(-gap / (gap - low) * ndtri(0.5 + CONFIDENCE_LEVEL / 2)))
