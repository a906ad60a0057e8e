"""The two-player update against numeric integration, documented figures and the package everybody uses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from qbench.stats.pairwise import Comparisons
from qbench.stats.trueskill import BETA, MEAN, SD, TAU, _drawn, _won, update_beliefs


def test_documented_examples():
    """From the documentation of the trueskill package: rate_1vs1 of two fresh ratings."""
    won = update_beliefs(Comparisons.of([("a", "b", "first")]))
    assert won.mean == pytest.approx([29.396, 20.604], abs=5e-4)
    assert won.sd == pytest.approx([7.171, 7.171], abs=5e-4)
    drawn = update_beliefs(Comparisons.of([("a", "b", "tie")]))
    assert drawn.mean == pytest.approx([25, 25], abs=5e-4)
    assert drawn.sd == pytest.approx([6.458, 6.458], abs=5e-4)


@pytest.mark.parametrize("lead", [-4.0, -0.7, 0.0, 0.3, 5.0])
@pytest.mark.parametrize(("update", "drawn"), [(_won, False), (_drawn, True)])
def test_corrections_are_the_moments_of_a_truncated_normal(update, drawn, lead):
    # v is the shift of the mean of a unit normal around `lead` once the outcome is known, 1 - w its variance.
    margin = 0.25
    low, high = (-margin, margin) if drawn else (margin, margin + 12)

    def moment(power, centre=0.0):
        return quad(lambda x: (x - centre) ** power * norm.pdf(x, lead), low, high, epsabs=1e-13, epsrel=1e-10)[0]

    mean = moment(1) / moment(0)
    v, w = update(lead, margin)
    assert v == pytest.approx(mean - lead, rel=1e-6, abs=1e-9)
    assert 1 - w == pytest.approx(moment(2, mean) / moment(0), rel=1e-5)


@pytest.mark.parametrize("lead", [-60.0, 60.0])
def test_corrections_stay_finite_far_out(lead):
    assert _drawn(lead, 0.2) == pytest.approx((-lead + 0.2 * np.sign(lead), 1))
    expected = (60.2, 1) if lead < 0 else (0, 0)
    assert _won(lead, 0.2) == pytest.approx(expected, rel=1e-3, abs=1e-12)


def test_agrees_with_the_trueskill_package():
    trueskill = pytest.importorskip("trueskill")
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(600):
        i, j = rng.choice(12, 2, replace=False)
        rows.append((f"{i:02}", f"{j:02}", str(rng.choice(["first", "second", "tie"], p=[0.5, 0.3, 0.2]))))
    names = [f"{k:02}" for k in range(12)]
    game = trueskill.TrueSkill(mu=MEAN, sigma=SD, beta=BETA, tau=TAU, draw_probability=0.2, backend="scipy")
    ratings = {name: game.create_rating() for name in names}
    for first, second, choice in rows:
        winner, loser = (second, first) if choice == "second" else (first, second)
        ratings[winner], ratings[loser] = trueskill.rate_1vs1(
            ratings[winner], ratings[loser], drawn=choice == "tie", env=game
        )
    ours = update_beliefs(Comparisons.of(rows, items=names), draw_probability=0.2)
    assert ours.mean == pytest.approx([ratings[name].mu for name in names], abs=1e-6)
    assert ours.sd == pytest.approx([ratings[name].sigma for name in names], abs=1e-6)
