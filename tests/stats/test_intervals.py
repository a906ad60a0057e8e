"""Intervals, resamples and answer habits against published values, hand-worked cases, direct resampling, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from qbench.records import Estimate
from qbench.stats import bootstrap, intervals
from qbench.stats.bias import position_bias, yes_no_bias


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


def test_no_interval_where_resamples_fall_apart() -> None:
    rng = np.random.default_rng(0)
    replicates = bootstrap.bootstrap(bootstrap.srcc_kernel([1, 1, 1, 2], [1, 2, 3, 4]), 4, rng)
    estimate = bootstrap.percentile(0.5, replicates, 4)
    assert (estimate.low, estimate.high) == (None, None)
    assert "resamples leave it undefined" in (estimate.note or "")


def test_no_interval_where_all_resamples_agree() -> None:
    replicates = bootstrap.bootstrap(bootstrap.srcc_kernel(range(9), range(9)), 9, np.random.default_rng(0))
    estimate = bootstrap.percentile(1.0, replicates, 9)
    assert (estimate.value, estimate.low, estimate.high) == (1.0, None, None)
    assert (estimate.note or "").startswith("all resamples give the same value")


def test_clusters_are_drawn_whole() -> None:
    # Four clusters of 50 equal values: the mean varies as that of 4 items, not of 200.
    values = np.repeat([0.0, 1.0, 2.0, 3.0], 50)
    clusters = np.repeat(["a", "b", "c", "d"], 50).tolist()
    replicates = bootstrap.bootstrap(
        bootstrap.mean_kernel(values), 200, np.random.default_rng(0), resamples=4000, clusters=clusters
    )
    assert replicates.std() == pytest.approx(np.std([0, 1, 2, 3]) / 2, rel=0.05)


def test_tau_is_left_out_one_by_one_on_fishers_scale() -> None:
    x, y = np.arange(7), np.array([2, 0, 1, 4, 3, 6, 5])
    left = np.arctanh([kendalltau(np.delete(x, item), np.delete(y, item)).statistic for item in range(7)])
    half = 2.570582 * np.sqrt(6 / 7 * ((left - left.mean()) ** 2).sum())  # t of 5 degrees of freedom
    tau = 13 / 21  # four of 21 pairs are the other way round
    found = intervals.krcc_estimate(x, y)
    assert found.value == pytest.approx(tau)
    assert (found.low, found.high) == pytest.approx(tuple(np.tanh(np.arctanh(tau) + np.array([-half, half]))))


def test_clusters_of_one_are_wilsons_but_for_students_t() -> None:
    values = np.repeat([1.0, 0.0], (13, 7))
    one = intervals.clustered_mean(values, range(20))
    # Variance p q / (n - 1) is that of 19 answers, and t = 2.0930 for 1.9600 makes 19 (1.9600 / 2.0930)² = 16.66.
    expected = intervals._wilson_ends(0.65, 16.662)
    assert (one.value, one.n) == (0.65, 20)
    assert (one.low, one.high) == (pytest.approx(expected[0], abs=1e-4), pytest.approx(expected[1], abs=1e-4))


def test_shares_over_images_by_hand() -> None:
    # Pairs ab, bc, ac, ad: right, right, wrong, right; deviations 1/4, 1/4, -3/4, 1/4. By image a: -1/4, b: 1/2,
    # c: -1/2, d: 1/4; their squares 10/16, less each pair's own 12/16, give less than the pairs alone: 12/16 then.
    images = np.array([[0, 1], [2, 1], [0, 2], [3, 0]])
    one = intervals.image_mean(np.array([1.0, 1, 0, 1]), images)
    variance = 12 / 16 / 4**2 * 4 / 3
    answers = (1.959964 / 3.182446) ** 2 * (3 / 16) / variance
    assert (one.low, one.high) == pytest.approx(intervals._wilson_ends(0.75, answers), abs=1e-6)
    # Both answers about ab right and both about cd wrong: by image 1, 1, -1, -1, by pair 1, -1: 4 - 2.
    apart = intervals.image_mean(np.array([1.0, 1, 0, 0]), np.array([[0, 1], [1, 0], [2, 3], [3, 2]]))
    answers = (1.959964 / 3.182446) ** 2 * (1 / 4) / (2 / 4**2 * 4 / 3)
    assert (apart.low, apart.high) == pytest.approx(intervals._wilson_ends(0.5, answers), abs=1e-6)


def test_bias_and_spread_on_fishers_scale_by_hand() -> None:
    # Replicates at z = 0.4, 0.6, 0.8 about a value at 0.5: bias 0.1, deviation sqrt(0.08 / 3) = 0.1633, t(10) = 2.2281.
    replicates = np.tanh(np.tile([0.4, 0.6, 0.8], 50))
    one = bootstrap.bias_corrected(float(np.tanh(0.5)), replicates, 12, bootstrap.FISHER, 10)
    half = 2.228139 * np.sqrt(0.08 / 3)
    assert (one.low, one.high) == pytest.approx((np.tanh(0.4 - half), np.tanh(0.4 + half)), abs=1e-6)


def test_an_interval_begins_at_zero_unless_chance_seldom_reaches_as_much() -> None:
    found = Estimate(0.5, 0.2, 0.7)
    by_chance = np.linspace(0, 1, 101)
    assert intervals.down_to_chance(found, 0.5, by_chance).low == 0.0
    assert intervals.down_to_chance(found, 0.97, by_chance).low == 0.2
    assert intervals.down_to_chance(Estimate(0.5, -0.2, 0.7), 0.97, by_chance).low == 0.0
    assert intervals.down_to_chance(Estimate(0.5, 0.0, 0.7), 0.97, by_chance).low == 0.0


def test_few_items_get_the_normal_scores_interval() -> None:
    # Fisher: atanh(0.8) = 1.0986 -+ 1.9600 / sqrt(2).
    one = intervals.plcc_interval(0.8, 5)
    assert (one.low, one.high) == (pytest.approx(-0.2797, abs=1e-4), pytest.approx(0.9862, abs=1e-4))


@pytest.mark.parametrize("at_once", [1, 10_000])
@pytest.mark.parametrize("ties", ["", "x", "y", "xy"])
def test_correlations_of_resamples_are_those_of_the_items_drawn(
    monkeypatch: pytest.MonkeyPatch, ties: str, at_once: int
) -> None:
    monkeypatch.setattr(bootstrap, "_IN_CACHE", at_once)
    rng = np.random.default_rng(4)
    x = rng.normal(size=60)
    y = -x + rng.normal(size=60)
    x, y = (np.round(values, 0 if name in ties else 9) for name, values in (("x", x), ("y", y)))
    drawn = rng.integers(60, size=(25, 60))
    counts = np.stack([np.bincount(row, minlength=60) for row in drawn]).astype(float)
    for kernel, statistic in ((bootstrap.srcc_kernel, spearmanr), (bootstrap.plcc_kernel, pearsonr)):
        plain = [statistic(x[row], y[row]).statistic for row in drawn]
        assert kernel(x, y)(counts) == pytest.approx(plain, abs=1e-12)


def test_the_draws_are_those_of_the_generator_whatever_fits_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(9.0)
    found = bootstrap.bootstrap(bootstrap.mean_kernel(values), 9, np.random.default_rng(5), resamples=12)
    monkeypatch.setattr(bootstrap, "_BLOCK", 20)
    again = bootstrap.bootstrap(bootstrap.mean_kernel(values), 9, np.random.default_rng(5), resamples=12)
    plain = values[np.random.default_rng(5).integers(0, 9, size=(12, 9))].mean(axis=1)
    assert found == pytest.approx(plain)
    assert again == pytest.approx(plain)


def test_the_interval_cuts_a_fortieth_off_each_end() -> None:
    found = bootstrap.percentile(0.5, np.linspace(0, 1, 1001), 9)
    assert (found.low, found.high) == pytest.approx((0.025, 0.975))


def test_each_stratum_keeps_its_size() -> None:
    counts: list[np.ndarray] = []
    strata = ["a", "b", "a", "b", "b"]
    bootstrap.bootstrap(
        lambda drawn: counts.append(drawn) or drawn[:, 0], 5, np.random.default_rng(0), resamples=40, strata=strata
    )
    [drawn] = counts
    assert set(drawn[:, [0, 2]].sum(axis=1)) == {2}
    assert set(drawn[:, [1, 3, 4]].sum(axis=1)) == {3}


@pytest.mark.parametrize(("perfect", "has_interval"), [(2, True), (3, False)])
def test_more_than_one_resample_in_a_hundred_at_the_end_leaves_no_interval(perfect: int, has_interval: bool) -> None:
    values = np.concatenate([np.full(perfect, 0.9999999), np.linspace(0.5, 0.9, 200 - perfect)])
    found = bootstrap.bias_corrected(0.7, values, 50, bootstrap.FISHER, 48)
    assert (found.low is not None) is has_interval


def test_yes_no_by_hand() -> None:
    # 8 Yes questions of which 6 answered Yes, 4 No questions of which 3 answered Yes.
    found = yes_no_bias(6, 8, 3, 4)
    assert found["yes_accuracy"].value == pytest.approx(0.75)
    assert found["no_accuracy"].value == pytest.approx(0.25)
    assert found["debiased_accuracy"].value == pytest.approx(0.5)
    # Wilson's ends are 0.4093 and 0.9285 of 6/8, 0.0456 and 0.6994 of 1/4: down by the root of 0.3407² + 0.2044², up by
    # the root of 0.1785² + 0.4494², both halved.
    mean = found["debiased_accuracy"]
    assert (mean.low, mean.high) == pytest.approx((0.5 - 0.1987, 0.5 + 0.2418), abs=2e-4)
    # Log-linear rates 6.5/9 and 3.5/5: z = 0.58946 and 0.52440.
    assert found["dprime"].value == pytest.approx(0.58946 - 0.52440, abs=1e-4)
    assert found["criterion"].value == pytest.approx(-(0.58946 + 0.52440) / 2, abs=1e-4)
    # Normal densities there 0.33532 and 0.34769, so the variance of d' is
    # (6.5 * 2.5 / 81) / (8 * 0.33532²) + (0.7 * 0.3) / (4 * 0.34769²) = 0.65732; of the criterion a quarter of it.
    for name, error in (("dprime", 0.65732**0.5), ("criterion", 0.65732**0.5 / 2)):
        one = found[name]
        assert (one.value - one.low, one.high - one.value) == pytest.approx((1.95996 * error,) * 2, abs=1e-4)


def test_a_consistent_judge_is_not_certain_to_have_no_position_bias() -> None:
    # First, then second in each of 30 pairs: nothing to resample. Of pairs that differ Wilson's interval for 0 of 30
    # allows 1.96² / (30 + 1.96²) = 0.1135, and such a pair may be answered first, or second, both times.
    found = position_bias([1, 0] * 30, [0, 1] * 30, np.repeat(np.arange(30), 2))
    assert found["position_bias"].value == 0.0
    assert (found["position_bias"].low, found["position_bias"].high) == pytest.approx((-0.1135, 0.1135), abs=5e-5)
    assert found["first_rate"].value == 0.5
    assert (found["first_rate"].low, found["first_rate"].high) == pytest.approx((0.4432, 0.5568), abs=5e-5)
