"""The four-parameter logistic curve from model scores to human scores, and how well it can be fitted.

VQEG recommends the mapping before Pearson's correlation (VQEG FR-TV Phase I, 2000), and 2AFC prompting applies it
(arXiv 2402.01162, Eq. 5). Where a curve's middle and scale are given, its best top and bottom are a linear regression,
so what a curve reaches is its correlation with the human scores, and only middle and scale are searched for. All
functions raise `UndefinedError` where no curve exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from qbench.errors import UndefinedError
from qbench.stats import bootstrap
from qbench.stats.correlation import Array, checked_pair
from qbench.stats.levenberg_marquardt import CLOSE, least_squares

HELD_FROM = 100
"""Of so many items and more the curve hardly moves from resample to resample, and is held."""
REFITS = 200
"""Resamples of fewer items, to each of which the curve is fitted again."""
_CLOSE_ENOUGH = 1e-4
"""For curves of resamples, whose agreement varies by far more."""
_PARAMETERS = 4
_LOG_SCALES = np.array([-13.0, -11.0, -9.0, -7.0, *np.arange(-5.0, 5.5)])
"""Logarithms of the scales searched, in standard deviations of the model scores: from a step to a straight line."""
_BEYOND = (1.0, 2.0, 4.0, 8.0)
"""How many scales beyond the scores a curve's middle is searched for."""
_PEAKS, _ROUNDS, _CLOSER = 12, 10, 0.6
"""So many of the best curves are looked around in so many rounds, each so much nearer."""
_MOST_STEPS = 100
"""The peak beside a place that is still not reached then lies beyond what is searched."""
_LEAST_AGREEMENT = 1e-6
"""A curve that correlates less is flat."""

_AROUND = np.array(list(product(np.linspace(-0.5, 0.5, 5), repeat=2)))
_WORK = 40_000
"""Scores times curves looked at: of many scores fewer curves are, since one score on the other side of a step then
changes little."""


@dataclass(frozen=True)
class LogisticFit:
    """The curve (top - bottom) / (1 + exp(-(x - middle) / scale)) + bottom."""

    top: float
    bottom: float
    middle: float
    scale: float

    def __call__(self, x: ArrayLike) -> Array:
        return logistic(np.asarray(x, dtype=float), self.top, self.bottom, self.middle, self.scale)


def logistic(x: Array, top: float, bottom: float, middle: float, scale: float) -> Array:
    """VQEG's curve: (top - bottom) / (1 + exp(-(x - middle) / scale)) + bottom."""
    curve: Array = (top - bottom) * expit((x - middle) / scale) + bottom
    return curve


def fit_logistic(x: ArrayLike, y: ArrayLike) -> LogisticFit:
    """Least-squares fit of human scores `y` on model scores `x`; free to rise or fall.

    It never agrees less than the straight line does, and -x has the mirror image of x's curve.
    """
    x, y = _checked_for_fit(x, y)
    # Searched the way in which the scores rise together, so that x and -x come to the same curve.
    direction = -1.0 if (x - x.mean()) @ (y - y.mean()) < 0 else 1.0
    search = _Search(direction * x, y)
    fitted = search.curve(search.refined(search.best(rising=False)))
    return LogisticFit(fitted.top, fitted.bottom, direction * fitted.middle, direction * fitted.scale)


def fit_rising(x: ArrayLike, y: ArrayLike) -> LogisticFit:
    """Least-squares fit held to rise, so that a reversed judge cannot borrow its own mirror image.

    Raises `UndefinedError` where the best rising curve is flat.
    """
    x, y = _checked_for_fit(x, y)
    search = _Search(x, y)
    best = search.best(rising=True)
    if search.agreement(best[None])[0] < _LEAST_AGREEMENT:
        raise UndefinedError("no rising curve fits better than a flat one")
    return search.curve(search.refined(best))


def fit_as_published(x: ArrayLike, y: ArrayLike) -> LogisticFit:
    """The fit of the code released with the 2AFC paper: least squares from max y, min y, mean x and std x / 4.

    It stops at the first minimum it meets, which may agree less than a straight line. Figures that are held against
    the paper's need the same.
    """
    x, y = _checked_for_fit(x, y)

    def errors(values: Array) -> Array:
        difference: Array = logistic(x, *values) - y
        return difference

    def slopes(values: Array) -> Array:
        top, bottom, middle, scale = values
        share = expit((x - middle) / scale)
        steep = (top - bottom) * share * (1 - share) / scale
        columns: Array = np.stack([share, 1 - share, -steep, -steep * (x - middle) / scale], axis=1)
        return columns

    return LogisticFit(*least_squares(errors, slopes, [y.max(), y.min(), x.mean(), x.std() / 4]).tolist())


def resampled_fit(
    x: ArrayLike, y: ArrayLike, curve: LogisticFit, rng: np.random.Generator, *, hold: bool, rising: bool = False
) -> Array:
    """Correlation and root mean squared difference of each resample's curve, a row each.

    Args:
        x: Model scores.
        y: Human scores.
        curve: That of all items.
        rng: Draws the resamples.
        hold: Whether the curve of all is each resample's; else the best one is looked for beside it.
        rising: Whether curves are held to rise.
    """
    x, y = _checked_for_fit(x, y)
    if hold:
        fitted = curve(x)
        correlation, square = bootstrap.plcc_kernel(fitted, y), bootstrap.mean_kernel((y - fitted) ** 2)

        def held(counts: Array) -> Array:
            return np.stack([correlation(counts), np.sqrt(square(counts))])

        return bootstrap.bootstrap(held, len(x), rng)

    def refitted(counts: Array) -> Array:
        drawn = (np.repeat(np.arange(len(x)), row.astype(int)) for row in counts)
        fits: Array = np.array([_refit(x[rows], y[rows], curve, rising) for rows in drawn]).T
        return fits

    return bootstrap.bootstrap(refitted, len(x), rng, resamples=REFITS)


def _refit(x: Array, y: Array, curve: LogisticFit, rising: bool) -> tuple[float, float]:
    if x.std() == 0 or y.std() == 0:
        return float("nan"), float("nan")
    search = _Search(x, y)
    start = np.array([(curve.middle - x.mean()) / x.std(), np.log(abs(curve.scale) / x.std())])
    [reached] = search.agreement(search.refined(search.held(start[None])[0], _CLOSE_ENOUGH)[None])
    agreed = max(0.0, float(reached)) if rising else abs(float(reached))
    return agreed, float(y.std() * np.sqrt(max(0.0, 1 - agreed**2)))


class _Search:
    """The curves over standardised scores, by middle and logarithm of scale."""

    def __init__(self, x: Array, y: Array) -> None:
        self.x, self.y = x, y
        self.standard, self.target = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()

    def held(self, places: Array) -> Array:
        """Places held to where curves differ by more than rounding.

        Beyond the scores a curve's middle need not be further than some scales: there it is an exponential.
        """
        log_scales = np.clip(places[:, 1], _LOG_SCALES[0], _LOG_SCALES[-1])
        beyond = _BEYOND[-1] * np.exp(log_scales)
        middles = np.clip(places[:, 0], self.standard.min() - beyond, self.standard.max() + beyond)
        return np.stack([middles, log_scales], axis=1)

    def curves(self, places: Array) -> Array:
        """A rising curve for each (middle, logarithm of scale)."""
        middles, log_scales = places.T
        drawn: Array = expit((self.standard - middles[:, None]) / np.exp(log_scales)[:, None])
        return drawn

    def agreement(self, places: Array) -> Array:
        """Correlation of each rising curve with the human scores; a falling one's is the same below zero."""
        drawn = self.curves(places)
        drawn -= drawn.mean(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            # No matrix product, whose last digits depend on how many rows it has and on other threads: of equally good
            # curves the same one must lead in every run.
            reached = (drawn * self.target).sum(axis=1) / np.sqrt(len(self.target) * (drawn * drawn).sum(axis=1))
        finite: Array = np.nan_to_num(reached, nan=0.0, posinf=0.0, neginf=0.0)
        return finite

    def best(self, *, rising: bool) -> Array:
        """Middle and logarithm of scale of the curve that agrees best.

        Steep curves have many peaks, one wherever the step falls on a score or between two: all are looked at first,
        then what is ever nearer to the best of them, in steps of the scores' spread and of the curve's scale.
        """
        most = int(np.clip(_WORK // (2 * len(self.standard)), 2, _PEAKS))

        def leading(places: Array) -> Array:
            reached = self.agreement(places)
            chosen: Array = places[np.argsort(-(reached if rising else np.abs(reached)), kind="stable")[:most]]
            return chosen

        middles = self._middles()
        peaks = leading(self._coarse(middles))
        across, nearer = np.ptp(self.standard) / len(middles), 1.0
        for _ in range(_ROUNDS):
            wide = peaks[:, None] + _AROUND * nearer * (across, 1.0)
            scales = np.exp(peaks[:, 1:])
            close = peaks[:, None] + _AROUND * nearer * np.hstack([_BEYOND[-1] * scales, np.ones_like(scales)])[:, None]
            nearby = self.held(np.concatenate([wide, close]).reshape(-1, 2))
            peaks = leading(np.concatenate([peaks, nearby]))
            nearer *= _CLOSER
        best: Array = peaks[0]
        return best

    def refined(self, start: Array, close: float = CLOSE) -> Array:
        """The peak beside a place, as close as said; the place itself where no better one is found."""

        def left(place: Array) -> Array:
            drawn, height, _ = self._regressed(place)
            rest: Array = self.target - height * drawn
            return rest

        def slopes(place: Array) -> Array:
            drawn, height, steep = self._regressed(place)
            turned = ((self.target - 2 * height * drawn)[:, None] * steep).sum(axis=0) / (drawn @ drawn)
            columns: Array = -(height * steep + np.outer(drawn, turned))
            return columns

        try:
            [found] = self.held(least_squares(left, slopes, start, most_steps=_MOST_STEPS, close=close)[None])
        except UndefinedError:
            return start
        before, after = self.agreement(np.stack([start, found]))
        return found if after * np.sign(before) > abs(before) else start

    def _regressed(self, place: Array) -> tuple[Array, float, Array]:
        """The centred curve at a place, the height at which it fits best, and how it changes with the place."""
        middle, log_scale = place
        away = (self.standard - middle) / np.exp(log_scale)
        drawn = expit(away)
        steep = drawn * (1 - drawn)
        steep = np.stack([-steep / np.exp(log_scale), -steep * away], axis=1)
        drawn = drawn - drawn.mean()
        return drawn, float(drawn @ self.target / (drawn @ drawn)), steep - steep.mean(axis=0)

    def _middles(self) -> Array:
        """Steps on and between the scores; of many scores some."""
        distinct = np.unique(self.standard)
        steps = np.sort(np.concatenate([distinct, (distinct[1:] + distinct[:-1]) / 2]))
        count = min(len(steps), max(20, _WORK // len(self.standard)))
        chosen: Array = steps[np.linspace(0, len(steps) - 1, count).astype(int)]
        return chosen

    def _coarse(self, middles: Array) -> Array:
        """Curves of all scales with their middles among the scores, and beyond them."""
        outside = [
            np.stack([end + side * away * np.exp(_LOG_SCALES), _LOG_SCALES], axis=1)
            for end, side in ((self.standard.min(), -1), (self.standard.max(), 1))
            for away in _BEYOND
        ]
        return np.concatenate([_pairs(middles, _LOG_SCALES), *outside])

    def curve(self, place: Array) -> LogisticFit:
        """The curve at a place, with its best top and bottom."""
        [drawn] = self.curves(place[None])
        [reached] = self.agreement(place[None])
        height = float(reached * self.y.std() / drawn.std())
        bottom = float(self.y.mean()) - height * float(drawn.mean())
        middle, log_scale = place
        scale = float(np.exp(log_scale) * self.x.std())
        return LogisticFit(bottom + height, bottom, float(self.x.mean() + middle * self.x.std()), scale)


def _pairs(first: Array, second: Array) -> Array:
    """Every value of the first with every value of the second."""
    return np.stack([axis.ravel() for axis in np.meshgrid(first, second)], axis=1)


def _checked_for_fit(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    x, y = checked_pair(x, y)
    if len(x) <= _PARAMETERS:
        raise UndefinedError(f"a {_PARAMETERS}-parameter fit needs more than {_PARAMETERS} items, not {len(x)}")
    if x.std() == 0 or y.std() == 0:  # squares of differences below 1e-162 are zero
        raise UndefinedError("the scores differ by less than a fit can resolve")
    return x, y
