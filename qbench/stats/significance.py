"""Can two models be told apart? Paired tests on the same items, Holm's correction, and the ranks a model can claim."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtr, ndtri

from qbench.records import LEVEL, Estimate
from qbench.stats.bootstrap import Kernel, bootstrap, percentile
from qbench.stats.correlation import Array


@dataclass(frozen=True)
class Difference:
    """First model minus second, on the same items."""

    estimate: Estimate
    p: float
    """Two-sided p-value of no difference, before any correction."""
    test: str = "paired bootstrap"


class RankRange(NamedTuple):
    """The best and worst rank a model can claim."""

    best: int
    worst: int


def paired_bootstrap(
    first: Kernel,
    second: Kernel,
    n: int,
    rng: np.random.Generator,
    *,
    clusters: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
) -> Difference:
    """Difference of two statistics over resamples of the *same* items, so that hard images are hard for both.

    The p-value is twice the smaller share of resamples on either side of zero (ties count on both), with one
    added to numerator and denominator so that a finite number of resamples never claims p = 0.
    """
    observed = np.ones((1, n))
    value = float((first(observed) - second(observed))[0])
    differences = bootstrap(lambda counts: first(counts) - second(counts), n, rng, clusters=clusters, strata=strata)
    defined = differences[np.isfinite(differences)]
    tail = min(int(np.sum(defined <= 0)), int(np.sum(defined >= 0)))
    units = n if clusters is None else len(set(clusters))
    return Difference(
        estimate=percentile(value, differences, units, method=f"paired-bootstrap-{len(differences)}"),
        p=min(1.0, 2 * (tail + 1) / (len(defined) + 1)),
    )


def difference_interval(first: tuple[float, float, float], second: tuple[float, float, float]) -> tuple[float, float]:
    """Interval of first less second, each a value with the ends of its interval (MOVER: Newcombe 1998, Zou and Donner
    2008)."""
    (value, low, high), (other, other_low, other_high) = first, second
    gap = value - other
    return gap - math.hypot(value - low, other_high - other), gap + math.hypot(high - value, other - other_low)


def p_of_interval(gap: float, low: float, high: float) -> float | None:
    """From the normal distribution that the side towards zero of an interval implies, so that both say the same.

    The other side may be short for another reason, as at a share of 1. None where there is nothing on that side.
    """
    side = gap - low if gap >= 0 else high - gap
    return None if side == 0 else float(2 * ndtr(-abs(gap) / side * ndtri(0.5 + LEVEL / 2)))


def mcnemar(first_correct: ArrayLike, second_correct: ArrayLike) -> float:
    """Exact McNemar test: two-sided p from the items exactly one of the two models got right."""
    first, second = np.asarray(first_correct, dtype=bool), np.asarray(second_correct, dtype=bool)
    if first.shape != second.shape:
        raise ValueError(f"need answers to the same items, not {first.shape} and {second.shape}")
    only_first, only_second = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    if only_first + only_second == 0:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), only_first + only_second, 0.5)))


def two_proportions(k1: float, n1: int, k2: float, n2: int) -> float:
    """Two-sided p of equal shares (pooled z-test), for printed accuracies whose items are not at hand.

    Blind to the pairing of the items, so it says "can't tell apart" more often than `mcnemar` would.
    """
    pooled = (k1 + k2) / (n1 + n2)
    variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    if variance == 0:
        return 1.0
    return float(2 * ndtr(-abs(k1 / n1 - k2 / n2) / np.sqrt(variance)))


def holm(p_values: ArrayLike) -> Array:
    """Holm's step-down adjusted p-values (Holm 1979); NaN stays NaN and is not counted."""
    p = np.asarray(p_values, dtype=float)
    out = np.full(p.shape, np.nan)
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = len(order) - np.arange(len(order))
    out[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return out


def rank_intervals(shares: ArrayLike, counts: ArrayLike, *, higher_is_better: bool = True) -> list[RankRange | None]:
    """Ranks each model can claim by a share of its items: every pair is tested (`two_proportions`), Holm-corrected.

    Best = 1 + models significantly better; worst = models - models significantly worse. A model whose share rests on
    no known count (0) is not tested: it widens the others' ranges and has none.

    Holm rejects the r smallest of m p-values for the smallest r at which just r of them are below (1 - LEVEL) / (m - r)
    (sorting finds the same), so the squares of z are made once and counted a few times.
    """
    share, count = np.asarray(shares, dtype=float), np.asarray(counts, dtype=float)
    tested = np.flatnonzero(count > 0)
    order = tested[np.argsort(share[tested] if higher_is_better else -share[tested], kind="stable")]  # worst first
    blocks = _squares_of_z(share[order], count[order])
    pairs = len(order) * (len(order) - 1) // 2
    rejected, limit = -1, np.inf
    while rejected < (found := sum(int(np.count_nonzero(squares > limit)) for squares in blocks)):
        rejected = found
        limit = float(ndtri((1 - LEVEL) / 2 / max(pairs - rejected, 1))) ** 2
    worse, better = np.zeros(len(share), dtype=int), np.zeros(len(share), dtype=int)
    first = 0
    for squares in blocks:
        apart = squares > limit
        worse[order[first : first + len(apart)]] = apart.sum(axis=1)
        better[order[: apart.shape[1]]] += apart.sum(axis=0)
        first += len(apart)
    ranges = zip((1 + better).tolist(), (len(share) - worse).tolist(), (count > 0).tolist(), strict=True)
    return [RankRange(best, worst) if known else None for best, worst, known in ranges]


def _squares_of_z(share: Array, count: Array, rows: int = 32) -> list[Array]:
    """z squared of the test of equal shares, of each item against those before it and 0 else, in blocks of rows.

    A block and what it is made from stay in the processor's cache, which a matrix of 2,000 items does not.
    """
    hits, per_item = share * count, 1 / count
    blocks = []
    with np.errstate(invalid="ignore"):  # two shares of 0, or of 1, differ by 0 without variance
        for first in range(0, len(share), rows):
            own, others = np.s_[first : first + rows, np.newaxis], np.s_[: first + rows]
            pooled = (hits[own] + hits[others]) / (count[own] + count[others])
            gap = share[own] - share[others]
            squares = gap * gap / (pooled * (1 - pooled) * (per_item[own] + per_item[others]))
            blocks.append(np.tril(squares, first - 1))
    return blocks
