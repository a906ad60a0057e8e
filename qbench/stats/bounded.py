"""The most likely scores within a bound: maximum likelihood where one item never loses, which has no finite maximum.

All scores lie within `width` of each other, so that no item's chance against any other, F(s_i - s_j), falls below a
given least chance. The code released with the 2AFC paper takes no chance for less than 1e-6 either
(https://github.com/h4nwei/2AFC-LMMs, TwoAFC.py). Where the unbounded maximum exists and keeps to the bound, it is
the answer. The method is Bertsekas's projected Newton (SIAM J. Control Optim. 20, 1982).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qbench.errors import UndefinedError
from qbench.stats.likelihood import (
    ITERATIONS,
    ROUNDING,
    TOLERANCE,
    Array,
    Fit,
    Link,
    Objective,
    State,
    centred,
    fit,
    fit_map,
    resolved,
    solve,
)
from qbench.stats.pairwise import count_components

_NEAR = 1e-3
"""A score this near to an end, with its gradient pointing there, is moved along the end and not through it."""


class _Step(NamedTuple):
    direction: Array
    pinned: NDArray[np.bool_]
    """Scores that an end holds."""


def fit_bounded(wins: sparse.csr_array, link: Link, width: float) -> Fit:
    """Maximise the likelihood over scores that lie within `width` of each other.

    Args:
        wins: Entry [i, j] is how often i was preferred to j; every item must be linked to every other by comparisons.
        link: `probit` or `logit`.
        width: Largest difference of two scores.

    Raises:
        UndefinedError: If the iteration does not converge.
    """
    free = _unbounded(wins, link)
    if free is not None and np.ptp(free.scores) <= width:
        return replace(free, at_bound=np.zeros(len(free.scores), dtype=bool))
    objective = Objective(wins, link, ridge=0.0)
    scores = np.clip(fit_map(wins).scores + width / 2, 0.0, width)
    state = objective.evaluate(scores)
    for iteration in range(1, ITERATIONS + 1):
        information = objective.information(state)
        step = _step(information, scores, state.gradient, width)
        if np.abs(_projected(scores, step.direction, width) - scores).max() <= TOLERANCE:
            return Fit(
                scores=resolved(centred(scores)),
                log_likelihood=state.log_likelihood,
                iterations=iteration,
                residual=float(np.abs(np.where(step.pinned, 0.0, state.gradient)).max()),
                information=information,
                ridge=0.0,
                at_bound=(scores <= TOLERANCE) | (scores >= width - TOLERANCE),
            )
        scores, state = _search(objective, scores, state, step, width)
    raise UndefinedError(f"the bounded ranking did not converge in {ITERATIONS} Newton iterations")


def _unbounded(wins: sparse.csr_array, link: Link) -> Fit | None:
    if count_components(wins, strong=True) > 1:
        return None
    try:
        return fit(wins, link, ridge=0.0)
    except UndefinedError:
        return None  # its maximum is beyond double precision, hence far beyond the bound


def _step(information: sparse.csr_array, scores: Array, gradient: Array, width: float) -> _Step:
    """Newton's step for scores between the ends; for those at one, the gradient, which projection takes back."""
    near = min(_NEAR, float(np.abs(_projected(scores, gradient, width) - scores).max()))
    pinned = ((scores >= width - near) & (gradient > 0)) | ((scores <= near) & (gradient < 0))
    direction = gradient.copy()
    inside = np.flatnonzero(~pinned)
    if len(inside):
        block = information[inside][:, inside]
        pull = gradient[inside] if pinned.any() else centred(gradient)
        direction[inside] = solve(block.tocsr(), pull)
    return _Step(direction, pinned)


def _search(objective: Objective, scores: Array, state: State, step: _Step, width: float) -> tuple[Array, State]:
    """Halve the step, projected into the bound, until it gains a fair share of what its slope promises."""
    promised = float(step.direction[~step.pinned] @ state.gradient[~step.pinned])
    rounding = ROUNDING * abs(state.value)
    length = 1.0
    while length > 1e-10:
        moved = _projected(scores, length * step.direction, width)
        along = float(((moved - scores) * state.gradient)[step.pinned].sum())
        ahead = objective.evaluate(moved)
        if ahead.value >= state.value + 1e-4 * (length * promised + along) - rounding:
            return moved, ahead
        length /= 2
    raise UndefinedError("the bounded ranking did not converge: no step along the Newton direction improves it")


def _projected(scores: Array, step: Array, width: float) -> Array:
    moved: Array = np.clip(scores + step, 0.0, width)
    return moved
