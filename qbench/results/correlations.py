"""Intervals of correlations from resamples of the items: signed ones, and those of the best logistic curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qbench.records import Estimate
from qbench.results.means import RESAMPLING_SEED
from qbench.stats import bootstrap, intervals
from qbench.stats.correlation import Array
from qbench.stats.refitting import CandidateCurves

FEWEST_RESAMPLED = 10
"""Of fewer items many resamples are perfectly ordered."""
_PERMUTATIONS = 1000
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
    made = bootstrap.bias_corrected(
        value, bootstrap.Replicates(replicates), items, bootstrap.FISHER, freedom, method=method
    )
    return formula(value, items) if made.note == bootstrap.PERFECT and parts == 1 else made


def correlation_of_fit(
    value: float,
    candidates: Sequence[CandidateCurves],
    replicates: Array,
    held: Array,
    items: int,
    *,
    method: str = "curve fitted to each",
) -> Estimate:
    """The correlation after the curve, with its interval.

    Of scores that tell nothing the best curve agrees too, and the more the fewer they are. So the interval reaches
    down to 0 unless fewer than one in twenty of as many scores dealt at random agree as much.

    Args:
        value: Of all items.
        candidates: Of each part.
        replicates: Of each resample, the curve fitted again.
        held: Of each resample, the curve held.
        items: How many there are in all parts.
        method: How the resamples were made.
    """
    reference = float(np.mean([curves.of_all()[0] for curves in candidates]))
    made = _of_fit(value, reference, bootstrap.FISHER, replicates, held, items, len(candidates), method)
    if made.low is None or made.high is None:
        return made
    rng = np.random.default_rng(RESAMPLING_SEED)
    dealt = np.mean([curves.by_chance(rng, _PERMUTATIONS) for curves in candidates], axis=0)
    return intervals.down_to_chance(made, reference, dealt)


def residual_of_fit(
    value: float, candidates: Sequence[CandidateCurves], replicates: Array, held: Array, items: int
) -> Estimate:
    """RMSE after the curve, with its interval; for the arguments see `correlation_of_fit`."""
    reference = float(np.mean([curves.of_all()[1] for curves in candidates]))
    return _of_fit(value, reference, bootstrap.LOG, replicates, held, items, len(candidates), "curve fitted to each")


def _of_fit(
    value: float,
    reference: float,
    scale: bootstrap.Scale,
    replicates: Array,
    held: Array,
    items: int,
    parts: int,
    method: str,
) -> Estimate:
    if items < FEWEST_RESAMPLED * parts:  # a curve fitted to so few follows each of them
        few = of_few("", value, items)
        return few if parts == 1 else replace(few, note=f"{few.note}, in each of {parts} parts")
    drawn = bootstrap.Replicates(replicates, reference, held)
    return bootstrap.bias_corrected(value, drawn, items, scale, items - 4 * parts, method=method)
