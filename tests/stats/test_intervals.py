"""Intervals against published values, direct resampling and simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.stats import intervals
from qbench.stats.correlation import krcc, plcc, srcc


def test_wilson_published() -> None:
    # Newcombe 1998 (Stat. Med. 17:857), Table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
    one = intervals.wilson(81, 263)
    assert (one.low, one.high) == (pytest.approx(0.2553, abs=5e-5), pytest.approx(0.3662, abs=5e-5))
    none = intervals.wilson(0, 20)
    assert (none.low, none.high) == (0.0, pytest.approx(0.1611, abs=5e-5))
    assert intervals.wilson(0, 0).value is None
    with pytest.raises(ValueError, match="5 successes of 4"):
        intervals.wilson(5, 4)


def test_a_rank_correlation_by_hand() -> None:
    # z = atanh(0.5) = 0.5493, its error sqrt((1 + 0.25 / 2) / 25) = 0.2121; tanh(0.5493 -+ 0.4158).
    one = intervals.srcc_interval(0.5, 28)
    assert (one.low, one.high) == (pytest.approx(0.1327, abs=1e-4), pytest.approx(0.7465, abs=1e-4))
    mirrored = intervals.srcc_interval(-0.5, 28)
    assert (mirrored.low, mirrored.high) == (pytest.approx(-0.7465, abs=1e-4), pytest.approx(-0.1327, abs=1e-4))
    for value, n in ((1.0, 20), (-1.0, 20), (0.5, 3)):
        assert intervals.srcc_interval(value, n).low is None


@pytest.mark.parametrize(("kernel", "statistic"), [(intervals.srcc_kernel, srcc), (intervals.plcc_kernel, plcc)])
def test_kernel_equals_the_statistic_of_the_resample(kernel, statistic) -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 12, 80).astype(float), rng.normal(size=80)
    for _ in range(5):
        drawn = rng.integers(0, 80, 80)
        counts = np.bincount(drawn, minlength=80)[None].astype(float)
        assert kernel(x, y)(counts)[0] == pytest.approx(statistic(x[drawn], y[drawn]), abs=1e-12)


@pytest.mark.parametrize("kernel", [intervals.srcc_kernel, intervals.plcc_kernel])
def test_no_resample_correlates_beyond_one(kernel) -> None:
    # In small sets many resamples lie on a line, and rounding would put a few of them at 1.0000000000000002.
    rng = np.random.default_rng(6)
    for _ in range(20):
        replicates = intervals.bootstrap(kernel(rng.normal(size=5), rng.normal(size=5)), 5, rng)
        assert np.nanmax(np.abs(replicates)) <= 1.0


def test_constant_resample_is_undefined_not_a_number() -> None:
    counts = np.array([[5.0, 0, 0, 0, 0], [1, 1, 1, 1, 1]])
    values = intervals.srcc_kernel([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])(counts)
    assert np.isnan(values[0])
    assert values[1] == pytest.approx(0.8)


def test_no_interval_where_resamples_fall_apart() -> None:
    rng = np.random.default_rng(0)
    replicates = intervals.bootstrap(intervals.srcc_kernel([1, 1, 1, 2], [1, 2, 3, 4]), 4, rng)
    estimate = intervals.percentile(0.5, replicates, 4)
    assert (estimate.low, estimate.high) == (None, None)
    assert "resamples leave it undefined" in (estimate.note or "")


def test_no_interval_where_all_resamples_agree() -> None:
    replicates = intervals.bootstrap(intervals.srcc_kernel(range(9), range(9)), 9, np.random.default_rng(0))
    estimate = intervals.percentile(1.0, replicates, 9)
    assert (estimate.value, estimate.low, estimate.high) == (1.0, None, None)
    assert (estimate.note or "").startswith("all resamples give the same value")


def test_bootstrap_error_of_a_mean_is_the_textbook_one() -> None:
    values = np.arange(200.0)
    replicates = intervals.bootstrap(intervals.mean_kernel(values), 200, np.random.default_rng(0), resamples=4000)
    assert replicates.std() == pytest.approx(values.std() / np.sqrt(200), rel=0.05)


def test_clusters_are_drawn_whole() -> None:
    # Four clusters of 50 equal values: the mean varies as that of 4 items, not of 200.
    values = np.repeat([0.0, 1.0, 2.0, 3.0], 50)
    clusters = np.repeat(["a", "b", "c", "d"], 50).tolist()
    replicates = intervals.bootstrap(
        intervals.mean_kernel(values), 200, np.random.default_rng(0), resamples=4000, clusters=clusters
    )
    assert replicates.std() == pytest.approx(np.std([0, 1, 2, 3]) / 2, rel=0.05)


def test_same_seed_same_interval() -> None:
    kernel = intervals.plcc_kernel([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6])
    once = intervals.bootstrap(kernel, 6, np.random.default_rng(7))
    again = intervals.bootstrap(kernel, 6, np.random.default_rng(7))
    assert np.array_equal(once, again, equal_nan=True)


def test_jackknife_of_tau_covers_the_truth() -> None:
    # Normal pairs with correlation r have tau = 2/pi asin(r). 200 samples at 95 %: fewer than 180 covers has p < 0.001.
    rng, r = np.random.default_rng(11), 0.6
    truth, covered = 2 / np.pi * np.arcsin(r), 0
    for _ in range(200):
        x = rng.normal(size=80)
        estimate = intervals.krcc_estimate(x, r * x + np.sqrt(1 - r * r) * rng.normal(size=80))
        covered += estimate.low <= truth <= estimate.high
    assert 180 <= covered <= 200


def test_tau_estimate_is_tau() -> None:
    x, y = [1, 2, 3, 4, 5], [3, 1, 2, 5, 4]
    assert intervals.krcc_estimate(x, y).value == pytest.approx(krcc(x, y))
