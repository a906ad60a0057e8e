"""Correlations, and the curve fitted for one, against hand-worked values, SciPy and exhaustive search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import leastsq

from qbench.errors import UndefinedError
from qbench.stats.correlation import average_ranks, kendall, plcc, restricted_srcc, rmse, srcc
from qbench.stats.logistic import LogisticFit, fit_as_published, fit_logistic


def test_what_a_narrower_range_leaves() -> None:
    """SRCC 0.5 is r = 2 sin(15°) = 0.5176; half as wide 0.2588 / sqrt(1 - 0.2679 + 0.0670) = 0.2895; SRCC 0.2774."""
    assert restricted_srcc(0.5, 0.5) == pytest.approx(0.2774, abs=1e-4)
    assert restricted_srcc(-0.7, 1.0) == pytest.approx(-0.7)


def test_rmse_by_hand() -> None:
    assert rmse([1, 2, 5], [1, 4, 4]) == pytest.approx(np.sqrt(5 / 3))


@pytest.mark.parametrize("n", [3, 7, 64, 501])
def test_agrees_with_scipy_under_heavy_ties(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.integers(0, 6, n).astype(float)
    y = np.round(x + rng.normal(0, 3, n))
    x[0], y[0] = 9, 9
    x[1], y[1] = -9, -9
    assert average_ranks(x).tolist() == stats.rankdata(x).tolist()
    assert srcc(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert plcc(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    tau, without = kendall(x, y)
    assert tau == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    others = [stats.kendalltau(np.delete(x, item), np.delete(y, item)).statistic for item in range(min(n, 64))]
    assert without[: len(others)] == pytest.approx(np.array(others), abs=1e-12)


@pytest.mark.parametrize("statistic", [srcc, plcc, kendall])
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1], [1, 2, 3], "all 3 model scores are equal"),
        ([1, 2, 3], [4, 4, 4], "all 3 human scores are equal"),
        ([1, 2], [1, 2], "only 2 scored"),
        ([], [], "only 0 scored"),
    ],
)
def test_no_number_where_none_exists(statistic, x, y, reason) -> None:
    with pytest.raises(UndefinedError, match=reason):
        statistic(x, y)


def test_a_large_offset_keeps_its_correlation() -> None:
    # 1e15 and eighths above it are exact numbers, but their mean is not.
    steps = np.arange(12.0)
    assert plcc(1e15 + steps / 8, 1e15 + steps) == pytest.approx(1.0, abs=1e-12)


def reached(fit, x, y):
    return plcc(fit(x, y)(x), y)


def best_of_many_curves(x, y):
    """Largest correlation of any of 2,000 x 60 curves with y, whichever way it runs."""
    middles, scales = np.linspace(x.min() - 3, x.max() + 3, 2_000), np.exp(np.linspace(-6, 5, 60))
    best = 0.0
    for scale in scales:
        curves = 1 / (1 + np.exp(np.clip((middles[:, None] - x) / scale, -700, 700)))
        curves = curves[np.ptp(curves, axis=1) > 1e-9]
        curves -= curves.mean(axis=1, keepdims=True)
        best = max(best, float(np.abs(curves @ (y - y.mean()) / np.linalg.norm(curves, axis=1)).max()))
    return best / (y.std() * np.sqrt(len(y)))


def test_logistic_fit_recovers_its_own_curve():
    x = np.linspace(-2, 3, 60)
    y = LogisticFit(80.0, 10.0, 0.5, 0.7)(x)
    for fit in (fit_logistic, fit_as_published):
        assert fit(x, y)(x) == pytest.approx(y, abs=1e-6)


def test_six_scores_on_which_one_start_may_end_below_the_straight_line():
    x, y = np.array([19, 15, 6, 17, 3, 5.0]), np.array([3, 9, 10, 14, 18, 16.0])
    assert plcc(x, y) == pytest.approx(-0.708, abs=1e-3)
    # A step down between 17 and 19: a mean of 13.4 leaves 59.2 of the sum of squares, which is 448 / 3.
    assert reached(fit_logistic, x, y) == pytest.approx(np.sqrt(1 - 59.2 / (448 / 3)), abs=1e-6)


@pytest.mark.parametrize("noise", [5.0, 20.0, 40.0])
def test_the_published_fit_is_scipys_where_scores_follow_people(noise):
    rng = np.random.default_rng(int(noise))
    for _ in range(5):
        y = rng.uniform(0, 100, 40)
        x = np.clip(y + rng.normal(0, noise, 40), 0, 100)
        found, *_ = leastsq(
            lambda p, x=x, y=y: LogisticFit(*p)(x) - y, [y.max(), y.min(), x.mean(), x.std() / 4], maxfev=50_000
        )
        assert reached(fit_as_published, x, y) == pytest.approx(plcc(LogisticFit(*found)(x), y), abs=1e-5)


def test_the_published_fit_of_five_images_is_minpacks_whatever_lay_in_memory():
    """The step behind the first image: 70 beside a mean of 57.5 leaves 125 of 250."""
    x, y = np.array([0, 32.7, 50.5, 87.9, 100]), np.array([70, 50, 65, 55, 60.0])
    assert reached(fit_as_published, x, y) == pytest.approx(np.sqrt(1 / 2), abs=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(100):
        x = rng.permutation(5) * rng.uniform(0.5, 2, 5)
        curves = {fit_as_published(x, y) for junk in (1.0, -1e9, 1e-3) if [np.full(20, junk) for _ in range(9)]}
        assert len(curves) == 1


def test_the_last_digit_of_a_score_does_not_lead_to_another_curve():
    """Rankings by coin flips follow nobody; MINPACK comes to another curve for some."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        x, y = rng.normal(size=(2, 8))
        curve, other = fit_as_published(x, y)(x), fit_as_published(x * (1 + 1e-15), y)(x)
        assert other == pytest.approx(curve, abs=1e-3)


def test_no_curve_of_noise_is_missed():
    rng = np.random.default_rng(0)
    missed_by_one_start = 0
    for _ in range(10):
        x, y = rng.normal(size=(2, 30))
        best, curve, mirrored = best_of_many_curves(x, y), fit_logistic(x, y)(x), fit_logistic(-x, y)(-x)
        assert best - 1e-3 < plcc(curve, y)
        assert abs(plcc(x, y)) <= plcc(curve, y) + 1e-12
        assert mirrored == pytest.approx(curve, abs=1e-9)
        missed_by_one_start += reached(fit_as_published, x, y) < best - 0.01
    assert missed_by_one_start


def test_the_fit_cannot_see_the_sign():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    falling = -x + rng.normal(0, 0.5, 200)
    assert plcc(fit_logistic(x, falling)(x), falling) > 0.85
