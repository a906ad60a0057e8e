"""Uncertainty: Wilson for proportions, the bootstrap over independent units for the rest, the jackknife for tau.

The bootstrap works on *counts*: a resample says how often each item was drawn, and a kernel turns a matrix of counts
(resamples x items) into one statistic per resample. Nothing is ever copied or sorted again, which is what makes
1,000 resamples of a rank correlation over 10,000 items take about a second.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from qbench.records import Estimate
from qbench.stats.correlation import Array, checked_pair, concordance

Kernel = Callable[[Array], Array]
"""Counts (resamples x items) -> one value per resample, or a row of them for each of several statistics; NaN where a
resample leaves the statistic undefined."""

RESAMPLES = 1000
_ALL_ALIKE = "all resamples give the same value, which says nothing of how far it could be off"
_BLOCK = 1_000_000
"""Counts held at once, so memory does not grow with resamples x items."""


def wilson(successes: float, n: int, level: float = 0.95) -> Estimate:
    """Share of successes with Wilson's score interval (Wilson 1927)."""
    if n == 0:
        return Estimate(None, n=0, level=level, method="wilson", note="no items")
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    share, z = successes / n, float(ndtri(0.5 + level / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Estimate(
        share, max(0.0, float(centre - half)), min(1.0, float(centre + half)), level=level, n=n, method="wilson"
    )


def srcc_interval(value: float, n: int, level: float = 0.95) -> Estimate:
    """A rank correlation with Bonett and Wright's interval (2000): cheap enough to follow answer by answer."""
    if n < 4 or 1 - abs(value) < 1e-12:
        note = "a perfect order, or fewer than four items, leaves no spread to make an interval from"
        return Estimate(value, level=level, n=n, method="bonett-wright", note=note)
    half = float(ndtri(0.5 + level / 2)) * np.sqrt((1 + value**2 / 2) / (n - 3))
    low, high = (float(np.tanh(np.arctanh(value) + end)) for end in (-half, half))
    return Estimate(value, low, high, level=level, n=n, method="bonett-wright")


def bootstrap(
    kernel: Kernel,
    n: int,
    rng: np.random.Generator,
    *,
    resamples: int = RESAMPLES,
    clusters: Sequence[Hashable] | None = None,
) -> Array:
    """Values of a statistic over resamples of the n items, or of whole clusters of items."""
    units, unit_of = n, np.arange(n)
    if clusters is not None:
        index: dict[Hashable, int] = {}
        unit_of = np.array([index.setdefault(one, len(index)) for one in clusters])
        units = len(index)
    values: list[Array] = []
    rows = max(1, _BLOCK // max(n, 1))
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = rng.integers(0, units, size=(size, units))
        drawn += np.arange(size)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units)
        values.append(kernel(counts[:, unit_of].astype(float)))
    return np.concatenate(values, axis=-1)


def resampled_mean(
    values: Array,
    clusters: Sequence[Hashable],
    rng: np.random.Generator,
    *,
    lowest: float,
    highest: float,
    level: float = 0.95,
) -> Estimate:
    """Mean of values that share clusters, with its bootstrap interval.

    Where all clusters have the same mean, resampling would claim to be certain. There Wilson's interval for "none of
    them differs" says how many others may, and those may lie at either end of what a value can be.
    """
    mean, units = float(values.mean()), len(set(clusters))
    replicates = bootstrap(mean_kernel(values), len(values), rng, clusters=clusters)
    if not _same(replicates):
        return percentile(mean, replicates, units, level=level)
    differing = wilson(0, units, level).high or 0.0
    low, high = mean - differing * (mean - lowest), mean + differing * (highest - mean)
    return Estimate(mean, low, high, level=level, n=units, method="wilson")


def percentile(value: float, replicates: Array, n: int, *, level: float = 0.95, method: str | None = None) -> Estimate:
    """A value with the percentile interval of its replicates; none where too few exist, or where all are the same."""
    method = method or f"bootstrap-{len(replicates)}"
    defined = replicates[np.isfinite(replicates)]
    if len(defined) < 0.95 * len(replicates):
        note = f"{len(replicates) - len(defined)} of {len(replicates)} resamples leave it undefined"
        return Estimate(value, level=level, n=n, method=method, note=note)
    ends = np.quantile(defined, [0.5 - level / 2, 0.5 + level / 2])
    return unless_certain(Estimate(value, float(ends[0]), float(ends[1]), level=level, n=n, method=method))


def unless_certain(estimate: Estimate) -> Estimate:
    """The estimate, without its interval where this has no width."""
    if estimate.low is None or estimate.high is None or not _same(np.array([estimate.low, estimate.high])):
        return estimate
    return replace(estimate, low=None, high=None, note=_ALL_ALIKE)


def _same(values: Array) -> bool:
    return bool(np.allclose(values, values[0], rtol=1e-9, atol=1e-12))


def mean_kernel(values: ArrayLike) -> Kernel:
    """Resampled mean, e.g. an accuracy whose questions share images."""
    values = np.asarray(values, dtype=float)
    return lambda counts: (counts @ values) / counts.sum(axis=1)


def plcc_kernel(x: ArrayLike, y: ArrayLike) -> Kernel:
    """Resampled Pearson correlation, from five weighted sums."""
    x, y = checked_pair(x, y)
    x, y = _standardised(x), _standardised(y)
    moments = np.stack([x, y, x * x, y * y, x * y], axis=1)

    def resampled(counts: Array) -> Array:
        sums = (counts @ moments) / counts.sum(axis=1, keepdims=True)
        mean_x, mean_y = sums[:, 0], sums[:, 1]
        return _ratio(sums[:, 4] - mean_x * mean_y, sums[:, 2] - mean_x**2, sums[:, 3] - mean_y**2)

    return resampled


def srcc_kernel(x: ArrayLike, y: ArrayLike) -> Kernel:
    """Resampled Spearman correlation; every resample is ranked afresh, ties shared."""
    x, y = checked_pair(x, y)
    rank_x, rank_y = _resampled_ranks(x), _resampled_ranks(y)

    def resampled(counts: Array) -> Array:
        (x, spread_x), (y, spread_y) = rank_x(counts), rank_y(counts)
        return _ratio(np.einsum("bi,bi,bi->b", counts, x, y), spread_x, spread_y)

    return resampled


def rmse_kernel(x: ArrayLike, y: ArrayLike) -> Kernel:
    """Resampled root mean squared difference."""
    squared = (np.asarray(x, dtype=float) - np.asarray(y, dtype=float)) ** 2
    return lambda counts: np.sqrt((counts @ squared) / counts.sum(axis=1))


def krcc_estimate(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Estimate:
    """Tau-b with a jackknife interval: leaving one item out is exact and costs O(n log n) in all."""
    table = concordance(x, y)
    n = len(table.net)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = table.leave_one_out()
    if not np.all(np.isfinite(others)):
        return Estimate(
            table.tau, level=level, n=n, method="jackknife", note="leaving one item out leaves it undefined"
        )
    error = float(np.sqrt((n - 1) / n * np.sum((others - others.mean()) ** 2)))
    half = float(ndtri(0.5 + level / 2)) * error
    return Estimate(
        table.tau, max(-1.0, table.tau - half), min(1.0, table.tau + half), level=level, n=n, method="jackknife"
    )


def _resampled_ranks(values: Array) -> Callable[[Array], tuple[Array, Array]]:
    """Counts -> centred average rank of every item in each resample, and their sum of squares, without sorting."""
    distinct, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(len(distinct)), side="right") - 1

    def ranks(counts: Array) -> tuple[Array, Array]:
        below = np.cumsum(counts[:, order], axis=1)[:, ends]
        sizes = np.diff(below, axis=1, prepend=0)
        centred = below - (sizes - 1) / 2 - (below[:, -1:] + 1) / 2
        return centred[:, group], np.einsum("bu,bu,bu->b", sizes, centred, centred)

    return ranks


def _ratio(cross: Array, spread_x: Array, spread_y: Array) -> Array:
    """Correlation, never beyond 1; NaN where a resample drew one value only, up to the rounding noise of centring."""
    defined = (spread_x > 1e-12) & (spread_y > 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        out: Array = np.where(defined, np.clip(cross / np.sqrt(spread_x * spread_y), -1.0, 1.0), np.nan)
    return out


def _standardised(x: Array) -> Array:
    centred = x - x.mean()
    scaled = centred / np.abs(centred).max()  # first, for squares of differences below 1e-162 are zero
    standard: Array = scaled / scaled.std()
    return standard
