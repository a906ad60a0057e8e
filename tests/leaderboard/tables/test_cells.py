from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.store import records_of
from leaderboard.tables.cells import Row, make_row, unread_share
from leaderboard.tables.columns import Board
from leaderboard.tables.models import group_by_model
from qbench.records import Estimate, Items, Result, Source
from tests.leaderboard.made import board, find_model, result


def row_of(*results: Result, on: Board | None = None) -> Row | None:
    [only] = group_by_model(records_of(results), find_model).values()
    shown = on or board()
    return make_row(only, shown, shown.columns)


def value(key: str, *results: Result, on: Board | None = None) -> float:
    row = row_of(*results, on=on)
    assert row is not None
    return row.cells[key].value


def test_the_published_figure_stands() -> None:
    kinds = ("self-reported", "live", "rescored", "paper")
    results = [result("alpha", srcc=0.1 * n, kind=kind) for n, kind in enumerate(kinds, start=1)]
    shown = [value("a/srcc", *results[: n + 1]) for n in range(4)]
    assert shown == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_among_equals_the_newest_then_the_first() -> None:
    old, new = (
        result("alpha", srcc=0.1, kind="rescored", at="2024-01-01"),
        result("alpha", srcc=0.2, kind="rescored", at="2025-01-01"),
    )
    assert value("a/srcc", old, new) == 0.2
    assert value("a/srcc", result("alpha", srcc=0.3), result("alpha", srcc=0.4)) == 0.3


def test_a_figure_goes_before_a_reason() -> None:
    absent = result("alpha", srcc=Estimate(None, note="not evaluated"))
    assert value("a/srcc", absent, result("alpha", srcc=0.2, kind="self-reported")) == 0.2


def test_the_printed_average_is_shown_where_it_averages_the_figures_shown() -> None:
    rows = [result("alpha", "a", 0.4), result("alpha", "b", 0.5), result("alpha", "average-of-2", 0.44)]
    assert value("mean/srcc", *rows) == 0.44


def test_our_own_average_where_a_figure_has_another_source() -> None:
    rows = [
        result("alpha", "a", 0.4),
        result("alpha", "b", 0.5, kind="rescored"),
        result("alpha", "average-of-2", 0.44),
    ]
    row = row_of(*rows)
    assert row is not None
    assert row.cells["mean/srcc"].value == pytest.approx(0.45)
    assert row.cells["mean/srcc"].note == ("info", "our mean of the 2 figures it averages", None)
    assert row.cells["mean/srcc"].record is None


def test_weights_and_averages_of_averages() -> None:
    first, *others = board().columns
    weighted = replace(first, weights=(3.0, 1.0), find=None)
    whole = replace(first, key="whole", find=None, mean_of=("mean/srcc", "a/srcc"), weights=())
    made = board(columns=(whole, weighted, *others))
    rows = [result("alpha", "a", 0.4), result("alpha", "b", 0.8)]
    assert value("mean/srcc", *rows, on=made) == pytest.approx(0.5)
    assert value("whole", *rows, on=made) == pytest.approx(0.45)


def test_replies_that_were_not_read_are_counted_beside_the_accuracy() -> None:
    items = {"accuracy": Items("mean", tuple("abcdefgh"), (1.0,) * 3 + (0.0,) * 5)}
    rescored = Source("rescored")
    accuracy = {"accuracy": Estimate(3 / 8, n=8)}
    made = replace(
        result("alpha"), metrics=accuracy, items=items, source=rescored, unscored={"refused": 1, "unparseable": 1}
    )
    assert unread_share(made) == Estimate(
        0.25, n=8, method="count", note="1 refused, 1 unparseable of 8; accuracy without them 50.00 %"
    )
    assert unread_share(replace(made, unscored={})) == Estimate(0.0, n=8, method="count")
    assert unread_share(replace(made, source=Source("paper"))) is None  # papers count nobody's
