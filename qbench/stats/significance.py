"""Can two models be told apart? Paired tests on the same items, Holm's correction, and the ranks a model can claim."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtr

from qbench.records import Estimate
from qbench.stats.bootstrap import RESAMPLES, Kernel, bootstrap, percentile
from qbench.stats.correlation import Array


@dataclass(frozen=True)
class Difference:
    """First model minus second, on the same items."""

    estimate: Estimate
    p: float
    """Two-sided p-value of no difference, before any correction."""
    test: str = "paired bootstrap"


@dataclass(frozen=True)
class RankRange:
    """The best and worst rank a model can claim."""

    best: int
    worst: int


def paired_bootstrap(
    first: Kernel,
    second: Kernel,
    n: int,
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    clusters: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Difference:
    """Difference of two statistics over resamples of the *same* items, so that hard images are hard for both.

    The p-value is twice the smaller share of resamples on either side of zero (ties count on both), with one
    added to numerator and denominator so that a finite number of resamples never claims p = 0.
    """
    observed = np.ones((1, n))
    value = float((first(observed) - second(observed))[0])
    differences = bootstrap(
        lambda counts: first(counts) - second(counts), n, rng, resamples=resamples, clusters=clusters, strata=strata
    )
    defined = differences[np.isfinite(differences)]
    tail = min(int(np.sum(defined <= 0)), int(np.sum(defined >= 0)))
    units = n if clusters is None else len(set(clusters))
    return Difference(
        estimate=percentile(value, differences, units, level=level, method=f"paired-bootstrap-{resamples}"),
        p=min(1.0, 2 * (tail + 1) / (len(defined) + 1)),
    )


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


def rank_intervals(
    values: Sequence[float | None], p_values: ArrayLike, *, level: float = 0.95, higher_is_better: bool = True
) -> list[RankRange | None]:
    """Ranks each model can claim, Holm-corrected over all pairs of the table.

    Best = 1 + models significantly better; worst = models - models significantly worse. None where the value is
    missing. `p_values` is the symmetric matrix of pairwise p-values; NaN means the pair was not tested.
    """
    p = np.array(p_values, dtype=float)
    present = np.array([value is not None for value in values])
    score = np.array([np.nan if value is None else value for value in values]) * (1 if higher_is_better else -1)
    upper = np.triu_indices(len(values), k=1)
    adjusted = np.full_like(p, np.nan)
    adjusted[upper] = holm(np.where(present[upper[0]] & present[upper[1]], p[upper], np.nan))
    adjusted = np.fmin(adjusted, adjusted.T)
    with np.errstate(invalid="ignore"):
        apart = adjusted < 1 - level
        better = apart & (score[None, :] > score[:, None])
        worse = apart & (score[None, :] < score[:, None])
    total = int(present.sum())
    return [
        RankRange(1 + int(better[i].sum()), total - int(worse[i].sum())) if present[i] else None
        for i in range(len(values))
    ]
