"""Tests between models against textbook values."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.stats.bootstrap import mean_kernel, srcc_kernel
from qbench.stats.significance import (
    RankRange,
    difference_interval,
    holm,
    mcnemar,
    p_of_interval,
    paired_bootstrap,
    rank_intervals,
    two_proportions,
)


def test_mcnemar_is_the_exact_binomial() -> None:
    # 10 items only the first got right, 2 only the second: 2 * (C(12,0)+C(12,1)+C(12,2)) / 2^12 = 2 * 79 / 4096
    first = [1] * 10 + [0] * 2 + [1] * 30 + [0] * 5
    second = [0] * 10 + [1] * 2 + [1] * 30 + [0] * 5
    assert mcnemar(first, second) == pytest.approx(2 * 79 / 4096)
    assert mcnemar([1, 0], [1, 0]) == 1.0
    with pytest.raises(ValueError, match="same items"):
        mcnemar([1], [1, 0])


def test_holm_by_hand() -> None:
    # Sorted .01, .02, .03, .04 times 4, 3, 2, 1 = .04, .06, .06, .04, then made to rise.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == pytest.approx([1, 1])  # never above 1
    adjusted = holm([0.01, np.nan, 0.5])
    assert adjusted[0] == pytest.approx(0.02)
    assert np.isnan(adjusted[1])


def test_two_proportions_textbook() -> None:
    # 60 of 100 against 40 of 100: z = 0.2 / sqrt(0.5 * 0.5 * 2 / 100) = 2.8284, p = 0.004678
    assert two_proportions(60, 100, 40, 100) == pytest.approx(0.0046777, abs=1e-6)
    assert two_proportions(5, 5, 9, 9) == 1.0


def test_rank_intervals_by_hand() -> None:
    # Of 100 items: z of .90 and .80 is 1.98 (p = .048), of .80 and .70 1.63, of .90 and .70 3.54 (p = .0004). Of three
    # pairs Holm asks the least for p < .0167 and the next for p < .025.
    assert rank_intervals([0.9, 0.8, 0.7], [100] * 3) == [RankRange(1, 2), RankRange(1, 3), RankRange(2, 3)]
    lower = rank_intervals([0.9, 0.8, 0.7], [100] * 3, higher_is_better=False)
    assert lower == [RankRange(2, 3), RankRange(1, 3), RankRange(1, 2)]
    assert rank_intervals([0.9, 0.8], [100] * 2) == [RankRange(1, 1), RankRange(2, 2)]  # .048 alone is apart
    assert rank_intervals([0.9, 0.8, 0.7], [100, 0, 100]) == [RankRange(1, 2), None, RankRange(2, 3)]


def test_paired_bootstrap_sees_what_is_shared() -> None:
    rng = np.random.default_rng(5)
    truth = rng.normal(size=150)
    shared = truth + rng.normal(0, 1.5, 150)
    first, second = shared + rng.normal(0, 0.1, 150), shared + rng.normal(0, 0.9, 150)
    found = paired_bootstrap(srcc_kernel(first, truth), srcc_kernel(second, truth), 150, np.random.default_rng(0))
    assert found.estimate.low > 0
    assert found.p < 0.01
    same = paired_bootstrap(srcc_kernel(first, truth), srcc_kernel(first, truth), 150, np.random.default_rng(0))
    assert (same.estimate.value, same.p) == (0.0, 1.0)
    # Better in all of 1,000 resamples: 2 (0 + 1) / (1,000 + 1).
    always = paired_bootstrap(mean_kernel(np.ones(9)), mean_kernel(np.zeros(9)), 9, np.random.default_rng(0))
    assert always.p == pytest.approx(2 / 1001)


def test_paired_bootstrap_p_is_uniform_without_a_difference() -> None:
    # Under no difference about 5 % of p-values fall below 0.05: 200 trials, 22 or more has p < 0.001.
    rng, low = np.random.default_rng(9), 0
    for _ in range(200):
        first, second = rng.random(60) < 0.5, rng.random(60) < 0.5
        found = paired_bootstrap(mean_kernel(first), mean_kernel(second), 60, rng)
        low += found.p < 0.05
    assert low < 22


def test_the_side_towards_zero_says_how_far_a_difference_is_from_it() -> None:
    # 1.96 errors are 0.5 on that side, whatever is on the other: 1 is 3.92 errors, and 2 (1 - F(3.92)) = 8.857e-5.
    assert p_of_interval(1.0, 0.5, 3.0) == pytest.approx(8.857e-5, rel=1e-3)
    assert p_of_interval(-1.0, -3.0, -0.5) == pytest.approx(8.857e-5, rel=1e-3)
    assert p_of_interval(1.0, 1.0, 3.0) is None


def test_from_two_intervals_alone() -> None:
    """56/70 against 48/80 with Wilson's intervals: Newcombe, Statistics in Medicine 1998, Table II (a), method 10."""
    better, worse = (0.8, 0.6918, 0.8771), (0.6, 0.4904, 0.7004)
    low, high = difference_interval(better, worse)
    assert (low, high) == (pytest.approx(0.0524, abs=2e-4), pytest.approx(0.3339, abs=2e-4))
    assert difference_interval(worse, better) == (-high, -low)


def test_rank_intervals_are_those_of_every_pair_tested_and_corrected_by_holm() -> None:
    rng = np.random.default_rng(0)
    for trial in range(60):
        n = 70 if trial < 2 else int(rng.integers(0, 25))  # 70: more than a block
        shares = rng.choice([0, 0.25, 0.5, 0.75, 1], n) if trial % 3 else rng.random(n)
        counts = rng.choice([0, 5, 100, 1000], n)
        pairs = [(i, j) for i in range(n) for j in range(i) if counts[i] and counts[j]]
        tests = [two_proportions(shares[i] * counts[i], counts[i], shares[j] * counts[j], counts[j]) for i, j in pairs]
        apart = [pair for pair, p in zip(pairs, holm(tests), strict=True) if p < 0.05]
        losers = [min(pair, key=lambda i: shares[i]) for pair in apart]
        winners = [max(pair, key=lambda i: shares[i]) for pair in apart]
        expected = [RankRange(1 + losers.count(i), n - winners.count(i)) if counts[i] else None for i in range(n)]
        assert rank_intervals(shares, counts) == expected
