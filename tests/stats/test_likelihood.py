"""Maximum likelihood, also within a bound, against hand-worked cases, general optimisers and a package by others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint, brentq, minimize
from scipy.stats import norm

from qbench.pairing import coarse_rounds
from qbench.stats.likelihood import cluster_errors, fit, fit_bounded, fit_map, logit, probit
from qbench.stats.pairwise import Comparisons, count_strong_components, unconnected_groups
from qbench.stats.ranking import METHODS

SPAN = np.linspace(-30, 30, 241)


def random_wins(n: int, rounds: int, seed: int) -> np.ndarray:
    """Noisy wins dense enough for a likelihood maximum to exist."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n) / 2
    wins = np.zeros((n, n))
    for _ in range(rounds):
        order = rng.permutation(n)[: n // 2 * 2].reshape(-1, 2)
        for i, j in order:
            i, j = (i, j) if quality[i] - quality[j] + rng.normal() > 0 else (j, i)
            wins[i, j] += 1
    return wins


def objective(scores, wins, log_chance, ridge):
    """The formula of the paper, entry by entry."""
    return np.sum(wins * log_chance(scores[:, None] - scores[None, :])) - ridge * np.sum(scores**2) / 2


LINKS = {"probit": (probit, norm.logcdf), "logit": (logit, lambda x: -np.log1p(np.exp(-x)))}


@pytest.mark.parametrize("name", LINKS)
def test_curves_are_the_derivatives_of_their_values(name):
    link, log_chance = LINKS[name]
    step = 1e-4
    ahead, here, back = link(SPAN + step), link(SPAN), link(SPAN - step)
    assert here.value == pytest.approx(log_chance(SPAN), rel=1e-12, abs=1e-300)
    assert here.slope == pytest.approx((ahead.value - back.value) / (2 * step), rel=1e-6, abs=1e-12)
    assert here.curvature == pytest.approx(-(ahead.slope - back.slope) / (2 * step), rel=1e-5, abs=1e-8)


def test_probit_tail():
    # Mills ratio: phi(x) / Phi(-x) = x + 1/x - 2/x^3 + ...; minus its derivative's series gives the curvature.
    x = np.array([-50.0, -200.0])
    curve = probit(x)
    assert curve.slope == pytest.approx(-x - 1 / x + 2 / x**3, rel=1e-9)
    assert curve.curvature == pytest.approx(1 - 1 / x**2, rel=1e-5)
    assert probit(np.array([-1e6, 1e6])).curvature.tolist() == pytest.approx([1, 0], abs=1e-3)


@pytest.mark.parametrize(("name", "ridge"), [("probit", 1.0), ("probit", 0.0), ("logit", 0.0)])
def test_same_optimum_as_a_general_optimiser(name, ridge):
    link, log_chance = LINKS[name]
    wins = random_wins(12, 40, seed=1)
    ours = fit(sparse.csr_array(wins), link, ridge=ridge)
    theirs = minimize(
        lambda free: -objective(np.append(free, -free.sum()), wins, log_chance, ridge),
        np.zeros(11),
        method="BFGS",
        options={"gtol": 1e-6},
    )
    assert ours.scores == pytest.approx(np.append(theirs.x, -theirs.x.sum()), abs=1e-5)
    assert objective(ours.scores, wins, log_chance, ridge) >= -theirs.fun
    assert ours.log_likelihood == pytest.approx(objective(ours.scores, wins, log_chance, 0), abs=1e-9)


@pytest.mark.parametrize(("name", "ridge"), [("probit", 1.0), ("probit", 0.0), ("logit", 0.0)])
def test_standard_errors_come_from_the_inverse_of_a_numeric_hessian(name, ridge):
    link, log_chance = LINKS[name]
    wins = random_wins(6, 40, seed=2)
    ours = fit(sparse.csr_array(wins), link, ridge=ridge)
    # Coordinates of the zero-sum plane, so that the constraint needs no multiplier.
    plane = np.linalg.qr(np.column_stack([np.ones(6), np.eye(6)[:, :5]]))[0][:, 1:]
    step, hessian = 1e-3, np.zeros((5, 5))

    def at(move):
        return objective(ours.scores + plane @ move, wins, log_chance, ridge)

    for a in range(5):
        for b in range(5):
            ea, eb = np.eye(5)[a] * step, np.eye(5)[b] * step
            hessian[a, b] = (at(ea + eb) - at(ea - eb) - at(eb - ea) + at(-ea - eb)) / (4 * step**2)
    covariance = plane @ np.linalg.inv(-hessian) @ plane.T
    assert ours.standard_errors() ** 2 == pytest.approx(np.diag(covariance), rel=1e-4)


def test_a_long_uneven_chain_is_solved_exactly():
    # Neighbours won 1000 : 1; each step depends on its own pair only, so each is ln 1000, over a range of 2,756.
    n = 400
    upper = np.arange(n - 1)
    wins = sparse.csr_array((np.full(n - 1, 1000.0), (upper, upper + 1)), shape=(n, n))
    wins = wins + sparse.csr_array((np.ones(n - 1), (upper + 1, upper)), shape=(n, n))
    scores = fit(wins.tocsr(), logit, ridge=0.0).scores
    assert -np.diff(scores) == pytest.approx(np.log(1000), abs=1e-7)


def test_bradley_terry_agrees_with_choix():
    choix = pytest.importorskip("choix")
    wins = random_wins(20, 60, seed=7)
    winners = [(i, j) for i, j in zip(*np.nonzero(wins), strict=True) for _ in range(int(wins[i, j]))]
    theirs = choix.ilsr_pairwise(20, winners, alpha=0.0, tol=1e-12)
    assert fit(sparse.csr_array(wins), logit, ridge=0.0).scores == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def votes(first: int, second: int) -> sparse.csr_array:
    return sparse.csr_array(np.array([[0.0, first], [second, 0.0]]))


def score(first: float, second: float) -> float:
    """Of the first of two items, at s and -s: where first * h(2s) - second * h(-2s) balances the prior's pull."""

    def slope(s: float) -> float:
        def hazard(x: float) -> float:
            return float(norm.pdf(x) / norm.cdf(x))

        return first * hazard(2 * s) - second * hazard(-2 * s) - s

    return float(brentq(slope, -6, 6))


def test_votes_of_one_person_count_as_one_draw() -> None:
    """40 people of five votes each, all for the same photo: 24 prefer the first. By the delta method the score's
    standard error is its slope in the share of people times sqrt(share (1 - share) / people)."""
    people = [votes(5, 0)] * 24 + [votes(0, 5)] * 16
    assert fit_map(votes(120, 80)).scores[0] == pytest.approx(score(120, 80), abs=1e-6)
    slope = (score(125, 75) - score(115, 85)) / (2 * 5 / 200)
    expected = slope * np.sqrt(0.6 * 0.4 / 40)
    errors = cluster_errors(people, np.random.default_rng(1), 400)
    assert errors == pytest.approx([expected, expected], rel=0.1)
    independent = fit_map(votes(120, 80)).standard_errors()
    assert errors[0] / independent[0] == pytest.approx(np.sqrt(5), rel=0.12)  # five votes a person, all alike


def test_people_who_all_vote_alike_leave_nothing_to_draw() -> None:
    assert cluster_errors([votes(3, 1)] * 12, np.random.default_rng(1), 50) == pytest.approx([0, 0])


# --- within a bound


WIDTH = norm.isf(1e-6)


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
def test_same_bounded_optimum_as_a_general_optimiser(name: str, rounds: int, upsets: int) -> None:
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
