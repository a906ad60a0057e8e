"""How scores agree with people's: SRCC, PLCC and KRCC, and PLCC and RMSE after a logistic curve, with their intervals.

Intervals come from resamples of the items; of few items, or of nearly perfect ones, from the formula for normal scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from qbench.errors import UndefinedError
from qbench.records import Estimate
from qbench.results.means import RESAMPLING_SEED
from qbench.stats import bootstrap, correlation, intervals, logistic
from qbench.stats.correlation import Array

FEWEST_RESAMPLED = 10
"""Of fewer items many resamples are perfectly ordered."""
_TERMS = 4
"""Parameters of the curve."""
_DRAWS = 1000
_FORMULAS = {"srcc": intervals.srcc_interval, "plcc": intervals.plcc_interval}


class Rated:
    """Model scores beside human ones, of one dataset or a part of it.

    Ranks may be taken on another order; the label is said before the reason why there is no figure.
    """

    def __init__(
        self,
        value: ArrayLike,
        truth: ArrayLike,
        order: ArrayLike | None = None,
        label: str = "",
        fit: Callable[[Array, Array], logistic.LogisticFit] = logistic.fit_logistic,
    ) -> None:
        self.value = np.asarray(value, dtype=float)
        self.truth = np.asarray(truth, dtype=float)
        self.order = self.value if order is None else np.asarray(order, dtype=float)
        self.label = label
        self._fit = fit

    @cached_property
    def curve(self) -> logistic.LogisticFit:
        return self._fit(self.value, self.truth)

    @cached_property
    def fitted(self) -> Array:
        return self.curve(self.value)

    def point(self, name: str) -> float:
        """One of the figures, or an UndefinedError."""
        try:
            return _POINTS[name](self)
        except UndefinedError as error:
            raise UndefinedError(f"{self.label}: {error.reason}" if self.label else error.reason) from None

    def kernel(self, names: Sequence[str]) -> bootstrap.Kernel:
        """Several of SRCC and PLCC of each resample."""
        kernels = [bootstrap.KERNELS[name](self.order if name == "srcc" else self.value, self.truth) for name in names]
        return lambda counts: np.stack([kernel(counts) for kernel in kernels])


_POINTS: Mapping[str, Callable[[Rated], float]] = {
    "srcc": lambda part: correlation.srcc(part.order, part.truth),
    "plcc": lambda part: correlation.plcc(part.value, part.truth),
    "plcc_fitted": lambda part: correlation.plcc(part.fitted, part.truth),
    "correlation": lambda part: correlation.plcc(part.fitted, part.truth),
    "krcc": lambda part: correlation.krcc(part.order, part.truth),
    "rmse": lambda part: correlation.rmse(part.fitted, part.truth),
}


def estimate(parts: Sequence[Rated], names: Sequence[str], *, method: str = "") -> dict[str, Estimate]:
    """Figures averaged over parts, with their intervals; where one part has none there is no average."""
    sizes = [len(part.truth) for part in parts]
    points: dict[str, float] = {}
    made: dict[str, Estimate] = {}
    for name in names:
        try:
            points[name] = float(np.mean([part.point(name) for part in parts]))
        except UndefinedError as error:
            made[name] = Estimate(None, n=sum(sizes), note=error.reason)
    if plain := [name for name in points if name in _FORMULAS]:
        rng = np.random.default_rng(RESAMPLING_SEED)
        drawn = [bootstrap.bootstrap(part.kernel(plain), len(part.truth), rng) for part in parts]
        for name, replicates in zip(plain, np.mean(drawn, axis=0), strict=True):
            made[name] = signed_correlation(name, points[name], replicates, sizes, method)
    if curved := [name for name in points if name in ("plcc_fitted", "correlation", "rmse")]:
        refits = np.empty((2, 0))
        if _enough_for_curves(sizes):
            rng, hold = np.random.default_rng(RESAMPLING_SEED), _holds_curve(sizes)
            drawn = [logistic.resampled_fit(part.value, part.truth, part.curve, rng, hold=hold) for part in parts]
            refits = np.mean(drawn, axis=0)
        for name in curved:
            made[name] = figure_after_curve(name, points[name], refits[int(name == "rmse")], sizes, method)
    if "krcc" in points:
        taus = [intervals.krcc_estimate(part.order, part.truth) for part in parts]
        made["krcc"] = bootstrap.unless_certain(intervals.mean_of_parts(taus))
    return {name: made[name] for name in names}


def signed_correlation(name: str, value: float, replicates: Array, sizes: Sequence[int], method: str = "") -> Estimate:
    """SRCC or PLCC of parts of these sizes, whose mean was so much in each resample."""
    items, parts = sum(sizes), len(sizes)
    if parts == 1 and items < FEWEST_RESAMPLED:
        return _FORMULAS[name](value, items)
    freedom = items - 2 * parts
    made = bootstrap.bias_corrected(value, replicates, items, bootstrap.FISHER, freedom, method=method)
    return _FORMULAS[name](value, items) if made.note == bootstrap.PERFECT and parts == 1 else made


def figure_after_curve(name: str, value: float, replicates: Array, sizes: Sequence[int], method: str = "") -> Estimate:
    """A figure after the curves of parts of these sizes.

    Of scores that tell nothing the best curve agrees too, and the more the fewer they are. So the interval of a
    correlation reaches down to 0 unless fewer than one in twenty regressions of noise, of as many terms as the curve
    has parameters, agree as much: for 10 to 1,000 items that is a little more than the best curve through noise
    reaches.
    """
    items, parts = sum(sizes), len(sizes)
    if not _enough_for_curves(sizes):  # a curve fitted to so few follows each of them
        note = f"fewer than {FEWEST_RESAMPLED} items leave no room to fit a curve to each resample"
        said = f"each of {parts} parts has fewer than {FEWEST_RESAMPLED} items, too few to fit a curve to each resample"
        return Estimate(value, n=items, note=note if parts == 1 else said)
    how = ", ".join(filter(None, ("curve held" if _holds_curve(sizes) else "curve fitted to each", method)))
    scale = bootstrap.LOG if name == "rmse" else bootstrap.FISHER
    made = bootstrap.bias_corrected(value, replicates, items, scale, items - _TERMS * parts, method=how)
    if name == "rmse" or made.low is None:
        return made
    rng = np.random.default_rng(RESAMPLING_SEED)
    noise = [rng.beta(_TERMS / 2, max(size - 1 - _TERMS, 1) / 2, size=_DRAWS) for size in sizes]
    return intervals.down_to_chance(made, value, np.sqrt(noise).mean(axis=0))


def _enough_for_curves(sizes: Sequence[int]) -> bool:
    return sum(sizes) >= FEWEST_RESAMPLED * len(sizes)


def _holds_curve(sizes: Sequence[int]) -> bool:
    """Whether resamples keep the curve of all items of each part."""
    return min(sizes) >= logistic.HELD_FROM
