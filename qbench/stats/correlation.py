"""Agreement between model scores and human scores: SRCC, PLCC, KRCC and RMSE.

SRCC and PLCC are what Q-Bench prints for A3 (arXiv 2309.14181, Sec. 2.4). All functions raise `UndefinedError` where
no number exists.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qbench.errors import UndefinedError

Array = NDArray[np.float64]

_FEWEST = 3
"""With two items every rank correlation is +1 or -1, whatever the model does."""


def srcc(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson on ranks, ties sharing their average rank."""
    x, y = checked_pair(x, y)
    return _pearson(average_ranks(x), average_ranks(y))


def restricted_srcc(over_all: float, spread: float) -> float:
    """The SRCC that is left among items of a narrower range of `y`, if errors are as large there as elsewhere.

    Thorndike's case 2 of range restriction (1949), on Pearson's correlation as two normal variables have it. The spread
    is the standard deviation of `y` among these items, divided by that over all.
    """
    r = 2 * np.sin(np.pi * over_all / 6)
    narrow = r * spread / np.sqrt(1 - r**2 + (r * spread) ** 2)
    return float(6 * np.arcsin(narrow / 2) / np.pi)


def average_ranks(values: ArrayLike) -> Array:
    """Places from 1 for the smallest; equal values share the average of their places.

    `scipy.stats.rankdata` gives the same. Its module takes a second to import, and cannot be imported while another
    thread is importing PyTorch, as the app does after its start.
    """
    _, group, sizes = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: Array = (last - (sizes - 1) / 2)[group]
    return ranks


def plcc(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's linear correlation on the scores as they are."""
    return _pearson(*checked_pair(x, y))


def rmse(x: ArrayLike, y: ArrayLike) -> float:
    """Root mean squared difference, in the units of `y`."""
    x, y = checked_pair(x, y)
    return float(np.sqrt(np.mean((x - y) ** 2)))


def kendall(x: ArrayLike, y: ArrayLike) -> tuple[float, Array]:
    """Tau-b, and that of all other items for each item, which costs nothing more; in O(n log n) (Knight 1966).

    Without an item there may be none, which is no finite number.
    """
    x, y = checked_pair(x, y)
    _, rank_x, size_x = np.unique(x, return_inverse=True, return_counts=True)
    _, rank_y, size_y = np.unique(y, return_inverse=True, return_counts=True)
    flip_x, flip_y = rank_x.max() - rank_x, rank_y.max() - rank_y
    agree = _dominated(rank_x, rank_y) + _dominated(flip_x, flip_y)
    oppose = _dominated(rank_x, flip_y) + _dominated(flip_x, rank_y)
    # Of each item: concordant less discordant partners, and others with the same x and y.
    of_item = np.stack([agree - oppose, size_x[rank_x] - 1, size_y[rank_y] - 1]).astype(float)
    of_all = of_item.sum(axis=1, keepdims=True) / 2  # each pair was counted from both of its ends
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(_tau_b(of_all, len(x))[0]), _tau_b(of_all - of_item, len(x) - 1)


def _dominated(x: NDArray[np.intp], y: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each item, how many others are smaller in both x and y (non-negative ranks)."""
    order = np.lexsort((-y, x))  # equal x in falling y, so an earlier item with smaller y has smaller x
    values = y[order]
    counts = np.zeros(len(values), dtype=np.intp)
    position = np.arange(len(values))
    half = 1
    while half < len(values):
        block = position // (2 * half)
        keys = block * (int(values.max()) + 1) + values
        left = position % (2 * half) < half
        smaller = np.searchsorted(np.sort(keys[left]), keys[~left])
        counts[~left] += smaller - block[~left] * half
        half *= 2
    out = np.empty_like(counts)
    out[order] = counts
    return out


def _tau_b(counts: Array, n: int) -> Array:
    (net, tied_x, tied_y), pairs = counts, n * (n - 1) / 2
    tau: Array = net / np.sqrt((pairs - tied_x) * (pairs - tied_y))
    return tau


def checked_pair(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Two finite, equally long, non-constant arrays; anything else has no correlation and says why."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"need two lists of the same length, not shapes {x.shape} and {y.shape}")
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
        raise ValueError("scores must be finite; drop unscored items first")
    if len(x) < _FEWEST:
        raise UndefinedError(f"only {len(x)} scored item(s); a correlation needs at least {_FEWEST}")
    if np.ptp(x) == 0:
        raise UndefinedError(f"all {len(x)} model scores are equal")
    if np.ptp(y) == 0:
        raise UndefinedError(f"all {len(y)} human scores are equal")
    return x, y


def _pearson(x: Array, y: Array) -> float:
    x, y = x - x.mean(), y - y.mean()
    x, y = x - x.mean(), y - y.mean()  # a mean of large numbers is rounded, the mean of what is left of them hardly
    with np.errstate(over="raise", under="ignore"):
        # Scaling first keeps 1e-200 and 1e200 inside the range of a square.
        x, y = x / np.abs(x).max(), y / np.abs(y).max()
        return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))
