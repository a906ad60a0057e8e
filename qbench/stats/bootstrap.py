"""The bootstrap over independent units: resampled values of a statistic, and the intervals made from them.

It works on *counts*: a resample says how often each item was drawn, and a kernel turns a matrix of counts (resamples x
items) into one statistic per resample. Nothing is ever copied or sorted again, which is what makes 1,000 resamples of a
rank correlation over 10,000 items take about a second.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from qbench.records import LEVEL, Estimate
from qbench.stats.correlation import Array, checked_pair

Kernel = Callable[[Array], Array]
"""Counts (resamples x items) -> one value per resample, or a row of them for each of several statistics; NaN where a
resample leaves the statistic undefined."""

RESAMPLES, FEWEST_RESAMPLES = 1000, 200
"""So many, but of many items fewer: a spread, which most intervals are made of, is known to 5 % by 200."""
_DRAWS = 12_000_000
"""Items that all resamples together draw, at most, unless they are the fewest: those of 12,000 items are 1,000."""
_ALL_ALIKE = "all resamples give the same value, which says nothing of how far it could be off"
_BLOCK = 1_000_000
"""Counts held at once, so memory does not grow with resamples x items."""
_IN_CACHE = 65_536
"""Counts that a rank correlation looks at in one go: half a megabyte stays near the processor."""
_LEAST_DEFINED = 0.95
PERFECT = "too many resamples agree perfectly, which leaves no scale to make an interval on"
_MOST_PERFECT, _NEARLY_PERFECT = 0.01, 1e-3
"""Share of resamples that may agree perfectly, and how near to that is perfect, in shares of all items' distance."""


def bootstrap(
    kernel: Kernel,
    n: int,
    rng: np.random.Generator,
    *,
    resamples: int | None = None,
    clusters: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
) -> Array:
    """Values of a statistic over resamples of the n items: 1,000 unless stated, and fewer of more than 12,000 items.

    With clusters, one for each item, whole clusters are drawn; with strata as many items of each stratum as it has.
    """
    resamples = resamples or int(np.clip(_DRAWS // max(n, 1), FEWEST_RESAMPLES, RESAMPLES))
    assert clusters is None or strata is None, "strata of single items alone"
    index: dict[Hashable, int] = {}
    group = np.array([index.setdefault(each, len(index)) for each in clusters or strata or ()])

    def draw(size: int) -> Array:
        units = len(index) if clusters is not None else n
        counts = np.empty((size, units))
        if strata is not None:
            for members in (np.flatnonzero(group == stratum) for stratum in range(len(index))):
                counts[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=size)
            return counts
        for row, drawn in zip(counts, rng.integers(0, units, size=(size, units)), strict=True):
            row[:] = np.bincount(drawn, minlength=units)
        return counts if clusters is None else counts[:, group]

    rows = max(1, _BLOCK // max(n, 1))
    blocks = [kernel(draw(min(rows, resamples - start))) for start in range(0, resamples, rows)]
    return np.concatenate(blocks, axis=-1)


def percentile(value: float, replicates: Array, n: int, *, method: str | None = None) -> Estimate:
    """A value with the percentile interval of its replicates; none where too few exist, or where all are the same."""
    estimate = _without_interval(value, replicates, n, method or f"bootstrap-{len(replicates)}")
    if estimate.note:
        return estimate
    low, high = np.quantile(replicates[np.isfinite(replicates)], [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return unless_certain(replace(estimate, low=float(low), high=float(high)))


FISHER, LOG = "Fisher z", "log"
"""Scales on which a statistic is closer to normal than on its own, and whose end, a perfect agreement, lies infinitely
far out: of correlations (Fisher 1915), and of differences such as RMSE."""


def bias_corrected(
    value: float, replicates: Array, n: int, scale: str, freedom: float, *, method: str = ""
) -> Estimate:
    """A value with a normal interval on another scale, from the bias and the spread of its replicates.

    Efron and Tibshirani (An Introduction to the Bootstrap, 1993, ch. 10 and 12): with b the mean of the replicates less
    the value and e their standard deviation, value - b -+ t e, with Student's t of so many degrees of freedom.
    """
    method = ", ".join(filter(None, (f"bootstrap-{len(replicates)}", scale, method)))
    estimate = _without_interval(value, replicates, n, method)
    if estimate.note:
        return estimate

    def from_end(values: Array) -> Array:
        return values if scale == LOG else 1 - np.abs(values)

    def scaled(values: Array) -> Array:  # not nearer to their end than `least`
        if scale == LOG:
            return np.asarray(np.log(np.maximum(values, least)))
        return np.asarray(np.arctanh(np.clip(values, least - 1, 1 - least)))

    least = _NEARLY_PERFECT * float(from_end(np.array(value)))
    if least == 0 or np.mean(from_end(replicates[np.isfinite(replicates)]) <= least) > _MOST_PERFECT:
        return replace(estimate, note=PERFECT)
    centre, drawn = float(scaled(np.array(value))), scaled(replicates)
    bias = float(np.nanmean(drawn)) - centre
    half = float(stdtrit(freedom, 0.5 + LEVEL / 2)) * float(np.nanstd(drawn))
    low, high = (np.exp if scale == LOG else np.tanh)(centre - bias + np.array([-half, half]))
    return unless_certain(replace(estimate, low=float(low), high=float(high)))


def _without_interval(value: float, replicates: Array, n: int, method: str) -> Estimate:
    """The value, with a note where its replicates allow no interval."""
    estimate = Estimate(value, n=n, method=method)
    defined = replicates[np.isfinite(replicates)]
    if len(defined) < _LEAST_DEFINED * len(replicates):
        note = f"{len(replicates) - len(defined)} of {len(replicates)} resamples leave it undefined"
        return replace(estimate, note=note)
    return replace(estimate, note=_ALL_ALIKE) if all_same(defined) else estimate


def unless_certain(estimate: Estimate) -> Estimate:
    """The estimate, without its interval where this has no width."""
    if estimate.low is None or estimate.high is None or not all_same(np.array([estimate.low, estimate.high])):
        return estimate
    return replace(estimate, low=None, high=None, note=_ALL_ALIKE)


def all_same(values: Array) -> bool:
    """Whether all values are one, up to rounding."""
    return bool(np.allclose(values, values[0], rtol=1e-9, atol=1e-12))


def mean_kernel(values: ArrayLike) -> Kernel:
    """Resampled mean, e.g. an accuracy whose questions share images."""
    values = np.asarray(values, dtype=float)
    return lambda counts: counts @ values / counts.sum(axis=1)


def plcc_kernel(x: ArrayLike, y: ArrayLike) -> Kernel:
    """Resampled Pearson correlation, from five weighted sums."""
    x, y = checked_pair(x, y)
    x, y = _standardised(x), _standardised(y)
    moments = np.stack([x, y, x * x, y * y, x * y], axis=1)

    def resampled(counts: Array) -> Array:
        sums = counts @ moments / counts.sum(axis=1, keepdims=True)
        mean_x, mean_y = sums[:, 0], sums[:, 1]
        return _ratio(sums[:, 4] - mean_x * mean_y, sums[:, 2] - mean_x**2, sums[:, 3] - mean_y**2)

    return resampled


def srcc_kernel(x: ArrayLike, y: ArrayLike) -> Kernel:
    """Resampled Spearman correlation; every resample is ranked afresh, ties shared, without sorting again."""
    x, y = checked_pair(x, y)
    by_x, by_y = _Ranked(x), _Ranked(y)
    across = np.argsort(by_x.order)[by_y.order]  # items in the order of y -> their places in the order of x

    def resampled(counts: Array) -> Array:
        rows = max(1, _IN_CACHE // counts.shape[1])
        return np.concatenate([correlate(counts[start : start + rows]) for start in range(0, len(counts), rows)])

    def correlate(counts: Array) -> Array:
        in_x, in_y = np.take(counts, by_x.order, axis=1), np.take(counts, by_y.order, axis=1)
        rank_x, spread_x = by_x.ranks(in_x)
        rank_y, spread_y = by_y.ranks(in_y)
        moved = np.take(in_x * by_x.of_items(rank_x), across, axis=1)
        cross = np.einsum("bu,bu->b", by_y.sums(moved), rank_y)
        return _ratio(cross, spread_x, spread_y)

    return resampled


KERNELS: Mapping[str, Callable[..., Kernel]] = {"mean": mean_kernel, "srcc": srcc_kernel, "plcc": plcc_kernel}


class _Ranked:
    """Values in their order, of which equal ones are a group with one rank."""

    def __init__(self, values: Array) -> None:
        self.order = np.argsort(values, kind="stable")
        self.starts = np.flatnonzero(np.diff(values[self.order], prepend=np.nan) != 0)
        self.lengths = np.diff(self.starts, append=len(values))
        self.distinct = len(self.starts) == len(values)

    def ranks(self, counts: Array) -> tuple[Array, Array]:
        """Counts of items in their order -> centred average rank of each group in each resample, and their sum of
        squares over all that was drawn."""
        sizes = self.sums(counts)
        below = np.cumsum(sizes, axis=1)
        centred = below - (sizes + below[:, -1:]) / 2
        return centred, np.einsum("bu,bu->b", sizes * centred, centred)

    def sums(self, values: Array) -> Array:
        """Of values of items in their order, the sum in each group."""
        if self.distinct:
            return values
        summed: Array = np.add.reduceat(values, self.starts, axis=1)
        return summed

    def of_items(self, of_groups: Array) -> Array:
        """What holds for each group, for each of its items."""
        return of_groups if self.distinct else np.repeat(of_groups, self.lengths, axis=1)


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
