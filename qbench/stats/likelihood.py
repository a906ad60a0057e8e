"""The most likely scores given who was preferred to whom: Newton's method for MAP, MLE and Bradley-Terry.

It maximises, over scores s that sum to zero,

    sum_ij C_ij log F(s_i - s_j) - ridge / 2 * sum_i s_i^2

where C_ij counts how often i was preferred to j and F is the normal (Thurstone Case V; 2AFC paper, arXiv 2402.01162,
Eqs. 1-2 with ridge 1) or the logistic distribution (Bradley-Terry). The objective is concave in s for both. Likelihood
and ridge both leave the mean of s in place, so starting at zero keeps the sum at zero.

Without ridge the maximum exists only where a chain of wins leads from every item to every other. `fit_bounded` finds
the best scores that lie within a given distance of each other, so that no item's chance against any other falls below a
least one; these always exist. The code released with the 2AFC paper takes no chance for less than 1e-6 either
(https://github.com/h4nwei/2AFC-LMMs, TwoAFC.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import cg
from scipy.special import erfcx, expit, log_expit, log_ndtr

from qbench.errors import UndefinedError
from qbench.stats.correlation import Array
from qbench.stats.pairwise import count_strong_components

_TOLERANCE = 1e-9
"""Stop once the next Newton step, which is how far the maximum still lies, is smaller than this."""
_ITERATIONS = 100
_INVERTIBLE_ITEMS = 3_000
"""Up to here inverting the Hessian takes seconds and 0.2 GB; its cost grows with the cube."""
_ROUNDING = 1e-14
"""Share of the objective that rounding may take from it."""
_LINEAR_TOLERANCE = 1e-6
_BOUNDED_DIGITS = 6
"""Decimals that bounded scores are known to."""
RESAMPLES = 200
"""Enough for a standard error: its own is then 5 % of it."""


class LogChance(NamedTuple):
    """log F at x, its first derivative, and minus its second, which is never negative."""

    value: Array
    slope: Array
    curvature: Array


Link = Callable[[Array], LogChance]


def probit(x: Array) -> LogChance:
    """The standard normal distribution: Thurstone Case V."""
    slope = np.sqrt(2 / np.pi) / erfcx(-x / np.sqrt(2))  # density over distribution, exact in both tails
    return LogChance(log_ndtr(x), slope, np.clip(slope * (slope + x), 0.0, 1.0))


def logit(x: Array) -> LogChance:
    """The logistic distribution: Bradley-Terry."""
    return LogChance(log_expit(x), expit(-x), expit(x) * expit(-x))


@dataclass(frozen=True, eq=False)
class Fit:
    """The maximum and its surroundings."""

    scores: Array
    log_likelihood: float
    """Without the ridge."""
    iterations: int
    information: sparse.csr_array
    """Minus the Hessian at the maximum."""
    ridge: float
    at_bound: NDArray[np.bool_] | None = None
    """Which scores a bound holds; None of a fit without one."""

    @property
    def invertible(self) -> bool:
        """Whether the items are few enough to invert the information."""
        return len(self.scores) <= _INVERTIBLE_ITEMS

    def standard_errors(self) -> Array | None:
        """Square roots of the diagonal of the inverse information on the zero-sum plane; None if not `invertible`."""
        if not self.invertible:
            return None
        n = len(self.scores)
        # The constant direction, which the plane leaves out, is an eigenvector with the ridge as eigenvalue. Raised
        # to 1 it makes the matrix invertible, and its share of the inverse is 1/n everywhere.
        full = self.information.toarray() + (1 - self.ridge) / n
        half = linalg.solve_triangular(linalg.cholesky(full, lower=True), np.eye(n), lower=True)
        errors: Array = np.sqrt((half**2).sum(axis=0) - 1 / n)
        return errors


def fit_map(wins: sparse.csr_array) -> Fit:
    """Thurstone Case V with the 2AFC paper's prior (Eq. 2)."""
    return fit(wins, probit, ridge=1.0)


def fit(wins: sparse.csr_array, link: Link, *, ridge: float) -> Fit:
    """Maximise by Newton's method with a backtracking line search; entry [i, j] is how often i was preferred to j.

    The ridge is the precision of the normal prior around zero; with 0 the win graph must be strongly connected.
    """
    objective = _Objective(wins, link, ridge)
    scores = np.zeros(wins.shape[0])
    state = objective.evaluate(scores)
    for iteration in range(1, _ITERATIONS + 1):
        information = objective.information(state)
        step = _solve(information, state.gradient - state.gradient.mean())
        step -= step.mean()
        if np.abs(step).max() <= _TOLERANCE:
            return Fit(resolved(scores), state.log_likelihood, iteration, information, ridge)
        scores, state = _line_search(objective, scores, state, step)
    raise UndefinedError(f"the ranking did not converge in {_ITERATIONS} Newton iterations")


def fit_bounded(wins: sparse.csr_array, link: Link, width: float) -> Fit:
    """Maximise the likelihood over scores that lie within `width` of each other, by L-BFGS-B.

    Where the unbounded maximum exists and keeps to the bound, it is the answer. All items must be linked by
    comparisons.
    """
    from scipy.optimize import minimize

    try:
        free = fit(wins, link, ridge=0.0) if count_strong_components(wins) == 1 else None
    except UndefinedError:
        free = None  # its maximum is beyond double precision, hence far beyond the bound
    if free is not None and np.ptp(free.scores) <= width:
        return replace(free, at_bound=np.zeros(len(free.scores), dtype=bool))
    objective = _Objective(wins, link, ridge=0.0)

    def loss(scores: Array) -> tuple[float, Array]:
        state = objective.evaluate(scores)
        return -state.value, -state.gradient

    found = minimize(
        loss,
        np.clip(fit_map(wins).scores + width / 2, 0.0, width),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, width)] * wins.shape[0],
        options={"ftol": 0.0, "gtol": _TOLERANCE, "maxcor": 30, "maxiter": 10_000, "maxfun": 100_000, "maxls": 50},
    )
    if not found.success:
        raise UndefinedError(f"the bounded ranking did not converge: {found.message.casefold()}")
    scores: Array = found.x
    state = objective.evaluate(scores)
    at_bound = (scores == 0.0) | (scores == width)
    settled = resolved(scores - scores.mean(), _BOUNDED_DIGITS)
    return Fit(settled, state.log_likelihood, int(found.nit), objective.information(state), 0.0, at_bound)


def cluster_errors(wins: Sequence[sparse.csr_array], rng: np.random.Generator, resamples: int = RESAMPLES) -> Array:
    """How far each item's MAP score varies when as many clusters, such as all votes of one person, are drawn anew.

    A bootstrap that draws whole clusters, of each of which this has the wins (Efron and Tibshirani, An Introduction to
    the Bootstrap, 1993, Sec. 8.3).
    """
    size = wins[0].shape[0]
    each = np.stack([matrix.toarray().ravel() for matrix in wins])
    drawn = rng.multinomial(len(wins), np.full(len(wins), 1 / len(wins)), size=resamples)
    scores = [fit_map(sparse.csr_array((times @ each).reshape(size, size))).scores for times in drawn]
    errors: Array = np.std(scores, axis=0, ddof=1)
    return errors


def resolved(scores: Array, digits: int = round(-math.log10(_TOLERANCE))) -> Array:
    """Cut digits beyond the solvers' precision, which would put tied items in a made-up order."""
    cut: Array = np.round(scores, digits) + 0.0  # the sum turns -0.0 into 0.0
    return cut


class _State(NamedTuple):
    """The objective at some scores, and its derivatives."""

    value: float
    log_likelihood: float
    gradient: Array
    weights: Array
    """Curvature of each entry of the win matrix."""


class _Objective:
    """The log-likelihood of scores less the ridge, its gradient and minus its Hessian."""

    def __init__(self, wins: sparse.csr_array, link: Link, ridge: float) -> None:
        entries = wins.tocoo()
        self.winner, self.loser = entries.coords
        self.count: Array = entries.data
        self.n: int = wins.shape[0]
        self.rows = np.concatenate([np.arange(self.n), self.winner, self.loser])
        self.columns = np.concatenate([np.arange(self.n), self.loser, self.winner])
        self.link = link
        self.ridge = ridge

    def evaluate(self, scores: Array) -> _State:
        chance = self.link(scores[self.winner] - scores[self.loser])
        pull = self.count * chance.slope
        log_likelihood = float(self.count @ chance.value)
        return _State(
            value=log_likelihood - self.ridge / 2 * float(scores @ scores),
            log_likelihood=log_likelihood,
            gradient=self._per_item(self.winner, pull) - self._per_item(self.loser, pull) - self.ridge * scores,
            weights=self.count * chance.curvature,
        )

    def information(self, state: _State) -> sparse.csr_array:
        degree = self._per_item(self.winner, state.weights) + self._per_item(self.loser, state.weights)
        entries = np.concatenate([degree + self.ridge, -state.weights, -state.weights])
        return sparse.coo_array((entries, (self.rows, self.columns)), shape=(self.n, self.n)).tocsr()

    def _per_item(self, index: NDArray[np.intp], values: Array) -> Array:
        return np.asarray(np.bincount(index, values, minlength=self.n), dtype=np.float64)


def _solve(information: sparse.csr_array, gradient: Array) -> Array:
    """The Newton step: information * step = gradient, by preconditioned conjugate gradients.

    The cost is linear in distinct pairs, where a direct solver would fill in. Without ridge the information is
    singular along the constant direction, which does no harm to a gradient that sums to zero.
    """
    inverse = sparse.diags_array(1 / information.diagonal())
    most = 10 * len(gradient) + 100
    step, failed = cg(information, gradient, rtol=_LINEAR_TOLERANCE, maxiter=most, M=inverse)
    if failed:
        raise UndefinedError("the ranking did not converge: its Hessian is singular in double precision")
    return np.asarray(step, dtype=np.float64)


def _line_search(objective: _Objective, scores: Array, state: _State, step: Array) -> tuple[Array, _State]:
    """Halve the step until it gains a fair share of what its slope promises (Armijo's rule)."""
    promise = float(state.gradient @ step)
    rounding = _ROUNDING * abs(state.value)
    length = 1.0
    while length > 1e-10:
        moved = scores + length * step
        ahead = objective.evaluate(moved)
        if ahead.value >= state.value + 1e-4 * length * promise - rounding:
            return moved, ahead
        length /= 2
    raise UndefinedError("the ranking did not converge: no step along the Newton direction improves it")
