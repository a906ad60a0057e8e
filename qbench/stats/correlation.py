"""Agreement between model scores and human scores: SRCC, PLCC, KRCC, and PLCC after a logistic fit.

SRCC and PLCC are what Q-Bench prints for A3 (arXiv 2309.14181, Sec. 2.4); the logistic mapping is the one VQEG
recommends before Pearson (VQEG FR-TV Phase I 2000, 4 parameters; Sheikh et al., IEEE TIP 2006, 5 parameters), which
2AFC prompting applies (arXiv 2402.01162, Eq. 5). All functions raise `UndefinedError` where no number exists.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from qbench.errors import UndefinedError

Array = NDArray[np.float64]

_FEWEST = 3
"""With two items every rank correlation is +1 or -1, whatever the model does."""


def srcc(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson on ranks, ties sharing their average rank."""
    from scipy.stats import rankdata  # a second to import, which a board that shows finished results need not wait for

    x, y = checked_pair(x, y)
    return _pearson(rankdata(x), rankdata(y))


def plcc(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's linear correlation on the scores as they are."""
    return _pearson(*checked_pair(x, y))


def krcc(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b, in O(n log n)."""
    return concordance(x, y).tau


def rmse(x: ArrayLike, y: ArrayLike) -> float:
    """Root mean squared difference, in the units of `y`."""
    x, y = checked_pair(x, y)
    return float(np.sqrt(np.mean((x - y) ** 2)))


@dataclass(frozen=True)
class Concordance:
    """Per-item counts behind tau-b, kept so that leaving one item out costs nothing."""

    net: Array
    """Concordant minus discordant partners of each item."""
    ties_x: Array
    """Other items with the same x."""
    ties_y: Array

    @property
    def tau(self) -> float:
        return float(_tau_b(*self._totals()))

    def leave_one_out(self) -> Array:
        """Tau-b of the other n-1 items, for each item."""
        net, n, tied_x, tied_y = self._totals()
        return _tau_b(net - self.net, n - 1, tied_x - self.ties_x, tied_y - self.ties_y)

    def _totals(self) -> tuple[Array, int, Array, Array]:
        # Each pair was counted from both of its ends.
        return self.net.sum() / 2, len(self.net), self.ties_x.sum() / 2, self.ties_y.sum() / 2


def concordance(x: ArrayLike, y: ArrayLike) -> Concordance:
    """Count each item's concordant, discordant and tied partners (Knight 1966, merge counting)."""
    x, y = checked_pair(x, y)
    _, rank_x, size_x = np.unique(x, return_inverse=True, return_counts=True)
    _, rank_y, size_y = np.unique(y, return_inverse=True, return_counts=True)
    flip_x, flip_y = rank_x.max() - rank_x, rank_y.max() - rank_y
    agree = _dominated(rank_x, rank_y) + _dominated(flip_x, flip_y)
    oppose = _dominated(rank_x, flip_y) + _dominated(flip_x, rank_y)
    return Concordance(
        net=(agree - oppose).astype(float),
        ties_x=(size_x[rank_x] - 1).astype(float),
        ties_y=(size_y[rank_y] - 1).astype(float),
    )


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


def _tau_b(net: Array, n: int, tied_x: Array, tied_y: Array) -> Array:
    pairs = n * (n - 1) / 2
    tau: Array = net / np.sqrt((pairs - tied_x) * (pairs - tied_y))
    return tau


@dataclass(frozen=True)
class LogisticFit:
    """A fitted mapping from model scores to human scores."""

    parameters: tuple[float, ...]
    curve: Callable[..., Array]

    def __call__(self, x: ArrayLike) -> Array:
        return self.curve(np.asarray(x, dtype=float), *self.parameters)


def logistic4(x: Array, top: float, bottom: float, middle: float, scale: float) -> Array:
    """VQEG: (top - bottom) / (1 + exp(-(x - middle) / scale)) + bottom."""
    return (top - bottom) * _sigmoid((x - middle) / scale) + bottom


def logistic5(x: Array, b1: float, b2: float, b3: float, b4: float, b5: float) -> Array:
    """Sheikh et al. 2006, Eq. 5: b1 (1/2 - 1/(1 + exp(b2 (x - b3)))) + b4 x + b5."""
    return b1 * (0.5 - _sigmoid(-b2 * (x - b3))) + b4 * x + b5


def fit_logistic(x: ArrayLike, y: ArrayLike, parameters: int = 4) -> LogisticFit:
    """Least-squares logistic fit of human scores `y` on model scores `x`; free to rise or fall.

    The 4-parameter fit starts where the 2AFC code starts: max y, min y, mean x, std x / 4.
    """
    x, y = _checked_for_fit(x, y, parameters)
    if parameters == 4:
        start = [y.max(), y.min(), x.mean(), x.std() / 4]
        return _least_squares(logistic4, x, y, start)
    if parameters == 5:
        slope, intercept = np.polyfit(x, y, 1)
        start = [y.max() - y.min(), 1 / x.std(), x.mean(), slope, intercept]
        return _least_squares(logistic5, x, y, start)
    raise ValueError(f"the logistic has 4 or 5 parameters, not {parameters}")


def fit_rising(x: ArrayLike, y: ArrayLike) -> LogisticFit:
    """The 4-parameter logistic held to rise, so that a reversed judge cannot borrow its own mirror image.

    Where a curve's middle and scale are given, its best height and bottom are a linear regression. So only those two
    are searched for, over a grid, about its best points, and on from the best of all.

    Raises `UndefinedError` where the best rising curve is flat.
    """
    x, y = _checked_for_fit(x, y, 4)
    standard, target = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    # Middles among the scores, and scales from a step to a straight line, keep every curve's spread above rounding.
    lowest, highest = np.array([standard.min(), -5.0]), np.array([standard.max(), 3.0])

    def curves(middles_and_log_scales: Array) -> Array:
        middles, log_scales = np.clip(middles_and_log_scales, lowest, highest).T
        return _sigmoid((standard - middles[:, None]) / np.exp(log_scales)[:, None])

    def agreement(middles_and_log_scales: Array) -> Array:
        drawn = curves(middles_and_log_scales)
        correlations: Array = (drawn @ target) / (len(x) * drawn.std(axis=1))
        return correlations

    def best_of(candidates: Array, count: int) -> Array:
        chosen: Array = candidates[np.argsort(-agreement(candidates))[:count]]
        return chosen

    # Steep curves have many peaks, one wherever the step falls on a score or between two: all are looked at first. Of
    # many scores fewer are, since one more or less on a side then changes little.
    distinct = np.unique(standard)
    steps = np.sort(np.concatenate([distinct, (distinct[1:] + distinct[:-1]) / 2]))
    middles = steps[np.linspace(0, len(steps) - 1, min(len(steps), max(20, 40_000 // len(x)))).astype(int)]
    peaks = best_of(_pairs(middles, np.linspace(lowest[1], highest[1], 9)), 20)
    about = np.linspace(-0.5, 0.5, 5)
    nearby = _pairs(about * np.ptp(standard) / len(middles), about)
    [start] = best_of((peaks[:, None] + nearby).reshape(-1, 2), 1)
    from scipy.optimize import minimize

    found = minimize(
        lambda one: -agreement(one[None])[0], start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-7}
    )
    if -found.fun < 1e-6:
        raise UndefinedError("no rising curve fits better than a flat one")
    best = np.clip(found.x, lowest, highest)
    curve = curves(best[None])[0]
    height = -found.fun * float(y.std() / curve.std())
    bottom = float(y.mean()) - height * float(curve.mean())
    middle, scale = x.mean() + best[0] * x.std(), np.exp(best[1]) * x.std()
    return LogisticFit((height, bottom, float(middle), float(scale)), _rising4)


def _pairs(first: Array, second: Array) -> Array:
    """Every value of the first with every value of the second."""
    return np.stack([axis.ravel() for axis in np.meshgrid(first, second)], axis=1)


def _rising4(x: Array, height: float, bottom: float, middle: float, scale: float) -> Array:
    return height * _sigmoid((x - middle) / scale) + bottom


def _sigmoid(x: Array) -> Array:
    out: Array = expit(x)
    return out


def _least_squares(
    curve: Callable[..., Array],
    x: Array,
    y: Array,
    start: list[float],
) -> LogisticFit:
    from scipy.optimize import OptimizeWarning, curve_fit

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)  # about the covariance, which we do not use
            found, _ = curve_fit(curve, x, y, p0=start, maxfev=50_000)
    except RuntimeError as error:
        raise UndefinedError("the logistic fit did not converge") from error
    if not np.all(np.isfinite(curve(x, *found))):
        raise UndefinedError("the logistic fit diverged")
    return LogisticFit(tuple(float(one) for one in found), curve)


def _checked_for_fit(x: ArrayLike, y: ArrayLike, parameters: int) -> tuple[Array, Array]:
    x, y = checked_pair(x, y)
    if len(x) <= parameters:
        raise UndefinedError(f"a {parameters}-parameter fit needs more than {parameters} items, not {len(x)}")
    if x.std() == 0 or y.std() == 0:  # squares of differences below 1e-162 are zero
        raise UndefinedError("the scores differ by less than a fit can resolve")
    return x, y


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
        return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))
