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

from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import COMPARED_DECIMALS, Column
from qbench.errors import UndefinedError
from qbench.records import Items
from qbench.results.items import compare_items, same_items
from qbench.stats.significance import difference_interval, holm, p_of_interval, two_proportions

CONFIDENCE_LEVEL = 0.95


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
    test: str = ""
    """By which test, if both models answered the very same items; see `qbench.stats.significance`."""

    @property
    def paired(self) -> bool:
        """Whether the models were tested on the very same items."""
        return bool(self.test)

    @property
    def apart(self) -> bool | None:
        """Whether the two can be told apart; None where there is no evidence either way."""
        return None if self.p is None else self.p < 1 - CONFIDENCE_LEVEL


def differences(
    column: Column, figures: Mapping[str, Cell], items: Mapping[str, Items] = types.MappingProxyType({})
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


def _difference(column: Column, figures: Mapping[str, Cell], first: str, second: str) -> ModelDifference:
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
        p=p_of_interval(gap, low, high) if p is None and low is not None and high is not None else p,
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
    return replace(difference, low=found.estimate.low, high=found.estimate.high, p=found.p, test=found.test)


def _interval(big: Cell, small: Cell) -> tuple[float | None, float | None]:
    """Interval of big minus small from the intervals of both."""
    if big.low is None or big.high is None or small.low is None or small.high is None:
        return None, None
    return difference_interval((big.value, big.low, big.high), (small.value, small.low, small.high))


def _p_of_shares(big: Cell, small: Cell) -> float | None:
    if not big.n or not small.n:
        return None
    return two_proportions(big.value * big.n, big.n, small.value * small.n, small.n)
