"""Curves fitted to resamples, against the fit itself, hand-worked resamples and simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from qbench.records import Score
from qbench.results.quality import summarise_assessment
from qbench.stats.correlation import plcc, rmse
from qbench.stats.logistic import fit_logistic, fit_rising
from qbench.stats.refitting import CandidateCurves


def saturating(rng, n, noise):
    """Human scores that level off where model scores still rise."""
    x = rng.normal(size=n)
    return x, expit(2.5 * x) + noise * rng.normal(size=n)


@pytest.mark.parametrize("n", [20, 60, 4000])
def test_a_resample_is_fitted_about_as_well_as_by_the_fit_itself(n):
    rng = np.random.default_rng(n)
    x, y = saturating(rng, n, 0.3)
    curves = CandidateCurves(x, y)
    drawn = rng.integers(0, n, size=(8, n))
    found = curves.fit(np.array([np.bincount(rows, minlength=n) for rows in drawn], dtype=float))
    for place, rows in enumerate(drawn):
        fitted = fit_logistic(x[rows], y[rows])(x[rows])
        assert found.correlation[place] == pytest.approx(plcc(fitted, y[rows]), abs=0.012)
        assert found.correlation[place] <= plcc(fitted, y[rows]) + 1e-6
        assert found.residual[place] == pytest.approx(rmse(fitted, y[rows]), rel=0.03)


def test_what_is_held_is_the_curve_of_all_items():
    rng = np.random.default_rng(2)
    x, y = saturating(rng, 30, 0.3)
    curves = CandidateCurves(x, y)
    found = curves.fit(rng.multinomial(30, np.full(30, 1 / 30), size=50).astype(float))
    assert np.all(found.correlation_held <= found.correlation + 1e-12)
    assert np.all(found.residual_held >= found.residual - 1e-12)
    correlation, residual = curves.of_all()
    assert correlation == pytest.approx(plcc(fit_logistic(x, y)(x), y), abs=0.01)
    assert residual == pytest.approx(y.std() * np.sqrt(1 - correlation**2))


def test_rising_curves_do_not_fall():
    rng = np.random.default_rng(3)
    x, y = saturating(rng, 40, 0.2)
    assert CandidateCurves(x, y, rising=True).of_all()[0] == pytest.approx(plcc(fit_rising(x, y)(x), y), abs=0.01)
    assert CandidateCurves(-x, y, rising=True).of_all()[0] < 0.3
    assert CandidateCurves(-x, y).of_all()[0] == pytest.approx(CandidateCurves(x, y).of_all()[0], abs=0.01)


def test_scores_dealt_at_random_agree_as_noise_does():
    # The best curve through 30 pairs of noise, over 300 fits to noise made apart from this code's permutations.
    rng = np.random.default_rng(5)
    x, y = saturating(rng, 30, 0.3)
    dealt = CandidateCurves(x, y).by_chance(np.random.default_rng(0), 2000)
    noise = [plcc(fit_logistic(x, shuffled)(x), shuffled) for shuffled in (rng.permutation(y) for _ in range(300))]
    assert dealt.mean() == pytest.approx(np.mean(noise), abs=0.02)
    assert np.quantile(dealt, 0.95) == pytest.approx(np.quantile(noise, 0.95), abs=0.04)


def test_a_resample_of_one_item_is_undefined():
    counts = np.eye(6) * 6
    found = CandidateCurves(np.arange(6.0), np.arange(6.0) ** 2).fit(counts)
    assert np.isnan(found.correlation).all()


@pytest.mark.parametrize(("n", "noise"), [(30, 0.3), (30, 5.0)])
def test_intervals_of_the_fit_cover_what_many_items_show(n, noise):
    """With the curve held these covered 75 to 90 % (RMSE) at 30 items; without any relation fits seem to find one."""
    rng, simulations = np.random.default_rng(7), 120
    x, y = saturating(rng, 200_000, noise)
    best = np.corrcoef(expit(2.5 * x), y)[0, 1]
    truth = {"plcc_fitted": best, "rmse": noise}
    covered = dict.fromkeys(truth, 0)
    for _ in range(simulations):
        x, y = saturating(rng, n, noise)
        rows = [Score(str(i), value, truth=human) for i, (value, human) in enumerate(zip(x, y, strict=True))]
        for name, estimate in summarise_assessment(rows, metrics=tuple(truth)).items():
            covered[name] += estimate.low <= truth[name] <= estimate.high
    lowest, highest = binom.interval(0.999, simulations, 0.95)
    for count in covered.values():
        assert lowest <= count <= highest


def test_intervals_are_moved_by_the_bias_of_curves_fitted_anew():
    """A curve fitted to a resample leaves too little; one held would leave too much, and move them the other way."""
    rng = np.random.default_rng(0)
    x, y = saturating(rng, 40, 0.3)
    rows = [Score(str(i), value, truth=human) for i, (value, human) in enumerate(zip(x, y, strict=True))]
    found = summarise_assessment(rows, metrics=("rmse",))["rmse"]
    left = [rmse(fit_logistic(x[drawn], y[drawn])(x[drawn]), y[drawn]) for drawn in rng.integers(0, 40, size=(200, 40))]
    bias = np.mean(np.log(left)) - np.log(found.value)
    assert bias < -0.05
    assert (np.log(found.low) + np.log(found.high)) / 2 == pytest.approx(np.log(found.value) - bias, abs=0.02)
