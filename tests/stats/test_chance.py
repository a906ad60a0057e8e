"""The level of a coin-flip judge, against simulations of the released protocol made independently of this code."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import OptimizeWarning, curve_fit
from scipy.stats import pearsonr, spearmanr

from qbench.errors import UndefinedError
from qbench.pairing import coarse_rounds
from qbench.stats.chance import flip_coins, levels
from qbench.stats.ranking import rescale


def chance_levels(*asked, replicates):
    return levels({"": flip_coins(*asked, replicates=replicates)})


def logistic(x, top, bottom, middle, scale):
    return (top - bottom) / (1 + np.exp(-(x - middle) / scale)) + bottom


def fitted(scores, human):
    """The released code's correlation: scores on 0-100, four-parameter logistic, then Pearson."""
    x = rescale(scores)
    start = [human.max(), human.min(), x.mean(), x.std() / 4]
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("ignore", OptimizeWarning)
        try:
            found, _ = curve_fit(logistic, x, human, p0=start, maxfev=50_000)
        except RuntimeError as error:
            raise UndefinedError("no fit") from error
        return float(pearsonr(logistic(x, *found), human).statistic)


STATISTICS = {
    "srcc": lambda x, y: float(spearmanr(x, y).statistic),
    "plcc": lambda x, y: float(pearsonr(x, y).statistic),
    "correlation": fitted,
}


@pytest.mark.parametrize(("n", "reported", "tolerance"), [(30, 0.31, 0.04), (160, 0.146, 0.02)])
def test_levels_of_the_released_protocol(n, reported, tolerance):
    # `reported`: mean over 60 coin-flip judges, 12 rounds, with the released pairing, MAP and fit. Its standard
    # error is 0.013 at 30 items and 0.006 at 160, and ours is the same; the tolerance is about two of their sum.
    human = np.random.default_rng(0).normal(50, 15, n)
    pairs = coarse_rounds(n).reshape(-1, 2)
    found = chance_levels(pairs, human, STATISTICS, np.random.default_rng(1), replicates=60)
    assert found["correlation"].value == pytest.approx(reported, abs=tolerance)
    for name in ("srcc", "plcc"):
        assert found[name].low < 0 < found[name].high
        assert abs(found[name].value) < 4 / np.sqrt(60 * n)
    assert found["srcc"].high == pytest.approx(1.96 / np.sqrt(n), rel=0.5)
    assert found["srcc"].method == "coin-flip-60"


def test_undefined_replicates_are_left_out_and_said():
    calls = iter(range(100))

    def sometimes(scores, human):
        if next(calls) % 2:
            raise UndefinedError("half of the time")
        return 1.0

    pairs = coarse_rounds(8, 3).reshape(-1, 2)
    level = chance_levels(pairs, np.arange(8.0), {"x": sometimes}, np.random.default_rng(0), replicates=20)["x"]
    assert level.value == 1.0
    assert level.low is None
    assert "10 of 20" in level.note


def test_several_sets_are_averaged_judge_by_judge():
    flips = {"a": {"x": np.array([1.0, 0.0, np.nan])}, "b": {"x": np.array([0.0, 0.5, 0.5])}}
    assert levels(flips)["x"].value == pytest.approx((0.5 + 0.25 + 0.5) / 3)
    assert levels(flips, ["b"])["x"].value == pytest.approx(1 / 3)
    assert (levels(flips)["x"].n, levels(flips, ["b"])["x"].n) == (2, 1)
