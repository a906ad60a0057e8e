"""Intervals of correlations from resamples of the items: signed ones, and those of the best logistic curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qbench.records import Estimate
from qbench.results.means import RESAMPLING_SEED
from qbench.stats import bootstrap, intervals
from qbench.stats.correlation import Array
from qbench.stats.logistic import HELD_FROM

FEWEST_RESAMPLED = 10
"""Of fewer items many resamples are perfectly ordered."""
_TERMS = 4
"""Parameters of the curve."""
_DRAWS = 1000
_FORMULAS = {"srcc": intervals.srcc_interval, "plcc": intervals.plcc_interval}


def of_few(name: str, value: float, items: int) -> Estimate:
    """A correlation of fewer items than are resampled: SRCC and PLCC by their formula, a curve's without interval."""
    if name in _FORMULAS:
        return _FORMULAS[name](value, items)
    note = f"fewer than {FEWEST_RESAMPLED} items leave no room to fit a curve to each resample"
    return Estimate(value, n=items, note=note)


def signed_correlation(
    name: str, value: float, replicates: Array, items: int, *, parts: int = 1, method: str = ""
) -> Estimate:
    """SRCC or PLCC with its interval; of few items, or of nearly perfect ones, the formula for normal scores.

    Args:
        name: `srcc` or `plcc`.
        value: Of all items.
        replicates: Of each resample.
        items: How many there are.
        parts: In how many of them it is taken apart, and averaged.
        method: What else to say of how it was made.
    """
    formula = _FORMULAS[name]
    if parts == 1 and items < FEWEST_RESAMPLED:
        return formula(value, items)
    freedom = items - 2 * parts
    made = bootstrap.bias_corrected(value, replicates, items, bootstrap.FISHER, freedom, method=method)
    return formula(value, items) if made.note == bootstrap.PERFECT and parts == 1 else made


def holds_curve(sizes: Sequence[int]) -> bool:
    """Whether resamples keep the curve of all items of each part, which are of these sizes."""
    return min(sizes) >= HELD_FROM


def correlation_of_fit(value: float, replicates: Array, sizes: Sequence[int], *, method: str = "") -> Estimate:
    """The correlation after the curve, with its interval.

    Of scores that tell nothing the best curve agrees too, and the more the fewer they are. So the interval reaches
    down to 0 unless fewer than one in twenty regressions of noise, of as many terms as the curve has parameters, agree
    as much: for 10 to 1,000 items that is a little more than the best curve through noise reaches.

    Args:
        value: Of all items.
        replicates: Of each resample.
        sizes: How many items each part has.
        method: What else to say of how it was made.
    """
    made = of_fit(value, replicates, sizes, bootstrap.FISHER, method=method)
    if made.low is None or made.high is None:
        return made
    rng = np.random.default_rng(RESAMPLING_SEED)
    noise = [rng.beta(_TERMS / 2, max(size - 1 - _TERMS, 1) / 2, size=_DRAWS) for size in sizes]
    return intervals.down_to_chance(made, value, np.sqrt(noise).mean(axis=0))


def of_fit(
    value: float, replicates: Array, sizes: Sequence[int], scale: bootstrap.Scale, *, method: str = ""
) -> Estimate:
    """A figure after the curve with its interval; for the arguments see `correlation_of_fit`."""
    items, parts = sum(sizes), len(sizes)
    if items < FEWEST_RESAMPLED * parts:  # a curve fitted to so few follows each of them
        few = of_few("", value, items)
        said = f"each of {parts} parts has fewer than {FEWEST_RESAMPLED} items, too few to fit a curve to each resample"
        return few if parts == 1 else replace(few, note=said)
    how = ", ".join(filter(None, ("curve held" if holds_curve(sizes) else "curve fitted to each", method)))
    return bootstrap.bias_corrected(value, replicates, items, scale, items - _TERMS * parts, method=how)
