"""Answer habits: preferring a position (2AFC) or a word (yes/no), told apart from being right.

Position: 2AFC prompting, arXiv 2402.01162, Sec. III-B. Yes/no: Q-Bench, arXiv 2309.14181, Table 8, plus
signal-detection d' and criterion (Macmillan & Creelman, Detection Theory, 2nd ed., ch. 1-2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from qbench.records import LEVEL, Estimate
from qbench.stats.intervals import clustered_mean, image_mean, mean_of_parts, wilson


def yes_no_bias(hits: int, yes: int, false_alarms: int, no: int) -> dict[str, Estimate]:
    """Accuracy on Yes and on No questions, their mean (what Table 8 ranks by), d' and criterion.

    Of `yes` questions `hits` were answered Yes, of `no` questions `false_alarms`. d' = z(hits) - z(false alarms) is how
    well the two kinds of question are told apart, whatever the habit; criterion = -(z(hits) + z(false alarms)) / 2 is
    the habit: below zero the model leans to Yes. Half an answer is added to each cell (Hautus 1995), so perfect scores
    stay finite; intervals are Gourevitch & Galanter 1967.
    """
    on_yes, on_no = wilson(hits, yes), wilson(no - false_alarms, no)
    out = {"yes_accuracy": on_yes, "no_accuracy": on_no}
    if not yes or not no:
        note = f"needs both kinds of question; there are {yes} with the answer Yes and {no} with No"
        names = ("debiased_accuracy", "dprime", "criterion")
        return out | {name: Estimate(None, n=yes + no, note=note) for name in names}
    return out | {
        "debiased_accuracy": replace(mean_of_parts([on_yes, on_no]), method="wilson-mover"),
        **_signal_detection(hits, yes, false_alarms, no),
    }


def _signal_detection(hits: int, yes: int, false_alarms: int, no: int) -> dict[str, Estimate]:
    z_hit, hit_variance = _deviate(hits, yes)
    z_alarm, alarm_variance = _deviate(false_alarms, no)
    error = float(np.sqrt(hit_variance + alarm_variance))
    half = float(ndtri(0.5 + LEVEL / 2)) * error

    def around(value: float, width: float) -> Estimate:
        return Estimate(value, value - width, value + width, n=yes + no, method="gourevitch-galanter")

    return {"dprime": around(z_hit - z_alarm, half), "criterion": around(-(z_hit + z_alarm) / 2, half / 2)}


def _deviate(count: int, n: int) -> tuple[float, float]:
    """The normal deviate of a share, and its variance."""
    rate = (count + 0.5) / (n + 1)
    rest = 1 - rate or (n - count + 0.5) / (n + 1)  # of more answers than its digits can tell, all right, a rate is 1
    z = float(ndtri(rate)) if rate < 1 else -float(ndtri(rest))
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return z, float(rate * rest / (n * density**2))


def position_bias(chose_first: ArrayLike, chose_second: ArrayLike, units: ArrayLike) -> dict[str, Estimate]:
    """Of presented comparisons with a usable answer the share answered first, second and tie, and first minus second.

    The units are the two images of each, a row each; or its cluster, such as the sample that was shown in both orders.
    """
    first, second = np.asarray(chose_first, dtype=float), np.asarray(chose_second, dtype=float)
    units = np.asarray(units)
    columns = {
        "first_rate": first,
        "second_rate": second,
        "tie_rate": 1 - first - second,
        "position_bias": first - second,
    }
    if not len(first):
        return dict.fromkeys(columns, Estimate(None, n=0, note="no usable answers"))
    mean: Callable[..., Estimate] = image_mean if units.ndim == 2 else clustered_mean
    return {
        name: mean(column, units, lowest=-1.0 if name == "position_bias" else 0.0) for name, column in columns.items()
    }
