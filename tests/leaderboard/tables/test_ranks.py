from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import pytest

from leaderboard.store import records_of
from leaderboard.tables.columns import Column, Metric
from leaderboard.tables.differences import Figure, differences
from leaderboard.tables.models import group_by_model
from leaderboard.tables.ranks import rank_column
from leaderboard.tables.table import build_table
from tests.leaderboard.made import board, find_model, result

SHARE = Column("share", "Share", ("all",), Metric("accuracy", "Accuracy", "", proportion=True))


def series(**values: float | None) -> pd.Series:
    return pd.Series(values, dtype=float)


def test_ties_share_the_better_rank_and_missing_has_none() -> None:
    column = Column("rho", "rho", ("all",), Metric("srcc", "SRCC", ""))
    value = series(a=0.5, b=0.7, c=0.5, d=None, e=-0.1)
    rank = rank_column(column, value, value * 0).rank
    assert rank["b"] == 1
    assert rank["a"] == rank["c"] == 2
    assert rank["e"] == 4
    assert pd.isna(rank["d"])


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_ranks_are_those_of_pandas(direction: Literal["higher", "lower"]) -> None:
    column = Column("rho", "rho", ("all",), Metric("srcc", "SRCC", "", direction=direction))
    generator = np.random.default_rng(0)
    for models in (1, 7, 300):
        value = pd.Series(generator.integers(0, models, models) / 10)  # with ties
        value[generator.random(models) < 0.3] = np.nan
        expected = value.rank(method="min", ascending=direction == "lower").astype("Int64")
        pd.testing.assert_series_equal(rank_column(column, value, value * 0).rank, expected)


def test_lower_is_better() -> None:
    column = Column("rmse", "RMSE", ("all",), Metric("rmse", "RMSE", "", direction="lower"))
    rank = rank_column(column, series(a=2.0, b=1.0), series(a=1, b=1)).rank
    assert (rank["b"], rank["a"]) == (1, 2)


def test_where_neither_end_is_better_nothing_is_ranked() -> None:
    column = Column("p1", "1", ("all",), Metric("p1", "1", "", direction="neither"))
    assert rank_column(column, series(a=0.2, b=0.1), series(a=1, b=1)).rank.isna().all()


def test_models_that_cannot_be_told_apart_claim_the_same_ranks() -> None:
    # Of 1,000 questions: 700 and 690 differ by 0.49 standard errors, 500 is more than 8 away from both.
    ranking = rank_column(SHARE, series(a=0.70, b=0.69, c=0.50), series(a=1000, b=1000, c=1000))
    claimed = {name: (ranks.best, ranks.worst) for name, ranks in ranking.ranges.items()}
    assert claimed == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}


def test_a_figure_without_a_count_claims_nothing_and_widens_the_others() -> None:
    ranking = rank_column(SHARE, series(a=0.70, b=0.10), series(a=1000, b=None))
    assert {name: (ranks.best, ranks.worst) for name, ranks in ranking.ranges.items()} == {"a": (1, 2)}


def test_no_claims_without_independent_items() -> None:
    column = Column("rho", "rho", ("all",), Metric("srcc", "SRCC", ""))
    assert rank_column(column, series(a=0.9, b=0.1), series(a=1000, b=1000)).ranges == {}


def test_no_model_and_a_single_model() -> None:
    assert rank_column(SHARE, series(), series()).ranges == {}
    only = rank_column(SHARE, series(a=0.7), series(a=1000)).ranges["a"]
    assert (only.best, only.worst) == (1, 1)


def test_averages_that_differ_by_rounding_alone_are_a_tie() -> None:
    """In floating point (0.1 + 0.2) / 2 is 0.15000000000000002; the mean of 0.15 and 0.15 is 0.15."""
    figures_on = {"alpha": (0.15, 0.15), "beta": (0.1, 0.2), "gamma": (0.1, 0.1)}
    results = [
        result(name, on, value) for name, both in figures_on.items() for on, value in zip("ab", both, strict=True)
    ]
    table = build_table(group_by_model(records_of(results), find_model), board(), board().choose("srcc"))
    assert table.ranked.value.loc["beta", "mean/srcc"] != table.ranked.value.loc["alpha", "mean/srcc"]
    assert table.ranks["mean/srcc"].rank.to_dict() == {"alpha": 1, "beta": 1, "gamma": 3}
    assert list(table.ranked.value.index) == ["alpha", "beta", "gamma"]  # ties by name
    means = table.ranked.value["mean/srcc"]
    [difference] = differences(table.columns[0], {name: Figure(means[name]) for name in ("beta", "alpha")})
    assert (difference.value, difference.leader) == (0, "beta")  # of two equal ones, the first asked for
