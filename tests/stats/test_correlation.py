"""Correlations against hand-worked values, SciPy and known parameters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from qbench.errors import UndefinedError
from qbench.stats.correlation import average_ranks, krcc, plcc, restricted_srcc, rmse, srcc


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
    assert krcc(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("statistic", [srcc, plcc, krcc])
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
