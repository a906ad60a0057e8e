"""How far the best logistic curve's agreement may be off: the curve is fitted again to every resample.

A resample's best curve is sought among a few hundred candidates, whose weighted correlations are matrix products, so
that 1,000 fits cost little more than one. With the curve held at the one that fits all items, intervals of RMSE
cover 60 to 90 % at 20 to 50 items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from qbench.stats.correlation import Array
from qbench.stats.products import product

_MIDDLES, _FEWEST_MIDDLES = 32, 8
_SCALES = np.exp([-5.0, -3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 5.0])
"""In standard deviations of the model scores."""
_BEYOND = (2.0, 5.0)
"""How many scales beyond the scores middles lie too."""
_WORK = 100_000
"""Scores times middles: of many scores, whose best curve hardly moves, fewer curves are tried."""
_BLOCK = 4_000_000
"""Permuted scores held at once."""
_LEAST_SPREAD = 1e-9


@dataclass(frozen=True)
class ResampledFits:
    """What the best curves reach in each resample."""

    correlation: Array
    residual: Array
    """Root mean squared difference of the human scores from their curve, in their units."""
    correlation_held: Array
    """Of the curve that fits all items best."""
    residual_held: Array


class CandidateCurves:
    """Logistic curves over model scores, each of which is the better one for some human scores.

    Args:
        x: Model scores.
        y: Human scores.
        rising: Whether curves must rise.
    """

    def __init__(self, x: Array, y: Array, *, rising: bool = False) -> None:
        standard = (x - x.mean()) / x.std()
        drawn = _curves(standard)
        drawn -= drawn.mean(axis=1, keepdims=True)
        spread = drawn.std(axis=1, keepdims=True)
        told = spread[:, 0] > _LEAST_SPREAD
        self.curves: Array = drawn[told] / spread[told]
        self.y = y - y.mean()
        self.rising = rising
        self._stacked = np.concatenate([self.curves, self.curves**2, self.curves * self.y]).T
        self._moments = np.stack([self.y, self.y**2], axis=1)
        self._held = self._best(self._agreement(np.ones((1, len(self.y))))[0])[0]

    def fit(self, counts: Array) -> ResampledFits:
        """Fit every resample; counts (resamples x items) say how often each item was drawn."""
        agreement, spread = self._agreement(counts)
        rows = np.arange(len(counts))
        best = self._sized(agreement[rows, self._best(agreement)])
        held = self._sized(agreement[:, self._held])
        return ResampledFits(best, _left(spread, best), held, _left(spread, held))

    def of_all(self) -> tuple[float, float]:
        """Correlation and residual of the best candidate for all items."""
        found = self.fit(np.ones((1, len(self.y))))
        return float(found.correlation[0]), float(found.residual[0])

    def by_chance(self, rng: np.random.Generator, permutations: int) -> Array:
        """What the best curve reaches where human scores are dealt to the items at random."""
        standard = self.y / self.y.std()
        rows = max(1, _BLOCK // len(standard))
        reached = []
        for start in range(0, permutations, rows):
            dealt = rng.permuted(np.tile(standard, (min(rows, permutations - start), 1)), axis=1)
            agreement = product(dealt, self.curves.T) / len(standard)
            reached.append(self._sized(agreement[np.arange(len(dealt)), self._best(agreement)]))
        return np.concatenate(reached)

    def _best(self, agreement: Array) -> NDArray[np.intp]:
        best: NDArray[np.intp] = np.argmax(agreement if self.rising else np.abs(agreement), axis=1)
        return best

    def _sized(self, agreement: Array) -> Array:
        """A falling curve agrees as much as the rising one disagrees; where it may not fall, a flat one is best."""
        sized: Array = np.maximum(agreement, 0.0) if self.rising else np.abs(agreement)
        return sized

    def _agreement(self, counts: Array) -> tuple[Array, Array]:
        """Correlation of each rising curve in each resample, and the spread of the resample's human scores."""
        n, size = counts.sum(axis=1, keepdims=True), len(self.curves)
        sums = product(counts, self._stacked) / n
        mean, square, cross = sums[:, :size], sums[:, size : 2 * size], sums[:, 2 * size :]
        mean_y, square_y = (product(counts, self._moments) / n).T[:, :, None]
        variance_y = square_y - mean_y**2
        variance = square - mean**2
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = (cross - mean * mean_y) / np.sqrt(variance * variance_y)
        # A curve that is flat on what a resample drew agrees with nothing; one human score drawn n times leaves none.
        reached = np.where(variance > _LEAST_SPREAD, np.clip(reached, -1.0, 1.0), 0.0)
        spread = np.sqrt(np.maximum(variance_y[:, 0], 0.0))
        alike = spread <= 1e-6 * np.abs(self.y).max()  # rounding of squares leaves so much
        return np.where(alike[:, None], np.nan, reached), np.where(alike, np.nan, spread)


def _left(spread: Array, agreement: Array) -> Array:
    residual: Array = spread * np.sqrt(np.maximum(1 - agreement**2, 0.0))
    return residual


def _curves(standard: Array) -> Array:
    """Rising curves with their middles on, between and beyond the scores, and the straight line."""
    distinct = np.unique(standard)
    steps = np.sort(np.concatenate([distinct, (distinct[1:] + distinct[:-1]) / 2]))
    count = int(np.clip(_WORK // len(standard), _FEWEST_MIDDLES, _MIDDLES))
    middles = steps[np.linspace(0, len(steps) - 1, min(count, len(steps))).round().astype(int)]
    scales = _SCALES if count == _MIDDLES else _SCALES[2::2]
    places = [(middle, scale) for scale in scales for middle in middles]
    for scale in scales:
        for away in _BEYOND:
            places += [(standard.min() - away * scale, scale), (standard.max() + away * scale, scale)]
    at = np.array(places)
    drawn: Array = expit((standard - at[:, :1]) / at[:, 1:])
    return np.concatenate([drawn, standard[None]])
