"""The four-parameter logistic curve from model scores to human scores, and how well it can be fitted.

VQEG recommends the mapping before Pearson's correlation (VQEG FR-TV Phase I, 2000), and 2AFC prompting applies it
(arXiv 2402.01162, Eq. 5). Where a curve's middle and scale are given, its best top and bottom are a linear regression,
so what a curve reaches is its correlation with the human scores, and only middle and scale are searched for. All
functions raise `UndefinedError` where no curve exists.

Fits are SciPy's `least_squares`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from qbench.errors import UndefinedError
from qbench.stats import bootstrap
from qbench.stats.correlation import Array, checked_pair

HELD_FROM = 100
"""Of so many items and more the curve hardly moves from resample to resample, and is held."""
REFITS = 200
"""Resamples of fewer items, to each of which the curve is fitted again."""
_PARAMETERS = 4
_LOG_SCALES = np.array([-13.0, -11.0, -9.0, -7.0, *np.arange(-5.0, 5.5)])
"""Logarithms of the scales searched, in standard deviations of the model scores: from a step to a straight line."""
_BEYOND = 8.0
"""How many scales beyond the scores a curve's middle is searched for; there it is an exponential."""
_STARTS, _MIDDLES, _LOOKED_AT = 4, 100, 2_000
"""Curves that a fit starts from: those that agree best, of so many middles, with at most so many of the scores."""
_CLOSE_ENOUGH = 1e-4
"""For curves of resamples, whose agreement varies by far more."""
_MOST_STEPS = 300
_MINPACK = {"ftol": 1.49012e-8, "xtol": 1.49012e-8, "gtol": 1e-15}
"""Ends of `curve_fit`, which the authors called."""


@dataclass(frozen=True)
class LogisticFit:
    """VQEG's curve: (top - bottom) / (1 + exp(-(x - middle) / scale)) + bottom."""

    top: float
    bottom: float
    middle: float
    scale: float

    def __call__(self, x: ArrayLike) -> Array:
        share = expit((np.asarray(x, dtype=float) - self.middle) / self.scale)
        curve: Array = (self.top - self.bottom) * share + self.bottom
        return curve


def fit_logistic(x: ArrayLike, y: ArrayLike) -> LogisticFit:
    """Least-squares fit of human scores `y` on model scores `x`; free to rise or fall.

    It never agrees less than the straight line does, and -x has the mirror image of x's curve.
    """
    x, y = _checked_for_fit(x, y)
    # Searched the way in which the scores rise together, so that x and -x come to the same curve.
    direction = -1.0 if (x - x.mean()) @ (y - y.mean()) < 0 else 1.0
    search = _Search(direction * x, y)
    reached, place = search.best()
    middle = float(direction * (direction * x.mean() + float(search.middles(place)) * x.std()))
    step = LogisticFit(1.0, 0.0, middle, float(direction * np.exp(place[1]) * x.std()))
    drawn = step(x)
    height = float(reached * y.std() / drawn.std())
    bottom = float(y.mean()) - height * float(drawn.mean())
    return LogisticFit(bottom + height, bottom, step.middle, step.scale)


def fit_as_published(x: ArrayLike, y: ArrayLike) -> LogisticFit:
    """The fit of the code released with the 2AFC paper: least squares from max y, min y, mean x and std x / 4.

    It stops at the first minimum it meets, which may agree less than a straight line. Figures that are held against
    the paper's need the same.
    """
    from scipy.optimize import least_squares

    x, y = _checked_for_fit(x, y)
    # MINPACK as SciPy 1.15 to 1.17 have it reads one number beyond the last column of the derivatives, so that the same
    # scores may come to another curve in the next run. A fifth parameter, which changes no error and which no step
    # moves, puts a zero there.
    idle = 1e-100

    def errors(values: Array) -> Array:
        return np.append(LogisticFit(*values[:_PARAMETERS])(x) - y, idle * values[_PARAMETERS])

    def slopes(values: Array) -> Array:
        top, bottom, middle, scale, _ = values
        share = expit((x - middle) / scale)
        steep = (top - bottom) * share * (1 - share) / scale
        matrix = np.zeros((len(x) + 1, _PARAMETERS + 1))
        matrix[:-1, :_PARAMETERS] = np.stack([share, 1 - share, -steep, -steep * (x - middle) / scale], axis=1)
        matrix[-1, -1] = idle
        return matrix

    start = [y.max(), y.min(), x.mean(), x.std() / 4, 0.0]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # where a step goes too far, and is not taken
        found = least_squares(errors, start, slopes, method="lm", x_scale="jac", max_nfev=10_000, **_MINPACK)
    if not found.success:
        raise UndefinedError("the least-squares fit did not converge")
    return LogisticFit(*found.x[:_PARAMETERS].tolist())


def resampled_fit(x: ArrayLike, y: ArrayLike, curve: LogisticFit, rng: np.random.Generator, *, hold: bool) -> Array:
    """Correlation and root mean squared difference of each resample's curve, a row each.

    That is the curve of all where it is held; else the best one is looked for beside it.
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
        fits: Array = np.array([_refit(x[rows], y[rows], curve) for rows in drawn]).T
        return fits

    return bootstrap.bootstrap(refitted, len(x), rng, resamples=REFITS)


def _refit(x: Array, y: Array, curve: LogisticFit) -> tuple[float, float]:
    if x.std() == 0 or y.std() == 0:
        return float("nan"), float("nan")
    search, log_scale = _Search(x, y), float(np.log(abs(curve.scale) / x.std()))
    away = (curve.middle - x.mean()) / x.std() - search.centre
    start = np.array([away / (search.half + _BEYOND * np.exp(log_scale)), log_scale])
    agreed = abs(search.peak(start, _CLOSE_ENOUGH)[0])
    return agreed, float(y.std() * np.sqrt(max(0.0, 1 - agreed**2)))


class _Search:
    """The curves over standardised scores.

    A place among them is how far the middle lies from the middle of the scores, as a share of how far it may, and the
    logarithm of the scale: box bounds then hold both to where curves differ by more than rounding.
    """

    def __init__(self, x: Array, y: Array) -> None:
        self.standard, self.target = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
        low, high = self.standard.min(), self.standard.max()
        self.centre, self.half = (low + high) / 2, (high - low) / 2

    def best(self) -> tuple[float, Array]:
        """Agreement and place of the curve that agrees best.

        Steep curves have many peaks, one wherever the step falls on a score or between two: of each middle the best
        scale is looked for among some, and the best of these lead to their peaks.
        """
        places = self._places()
        thinned = np.argsort(self.standard, kind="stable")[:: -(-len(self.standard) // _LOOKED_AT)]
        reached = np.abs(self.agreement(places.reshape(-1, 2), thinned)).reshape(places.shape[:2])
        scales = reached.argmax(axis=1)
        leading = np.argsort(-reached.max(axis=1), kind="stable")[:_STARTS]
        return max((self.peak(places[row, scales[row]]) for row in leading), key=lambda found: abs(found[0]))

    def _places(self) -> Array:
        """Middles on and between the scores, of many scores some, and beyond them; each with every scale."""
        distinct = np.unique(self.standard)
        steps = np.sort(np.concatenate([distinct, (distinct[1:] + distinct[:-1]) / 2]))
        steps = steps[np.linspace(0, len(steps) - 1, min(len(steps), _MIDDLES)).astype(int)]
        scales = np.exp(_LOG_SCALES)
        outside = self.half + np.outer([1.0, 2.0, 4.0, _BEYOND], scales)
        away = np.concatenate([-outside, np.repeat(steps[:, None] - self.centre, len(scales), axis=1), outside])
        shares = away / (self.half + _BEYOND * scales)
        return np.stack([shares, np.broadcast_to(_LOG_SCALES, shares.shape)], axis=-1)

    def middles(self, places: Array) -> Array:
        """Middles of curves, in standard deviations."""
        middles: Array = self.centre + places[..., 0] * (self.half + _BEYOND * np.exp(places[..., 1]))
        return middles

    def agreement(self, places: Array, rows: Any = slice(None)) -> Array:
        """Correlation of each rising curve with the human scores of some rows; a falling one's is the same below 0."""
        drawn = expit((self.standard[rows] - self.middles(places)[:, None]) / np.exp(places[:, 1])[:, None])
        drawn -= drawn.mean(axis=1, keepdims=True)
        target = self.target[rows] - self.target[rows].mean()
        with np.errstate(divide="ignore", invalid="ignore"):
            # No matrix product, whose last digits depend on how many rows it has and on other threads: of equally good
            # curves the same one must lead in every run.
            reached = (drawn * target).sum(axis=1) / np.sqrt((target * target).sum() * (drawn * drawn).sum(axis=1))
        finite: Array = np.nan_to_num(reached, nan=0.0, posinf=0.0, neginf=0.0)
        return finite

    def peak(self, start: Array, close: float = 1e-10) -> tuple[float, Array]:
        """What the peak beside a place reaches, and where it is; the place itself where no better one is found."""
        from scipy.optimize import least_squares

        low, high = np.array([-1.0, _LOG_SCALES[0]]), np.array([1.0, _LOG_SCALES[-1]])
        start = np.clip(start, low, high)
        before = float(self.agreement(start[None])[0])
        if before == 0:  # a flat curve has no slope
            return before, start

        def left(place: Array) -> Array:
            drawn = expit((self.standard - self.middles(place)) / np.exp(place[1]))
            drawn -= drawn.mean()  # in place: of many scores, room for another array costs more than the sums
            drawn *= float(drawn @ self.target / (drawn @ drawn))
            rest: Array = self.target - drawn
            return rest

        def slopes(place: Array) -> Array:
            """Derivatives of what is left: the factor of the curve changes with it."""
            steps = (self.standard - self.middles(place)) / np.exp(place[1])
            drawn = expit(steps)
            rise = drawn * (1 - drawn)
            rises = np.stack([rise * (-self.half / np.exp(place[1]) - _BEYOND), rise * (-steps - place[0] * _BEYOND)])
            drawn -= drawn.mean()
            rises -= rises.mean(axis=1, keepdims=True)
            square = float(drawn @ drawn)
            factor = float(drawn @ self.target) / square
            factors = (rises @ self.target - 2 * factor * (rises @ drawn)) / square
            made: Array = -(np.outer(factors, drawn) + factor * rises).T
            return made

        inside = np.clip(start, low + 1e-9, high - 1e-9)
        end = {"ftol": close, "xtol": close, "gtol": close, "max_nfev": _MOST_STEPS}
        found = np.asarray(least_squares(left, inside, slopes, bounds=(low, high), **end).x)
        after = float(self.agreement(found[None])[0])
        return (after, found) if abs(after) > abs(before) else (before, start)


def _checked_for_fit(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    x, y = checked_pair(x, y)
    if len(x) <= _PARAMETERS:
        raise UndefinedError(f"a {_PARAMETERS}-parameter fit needs more than {_PARAMETERS} items, not {len(x)}")
    if x.std() == 0 or y.std() == 0:  # squares of differences below 1e-162 are zero
        raise UndefinedError("the scores differ by less than a fit can resolve")
    return x, y
