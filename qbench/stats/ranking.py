"""Ways to turn paired comparisons into one score per item: the 2AFC paper's (arXiv 2402.01162, Sec. II-B and Table V)
and Bradley-Terry.

Each takes the same `Comparisons` and uses every row of it. For the paper's rule, by which only pairs answered alike in
both orders count, pass `count_votes(comparisons, "consistent").counted`. A tie is half a win for both items (for
TrueSkill, a draw); unscored rows count for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, eigs
from scipy.special import erfcx, ndtr, ndtri

from qbench.errors import UndefinedError
from qbench.records import LEVEL
from qbench.stats.correlation import Array
from qbench.stats.likelihood import Fit, Link, fit, fit_bounded, fit_map, logit, probit, resolved
from qbench.stats.pairwise import Comparisons, PairOutcome, count_strong_components, unconnected_groups, win_matrix

LEAST_CHANCE = 1e-6
"""The chance of winning that a bounded ranking leaves every item against every other."""
_DENSE_ITEMS = 500
"""Up to here all eigenvectors of a matrix cost less than a search for one."""
_RESTARTS = 500
_FINEST_SHARE = 1e-9
"""Entries of an eigenvector this small against the largest have too few exact digits left for a logarithm."""
MEAN, SD = 25.0, 25.0 / 3
"""TrueSkill's belief about an item before its first comparison (the paper's defaults, as are the next two)."""
BETA = SD / 2
"""Spread of one performance around the item's quality."""
TAU = SD / 100
"""Spread added to a belief before each comparison."""
DRAW_PROBABILITY = 0.1
"""The default of the Python package trueskill."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores of all items, higher is better, in the method's own unit. It exists only if the method converged."""

    items: tuple[str, ...]
    scores: Array
    method: str
    standard_errors: Callable[[], Array | None] = field(repr=False)
    """Left until `low` or `high` asks: inverting the Hessian costs more than finding the scores."""
    note: str | None = None
    """Why there are no intervals."""
    log_likelihood: float | None = None
    iterations: int | None = None
    at_bound: tuple[str, ...] = ()
    """Items of a bounded ranking whose score the bound holds."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The items of each group that no comparison links to another, where there are several: their scores cannot be
    compared. An item that was never counted is a group of its own."""

    @property
    def order(self) -> list[int]:
        """Places in `items`, best first; equal scores stay in the order of `items`."""
        return [int(place) for place in np.argsort(-self.scores, kind="stable")]

    @property
    def ranks(self) -> list[int]:
        """Rank of each item, 1 is best; equal scores share the better rank."""
        return [int(better) + 1 for better in np.searchsorted(np.sort(-self.scores), -self.scores)]

    @property
    def low(self) -> Array | None:
        """Lower ends of the items' intervals; None with a `note` where there are none."""
        return None if self._half_widths is None else self.scores - self._half_widths

    @property
    def high(self) -> Array | None:
        """Upper ends of the items' intervals; None with a `note` where there are none."""
        return None if self._half_widths is None else self.scores + self._half_widths

    @cached_property
    def _half_widths(self) -> Array | None:
        errors = self.standard_errors()
        return None if errors is None else float(ndtri(0.5 + LEVEL / 2)) * errors


def map_scores(comparisons: Comparisons) -> Ranking:
    """Thurstone Case V scores with a standard normal prior, summing to zero (2AFC paper, Eqs. 1-2).

    Exists whenever anything was compared; items never compared stay at zero with the prior's width. Intervals are the
    normal approximation of the posterior at its maximum.
    """
    wins = _checked_wins(comparisons)
    return replace(_from_fit(comparisons, "map", fit_map(wins)), groups=_groups(comparisons.items, wins))


def perron_scores(comparisons: Comparisons) -> Ranking:
    """Logarithm of the principal eigenvector of the reciprocal comparison matrix, summing to zero.

    Saaty and Vargas (1984), whom the paper cites, take the Perron vector x of a positive matrix of ratios,
    a_ji = 1 / a_ij. The paper does not say how counts become ratios; we take the odds under Laplace's rule of
    succession, a_ij = (C_ij + 1) / (C_ji + 1), which stay finite when one side always won. Pairs never compared are
    left to the others as in Harker (1987): a_ij = 0 and one more on the diagonal for each, which keeps the matrix
    sparse and equals filling in x_i / x_j. If all a_ij agree, the scores are exactly their log-odds.
    """
    wins = _connected_wins(comparisons)
    scores = np.log(_perron_vector(_reciprocal_matrix(wins)))
    return Ranking(
        items=comparisons.items,
        scores=resolved(scores - scores.mean()),
        method="perron",
        standard_errors=lambda: None,
        note="the eigenvector method has no sampling model, so it has no intervals",
    )


def trueskill_scores(comparisons: Comparisons) -> Ranking:
    """Mean of each item's TrueSkill belief with the published defaults (25 to start with, draws at 10 %).

    One pass in asking order: another order of the same comparisons gives somewhat other scores.
    """
    groups = _groups(comparisons.items, _checked_wins(comparisons))
    mean, sd = update_beliefs(comparisons)
    return Ranking(comparisons.items, mean, "trueskill", standard_errors=lambda: sd, groups=groups)


def update_beliefs(comparisons: Comparisons, draw_probability: float = DRAW_PROBABILITY) -> tuple[Array, Array]:
    """TrueSkill's mean and standard deviation of what is believed about each item's quality after all comparisons.

    For two players (Herbrich, Minka and Graepel, NIPS 2006). Beliefs are updated one comparison after the other, so the
    result depends on their order; it is not the posterior of all comparisons at once. Unscored ones change nothing.
    """
    margin = float(ndtri((1 + draw_probability) / 2)) * math.sqrt(2) * BETA
    n = len(comparisons.items)
    mean, variance = [MEAN] * n, [SD**2] * n
    rows = zip(comparisons.first.tolist(), comparisons.second.tolist(), comparisons.outcome.tolist(), strict=True)
    for winner, loser, outcome in rows:
        if outcome == PairOutcome.UNSCORED:
            continue
        if outcome == PairOutcome.SECOND:
            winner, loser = loser, winner
        before_winner, before_loser = variance[winner] + TAU**2, variance[loser] + TAU**2
        spread = math.sqrt(2 * BETA**2 + before_winner + before_loser)
        lead = (mean[winner] - mean[loser]) / spread
        shift, shrink = (_drawn if outcome == PairOutcome.TIE else _won)(lead, margin / spread)
        mean[winner] += before_winner / spread * shift
        mean[loser] -= before_loser / spread * shift
        variance[winner] = before_winner * (1 - before_winner / spread**2 * shrink)
        variance[loser] = before_loser * (1 - before_loser / spread**2 * shrink)
    return np.array(mean), np.sqrt(variance)


def _won(lead: float, margin: float) -> tuple[float, float]:
    """Mean (v) and variance (w) corrections after a win by the item that leads by `lead`."""
    x = lead - margin
    v = math.sqrt(2 / math.pi) / float(erfcx(-x / math.sqrt(2)))  # density over distribution, exact in both tails
    return v, v * (v + x)


def _drawn(lead: float, margin: float) -> tuple[float, float]:
    """The same after a tie. They are odd and even in `lead`; its absolute value keeps the tail numbers accurate."""
    low, high = -margin - abs(lead), margin - abs(lead)
    chance = float(ndtr(high) - ndtr(low))
    if chance > 0:
        v = (_pdf(low) - _pdf(high)) / chance
        w = v**2 + (high * _pdf(high) - low * _pdf(low)) / chance
    else:
        v, w = high, 1.0
    return (v if lead > 0 else -v), w


def _pdf(x: float) -> float:
    return math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def rescale(scores: Array) -> Array:
    """Scores stretched to 0-100, as the paper does; of equal ones stretching would blow up rounding noise."""
    lowest, highest = scores.min(), scores.max()
    if np.isclose(lowest, highest, rtol=0, atol=1e-8):
        raise UndefinedError("all scores are equal, so they have no 0-100 scale")
    stretched: Array = 100 * (scores - lowest) / (highest - lowest)
    return stretched


def _checked_wins(comparisons: Comparisons) -> sparse.csr_array:
    wins = win_matrix(comparisons)
    if wins.nnz == 0:
        raise UndefinedError("no comparison prefers or ties any items, so there is nothing to rank")
    return wins


def _groups(items: tuple[str, ...], wins: sparse.csr_array) -> tuple[tuple[str, ...], ...]:
    groups = unconnected_groups(wins)
    return tuple(tuple(items[place] for place in group) for group in groups) if len(groups) > 1 else ()


def _connected_wins(comparisons: Comparisons) -> sparse.csr_array:
    """Wins whose items are all linked, for those of different groups have no ratio."""
    wins = _checked_wins(comparisons)
    groups = len(unconnected_groups(wins))
    if groups > 1:
        raise UndefinedError(f"the comparisons fall into {groups} unconnected groups of items; use map or trueskill")
    return wins


def _maximum_likelihood(comparisons: Comparisons, method: str, link: Link) -> Ranking:
    """Scores of maximum likelihood, summing to zero, unregularised (2AFC paper, Eq. 1; Tsukida and Gupta, 2011)."""
    wins = _checked_wins(comparisons)
    groups = count_strong_components(wins)
    if groups > 1:
        raise UndefinedError(
            f"maximum likelihood needs a chain of wins from every item to every other, and these comparisons fall into "
            f"{groups} groups without one; use map, whose prior keeps scores finite, or {method}-bounded"
        )
    return _from_fit(comparisons, method, fit(wins, link, ridge=0.0))


def _within_bound(comparisons: Comparisons, method: str, link: Link, width: float) -> Ranking:
    """The same, no two scores further apart than makes the one's chance `LEAST_CHANCE`, odds of a million to one.

    Where some item never loses, its score is held at the bound; `at_bound` names the items at both ends.
    """
    result = fit_bounded(_connected_wins(comparisons), link, width)
    at_bound = tuple(np.array(comparisons.items, dtype=object)[result.at_bound].tolist())
    ranking = replace(_from_fit(comparisons, method, result), at_bound=at_bound)
    if not at_bound:
        return ranking
    note = "the bound holds some scores, so there are no intervals"
    return replace(ranking, standard_errors=lambda: None, note=note)


def _from_fit(comparisons: Comparisons, method: str, result: Fit) -> Ranking:
    return Ranking(
        items=comparisons.items,
        scores=result.scores,
        method=method,
        standard_errors=result.standard_errors,
        note=None if result.invertible else "too many items to invert the Hessian for intervals",
        log_likelihood=result.log_likelihood,
        iterations=result.iterations,
    )


def _reciprocal_matrix(wins: sparse.csr_array) -> sparse.csr_array:
    """Ratios of compared pairs; on the diagonal, 1 plus how many other items the item was not compared with."""
    compared = (wins + wins.T).tocsr()
    compared.data[:] = 1.0
    ratios = (wins + compared).multiply((wins.T + compared).power(-1)).tocsr()
    partners = np.diff(compared.indptr)
    return (ratios + sparse.diags_array(wins.shape[0] - partners.astype(float))).tocsr()


def _perron_vector(matrix: sparse.csr_array) -> Array:
    """The positive eigenvector, summing to one."""
    n = matrix.shape[0]
    if n <= _DENSE_ITEMS:
        values, vectors = linalg.eig(matrix.toarray())
        vector: Array = vectors[:, int(np.argmax(values.real))].real
    else:
        try:
            _, vectors = eigs(matrix, k=1, which="LR", v0=np.ones(n), maxiter=_RESTARTS)
        except ArpackNoConvergence as error:
            raise UndefinedError("the search for the principal eigenvector did not converge; use map") from error
        vector = vectors[:, 0].real
    vector = vector / vector.sum()
    if vector.min() < _FINEST_SHARE * vector.max():
        raise UndefinedError("the principal eigenvector spans more than double precision resolves; use map")
    return vector


METHODS: Mapping[str, Callable[[Comparisons], Ranking]] = {
    "map": map_scores,
    "mle": partial(_maximum_likelihood, method="mle", link=probit),
    "mle-bounded": partial(_within_bound, method="mle-bounded", link=probit, width=-float(ndtri(LEAST_CHANCE))),
    "perron": perron_scores,
    "trueskill": trueskill_scores,
    "bt": partial(_maximum_likelihood, method="bt", link=logit),
    "bt-bounded": partial(_within_bound, method="bt-bounded", link=logit, width=math.log(1 / LEAST_CHANCE - 1)),
}
"""Name -> how it ranks: Thurstone's Case V with the paper's prior (map), by maximum likelihood, and within a bound; the
eigenvector; TrueSkill; Bradley and Terry (1952) by maximum likelihood, and within a bound."""
