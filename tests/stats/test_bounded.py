"""Maximum likelihood within a bound, against hand-worked cases and a general optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint, minimize
from scipy.special import log_expit, log_ndtr
from scipy.stats import norm

from qbench.pairing import coarse_rounds
from qbench.stats.likelihood import fit_bounded, logit, probit
from qbench.stats.pairwise import Comparisons, count_strong_components, unconnected_groups
from qbench.stats.ranking import METHODS

WIDTH = norm.isf(1e-6)
LINKS = {"probit": (probit, log_ndtr), "logit": (logit, log_expit)}


def noiseless(n: int, rounds: int, upsets: int = 0) -> sparse.csr_array:
    """A judge who prefers the higher index, but for some answers: nearly no study of it has a finite maximum."""
    pairs = np.sort(coarse_rounds(n, rounds).reshape(-1, 2), axis=1)
    pairs[:upsets] = pairs[:upsets, ::-1]
    return sparse.coo_array((np.ones(len(pairs)), (pairs[:, 1], pairs[:, 0])), shape=(n, n)).tocsr()


def test_one_win_is_held_at_the_bound() -> None:
    one = Comparisons.of([("a", "b", "first")])
    ranking = METHODS["mle-bounded"](one)
    assert ranking.scores == pytest.approx([WIDTH / 2, -WIDTH / 2], abs=1e-6)
    assert (ranking.at_bound, ranking.low) == (("a", "b"), None)
    odds = METHODS["bt-bounded"](one)
    assert odds.scores[0] - odds.scores[1] == pytest.approx(np.log(999_999), abs=2e-6)


def test_an_unbeaten_item_above_two_that_contradict_each_other() -> None:
    # b beat c in three of four. With a at the bound above c, and b a step x above c, the likelihood
    # log Phi(W - x) + 3 log Phi(x) + log Phi(-x) is largest where the slopes 3 m(x) = m(-x) + m(W - x), m = phi / Phi.
    rows = [("a", "b", "first"), ("a", "c", "first"), *[("b", "c", "first")] * 3, ("c", "b", "first")]
    ranking = METHODS["mle-bounded"](Comparisons.of(rows))
    step = ranking.scores[1] - ranking.scores[2]
    slope = norm.pdf([step, -step, WIDTH - step]) / norm.cdf([step, -step, WIDTH - step])
    assert 3 * slope[0] == pytest.approx(slope[1] + slope[2], abs=1e-5)
    assert ranking.scores[0] - ranking.scores[2] == pytest.approx(WIDTH, abs=2e-6)
    assert ranking.at_bound == ("a", "c")


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize(("rounds", "upsets"), [(3, 0), (4, 2), (12, 1)])
def test_same_optimum_as_a_general_optimiser(name: str, rounds: int, upsets: int) -> None:
    link, log_chance = LINKS[name]
    wins = noiseless(8, rounds, upsets)
    assert len(unconnected_groups(wins)) == 1 < count_strong_components(wins)
    ours = fit_bounded(wins, link, WIDTH)
    dense = wins.toarray()

    def loss(s: np.ndarray) -> float:
        return -float(np.sum(dense * log_chance(s[:, None] - s)))

    differences = np.array([np.eye(8)[i] - np.eye(8)[j] for i in range(8) for j in range(i)])
    bound = LinearConstraint(differences, -WIDTH, WIDTH)
    theirs = minimize(loss, np.zeros(8), method="SLSQP", constraints=[bound], options={"ftol": 1e-13, "maxiter": 999})
    assert -ours.log_likelihood == pytest.approx(theirs.fun, abs=1e-9)
    assert loss(ours.scores) == pytest.approx(theirs.fun, abs=1e-5)
    assert ours.scores == pytest.approx(theirs.x - theirs.x.mean(), abs=1e-3)
    assert ours.scores.sum() == pytest.approx(0, abs=1e-5)


def test_the_unbounded_maximum_is_kept_where_it_exists_within_the_bound() -> None:
    rows = [("a", "b", "first")] * 3 + [("b", "a", "first"), ("b", "c", "first"), ("c", "a", "first")]
    free, bounded = METHODS["mle"](Comparisons.of(rows)), METHODS["mle-bounded"](Comparisons.of(rows))
    assert bounded.scores == pytest.approx(free.scores, abs=1e-12)
    assert bounded.low == pytest.approx(free.low, abs=1e-12)
    assert bounded.at_bound == ()
