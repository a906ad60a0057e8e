"""The most likely scores given who was preferred to whom: one Newton solver for MAP, MLE and Bradley-Terry.

It maximises, over scores s that sum to zero,

    sum_ij C_ij log F(s_i - s_j) - ridge / 2 * sum_i s_i^2

where C_ij counts how often i was preferred to j and F is the normal (Thurstone Case V; 2AFC paper, arXiv 2402.01162,
Eqs. 1-2 with ridge 1) or the logistic distribution (Bradley-Terry). The objective is concave in s for both. Likelihood
and ridge both leave the mean of s in place, so starting at zero keeps the sum at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.special import erfcx, expit, log_expit, log_ndtr

from qbench.errors import UndefinedError

Array = NDArray[np.float64]

_INVERTIBLE_ITEMS = 3_000
"""Up to here inverting the Hessian takes seconds and 0.2 GB; its cost grows with the cube."""
_ITERATIONS = 100
_DECIMALS = 9
_TOLERANCE = 10.0**-_DECIMALS
"""Stop once the next Newton step, which is how far the maximum still lies, is smaller than this."""
_LINEAR_TOLERANCE = 1e-6


class Curve(NamedTuple):
    """log F at x, its first derivative, and minus its second, which is never negative."""

    value: Array
    slope: Array
    curvature: Array


Link = Callable[[Array], Curve]


def probit(x: Array) -> Curve:
    """The standard normal distribution: Thurstone Case V."""
    slope = np.sqrt(2 / np.pi) / erfcx(-x / np.sqrt(2))  # density over distribution, exact in both tails
    return Curve(log_ndtr(x), slope, np.clip(slope * (slope + x), 0.0, 1.0))


def logit(x: Array) -> Curve:
    """The logistic distribution: Bradley-Terry."""
    return Curve(log_expit(x), expit(-x), expit(x) * expit(-x))


@dataclass(frozen=True, eq=False)
class Fit:
    """The maximum and its surroundings."""

    scores: Array
    log_likelihood: float
    """Without the ridge."""
    iterations: int
    residual: float
    """Largest entry of the gradient that is left."""
    information: sparse.csr_array
    """Minus the Hessian at the maximum."""
    ridge: float

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
    """Maximise by Newton's method with a backtracking line search.

    Args:
        wins: Entry [i, j] is how often i was preferred to j.
        link: `probit` or `logit`.
        ridge: Precision of the normal prior around zero; with 0 the win graph must be strongly connected.

    Raises:
        UndefinedError: If the iteration does not converge.
    """
    model = _Model(wins, link, ridge)
    scores = np.zeros(wins.shape[0])
    state = model.evaluate(scores)
    for iteration in range(1, _ITERATIONS + 1):
        information = model.information(state)
        step = _newton_step(information, state.gradient)
        if np.abs(step).max() <= _TOLERANCE:
            return Fit(
                scores=resolved(scores),
                log_likelihood=state.log_likelihood,
                iterations=iteration,
                residual=float(np.abs(state.gradient).max()),
                information=information,
                ridge=ridge,
            )
        scores, state = _line_search(model, scores, state, step)
    raise UndefinedError(f"the ranking did not converge in {_ITERATIONS} Newton iterations")


def resolved(scores: Array) -> Array:
    """Cut digits beyond the solvers' precision, which would put tied items in a made-up order."""
    cut: Array = np.round(scores, _DECIMALS) + 0.0  # the sum turns -0.0 into 0.0
    return cut


class _State(NamedTuple):
    objective: float
    log_likelihood: float
    gradient: Array
    weights: Array
    """Curvature of each entry of the win matrix."""


class _Model:
    """The objective of `fit`, its gradient and minus its Hessian."""

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
        curve = self.link(scores[self.winner] - scores[self.loser])
        pull = self.count * curve.slope
        log_likelihood = float(self.count @ curve.value)
        return _State(
            objective=log_likelihood - self.ridge / 2 * float(scores @ scores),
            log_likelihood=log_likelihood,
            gradient=self._per_item(self.winner, pull) - self._per_item(self.loser, pull) - self.ridge * scores,
            weights=self.count * curve.curvature,
        )

    def information(self, state: _State) -> sparse.csr_array:
        degree = self._per_item(self.winner, state.weights) + self._per_item(self.loser, state.weights)
        entries = np.concatenate([degree + self.ridge, -state.weights, -state.weights])
        return sparse.coo_array((entries, (self.rows, self.columns)), shape=(self.n, self.n)).tocsr()

    def _per_item(self, index: NDArray[np.intp], values: Array) -> Array:
        return np.asarray(np.bincount(index, values, minlength=self.n), dtype=np.float64)


def _newton_step(information: sparse.csr_array, gradient: Array) -> Array:
    """Solve information * step = gradient on the zero-sum plane by preconditioned conjugate gradients.

    The cost is linear in distinct pairs, where a direct solver would fill in.
    """
    diagonal = information.diagonal()
    step, left = np.zeros(len(gradient)), _centred(gradient)
    scaled = left / diagonal
    direction, energy = scaled, float(left @ scaled)
    enough = _LINEAR_TOLERANCE * float(np.linalg.norm(left))
    for _ in range(10 * len(gradient) + 100):
        if np.linalg.norm(left) <= enough:
            return _centred(step)
        image = information @ direction
        length = energy / float(direction @ image)
        step += length * direction
        left -= length * image
        scaled = left / diagonal
        last, energy = energy, float(left @ scaled)
        direction = scaled + energy / last * direction
    raise UndefinedError("the ranking did not converge: its Hessian is singular in double precision")


def _centred(values: Array) -> Array:
    centred: Array = values - values.mean()
    return centred


def _line_search(model: _Model, scores: Array, state: _State, step: Array) -> tuple[Array, _State]:
    """Halve the step until it gains a fair share of what its slope promises (Armijo's rule)."""
    promise = float(state.gradient @ step)
    rounding = 1e-14 * abs(state.objective)
    length = 1.0
    while length > 1e-10:
        moved = scores + length * step
        ahead = model.evaluate(moved)
        if ahead.objective >= state.objective + 1e-4 * length * promise - rounding:
            return moved, ahead
        length /= 2
    raise UndefinedError("the ranking did not converge: no step along the Newton direction improves it")
