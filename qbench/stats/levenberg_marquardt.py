"""Least squares by Levenberg and Marquardt's steps, as MINPACK's `lmder` takes them.

Published figures were fitted with MINPACK, through SciPy's `curve_fit`. From SciPy 1.15 on its translation reads a
number beside the matrix (`qrfac`), so that the same data came to another curve in the next run where a curve fits
badly. This takes the same steps by a singular value decomposition; of 991 simulated rankings of 5 to 8 images it and
MINPACK of SciPy 1.13 end at the same logistic curve of all but 19, and of 600 of 8 to 80 images of all but 3.

More, Jorge J.: The Levenberg-Marquardt algorithm: implementation and theory (1978).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qbench.errors import UndefinedError

Array = NDArray[np.float64]

CLOSE = 1.49012e-8
"""MINPACK's own end."""
_FIRST_RADIUS = 100.0
"""How far the first step may go, times the length of the scaled parameters."""
_WITHIN = 0.1
"""A step is as long as the radius where it differs from it by less than this share."""
_TRIES, _TRIES_OF_STEP = 10, 100
"""How often a damping is looked for, and a step made shorter; MINPACK's have no such end where numbers overflow."""
_ENOUGH, _GOOD, _POOR = 1e-4, 0.75, 0.25
"""Shares of the expected gain above which a step is taken, and the radius grows; below the last one it shrinks."""
_FAR_WORSE = -1.0
"""The gain of a step that makes the errors ten times as large, or leads to what is no number."""
_EPSILON = float(np.finfo(float).eps)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # where a step goes too far, which is not taken
def least_squares(
    errors: Callable[[Array], Array],
    slopes: Callable[[Array], Array],
    start: ArrayLike,
    *,
    most_steps: int = 10_000,
    close: float = CLOSE,
) -> Array:
    """The parameters at the minimum of the sum of squared errors that steps down from a start reach.

    Args:
        errors: Parameters -> one error for each datum.
        slopes: Parameters -> how each error changes with each of them, a row for each datum.
        start: Where the steps begin.
        most_steps: Slopes are asked for no more often.
        close: It ends where a step changes the sum of squares, or the parameters, by a smaller share.

    Raises:
        UndefinedError: A step led to what is not finite, or there were too many.
    """
    place = np.array(start, dtype=float)
    left = errors(place)
    length = _norm(left)
    scale, radius, damping = np.zeros_like(place), 0.0, 0.0
    for step in range(most_steps):
        matrix = slopes(place)
        if not (np.isfinite(matrix).all() and np.isfinite(length)):
            raise UndefinedError("the least-squares fit diverged")
        if length == 0:
            return place
        norms = np.sqrt((matrix * matrix).sum(axis=0))
        if step == 0:
            scale = np.where(norms == 0, 1.0, norms)
            radius = _FIRST_RADIUS * _norm(scale * place) or _FIRST_RADIUS
        scale = np.maximum(scale, norms)
        sides, strengths, turns = np.linalg.svd(matrix / scale, full_matrices=False)
        pull = (sides * left[:, None]).sum(axis=0)
        for _ in range(_TRIES_OF_STEP):
            damping, turned = _damped(strengths, pull, radius, damping)
            moved = -(turns.T @ turned)
            reach = _norm(moved)
            radius = min(radius, reach) if step == 0 else radius
            there = place + moved / scale
            left_there = errors(there)
            gain = _gain(_norm(left_there), length)
            straight, held = (_norm(strengths * turned) / length) ** 2, damping * (reach / length) ** 2
            expected = straight + 2 * held
            share = gain / expected if expected else 0.0
            radius, damping = _adjusted(radius, damping, reach, gain, share, straight + held)
            taken = share >= _ENOUGH
            if taken:
                place, left, length = there, left_there, _norm(left_there)
            settled = abs(gain) <= close and expected <= close and share <= 2
            if settled or radius <= close * _norm(scale * place):
                return place
            if taken:
                break
        else:
            break
    raise UndefinedError("the least-squares fit did not converge")


def _gain(length_there: float, length: float) -> float:
    """The share of the sum of squares that a step takes away."""
    return 1 - (length_there / length) ** 2 if 0.1 * length_there < length else _FAR_WORSE


def _adjusted(
    radius: float, damping: float, reach: float, gain: float, share: float, slope: float
) -> tuple[float, float]:
    """Radius and damping after a step: smaller and larger where it gained too little, the other way where much."""
    if share > _POOR:
        return (2 * reach, damping / 2) if damping == 0 or share >= _GOOD else (radius, damping)
    cut = 0.5 if gain >= 0 else 0.5 * slope / (slope - 0.5 * gain)
    cut = 0.1 if gain == _FAR_WORSE else max(cut, 0.1)
    return cut * min(radius, 10 * reach), damping / cut


def _damped(strengths: Array, pull: Array, radius: float, damping: float) -> tuple[float, Array]:
    """The damping under which the step is as long as the radius, and the step, both in singular directions."""
    known = strengths > len(strengths) * _EPSILON * strengths[0]
    step = np.where(known, pull / np.where(known, strengths, 1.0), 0.0)
    beyond = _norm(step) - radius
    if beyond <= _WITHIN * radius:
        return 0.0, step
    low = beyond / radius / _bend(step, strengths, 0.0) if known.all() else 0.0
    gradient = _norm(strengths * pull)
    high = gradient / radius
    damping = min(max(damping, low), high) or gradient / _norm(step)
    for _ in range(_TRIES):
        before = beyond
        step = strengths * pull / (strengths**2 + damping)
        beyond = _norm(step) - radius
        if abs(beyond) <= _WITHIN * radius or (low == 0 and beyond <= before < 0):
            break
        if beyond > 0:
            low = max(low, damping)
        else:
            high = min(high, damping)
        damping = max(low, damping + beyond / radius / _bend(step, strengths, damping))
    return damping, step


def _bend(step: Array, strengths: Array, damping: float) -> float:
    """How fast the length of a step falls with the damping, as a share of it."""
    share: float = (step * step / (strengths**2 + damping)).sum() / (step * step).sum()
    return share


def _norm(vector: Array) -> float:
    length: float = np.sqrt((vector * vector).sum())
    return length
