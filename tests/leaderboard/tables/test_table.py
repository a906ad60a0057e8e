from __future__ import annotations

import math

import pytest

from leaderboard.store import records_of
from leaderboard.tables.columns import EVERYTHING
from leaderboard.tables.models import group_by_model
from leaderboard.tables.row import Note
from leaderboard.tables.table import Table, build_table
from qbench.records import Estimate, Result
from tests.leaderboard.made import board, find_model, result


def table_of(*results: Result, metric: str = "srcc", part: str = EVERYTHING) -> Table:
    made = board()
    return build_table(group_by_model(records_of(results), find_model), made, made.choose(metric, part))


FULL = (
    result("beta", "a", 0.6),
    result("beta", "b", 0.6),
    result("alpha", "a", 0.7),
    result("alpha", "b", 0.5),
    result("gamma", "a", 0.9),
    result("people", "a", 0.95),
    result("people", "b", 0.95),
    result("chance", "a", 0.0),
)


def test_best_first_ties_by_name_incomplete_last() -> None:
    table = table_of(*FULL)
    assert list(table.ranked.value.index) == ["alpha", "beta", "gamma"]
    assert table.ranks["mean/srcc"].rank.dropna().to_dict() == {"alpha": 1, "beta": 1}
    assert math.isnan(table.ranked.value.loc["gamma", "mean/srcc"])
    assert table.notes["gamma", "mean/srcc"] == Note("absent", "no average, because there is no figure for B")


def test_references_stand_beside_the_ranking() -> None:
    table = table_of(*FULL)
    assert list(table.reference.value.index) == ["people", "chance"]
    assert not {"people", "chance"} & set(table.ranks["a/srcc"].rank.index)
    assert set(table.models) == {"people", "alpha", "beta", "gamma", "chance"}


def test_coverage_is_the_share_of_columns_with_a_figure() -> None:
    assert table_of(*FULL).coverage == pytest.approx({"alpha": 1, "beta": 1, "gamma": 1 / 3})


def test_a_model_without_any_figure_shown_has_no_row() -> None:
    assert list(table_of(*FULL, part="b").ranked.value.index) == ["beta", "alpha"]


def test_an_unknown_model_is_shown_under_its_own_name() -> None:
    table = table_of(result("<b>somebody's model</b>"))
    assert table.models["<b>somebody's model</b>"].name == "<b>somebody's model</b>"


def test_full_precision_and_intervals() -> None:
    table = table_of(result("alpha", "a", Estimate(1 / 3, 0.25, 0.4, n=100)))
    assert table.ranked.value.loc["alpha", "a/srcc"] == 1 / 3
    assert table.ranked.low.loc["alpha", "a/srcc"] == 0.25
    assert table.ranked.high.loc["alpha", "a/srcc"] == 0.4
    assert table.ranked.count.loc["alpha", "a/srcc"] == 100


def test_remarks_say_what_kind_they_are() -> None:
    flagged = Estimate(0.5, method="printed, wilson", note="mistyped", recomputed=0.6)
    table = table_of(
        result("alpha", "a", flagged),
        result("beta", "a", Estimate(None, note="not evaluated")),
        result("beta", "b", Estimate(0.4, method="bootstrap-1000", note="wide")),
    )
    assert table.notes["alpha", "a/srcc"] == Note("flag", "mistyped. The figure is shown and ranked as printed.", 0.6)
    assert table.notes["beta", "a/srcc"] == Note("absent", "not evaluated")
    assert table.notes["beta", "b/srcc"] == Note("info", "wide")


def test_figures_on_what_a_model_was_trained_on_are_marked() -> None:
    seen, unseen = {"trained_on": True}, {"trained_on": False}
    table = table_of(
        result("alpha", "a", 0.5, protocol=seen),
        result("alpha", "b", 0.5, protocol=unseen),
        result("beta", "a", Estimate(None, note="not evaluated"), protocol=seen),
        result("beta", "b", 0.5),
    )
    assert table.trained == {("alpha", "a/srcc"), ("alpha", "mean/srcc")}  # the mean is over what it was trained on


def test_provenance_lists_what_is_shown_and_what_is_passed_over() -> None:
    table = table_of(
        result("alpha", "a", 0.5, reference="upload", kind="rescored"),
        result("alpha", "a", 0.6, reference="Table 4"),
        result("alpha", "b", 0.7, reference="other upload", kind="rescored"),
    )
    origins = {origin.record.result.source.reference: origin for origin in table.origins["alpha"]}
    assert origins["Table 4"].shown == ("a/srcc",)
    assert origins["other upload"].shown == ("b/srcc",)
    assert origins["upload"].shown == ()
    assert origins["upload"].passed_over == {"a/srcc": 0.5}


def test_no_results_make_an_empty_table() -> None:
    table = table_of()
    assert table.ranked.value.shape == (0, 3)
    assert table.ranks["mean/srcc"].rank.empty
