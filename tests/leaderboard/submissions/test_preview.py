"""Where results would stand, on a board small enough to rank by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, records_of
from leaderboard.submissions.preview import Placing, find_listings, find_placings
from leaderboard.tables.columns import Address, Board, Column, Metric, MetricView, Part
from qbench.records import Estimate, Result, Source

SHARE = Metric("accuracy", "Accuracy", "Share.", unit="%", scale=100, decimals=2, proportion=True)
PLACE = ("perception", "quiz", None, "accuracy")
BOARD = Board(
    key="quiz",
    title="Quiz",
    sentence="A quiz.",
    columns=(
        Column("overall", "Overall", ("overall",), SHARE, Address(*PLACE)),
        Column("how", "How", ("overall",), SHARE, Address(*PLACE, "question_type", "how")),
    ),
    parts=(Part("overall", "Overall"),),
    views=(MetricView("accuracy", "Accuracy", ("accuracy",)),),
    method="Quiz",
    primary="overall",
    protocol={"limit": ()},
)


def result(model: str, value: float, n: int | None = 1000, kind: Any = "paper", **changes: Any) -> Result:
    estimate = Estimate(value, n=n)
    return Result("perception", "quiz", model, {"accuracy": estimate}, Source(kind), **changes)


PRESENT = [result("best", 0.8), result("near", 0.62), result("far", 0.3), result("printed", 0.1, None)]


def place(*added: Result, present: Iterable[Result] = PRESENT) -> list[Placing]:
    loaded = Loaded(records_of(present), (), "abc1234")
    return find_placings(Snapshot(loaded, (BOARD,), lambda _name: None), added)


def test_the_row_its_rank_and_its_neighbours() -> None:
    [row] = place(result("new", 0.6, kind="self-reported"))
    assert (row.rank, row.models, row.unranked) == (3, 5, "")
    assert (row.above and row.above.name, row.below and row.below.name) == ("near", "far")
    assert [neighbour.name for neighbour in row.alike] == ["near"]
    assert row.untested == 1
    assert (row.best, row.worst) == (2, 4)  # near may be below it, and nobody knows about the printed figure


def test_a_published_figure_stands_and_the_row_says_so() -> None:
    [row] = place(result("best", 0.9, kind="rescored"))
    assert (row.filled, row.passed_over, row.value) == ((), ("overall",), 0.9)
    [known] = row.same_name
    assert (known.column.key, known.on_board, known.yours, known.stays) == ("overall", 0.8, 0.9, True)
    assert known.record.result.source.kind == "paper"
    assert (row.rank, row.models, row.below and row.below.name) == (1, 5, "best")  # as a row of its own would stand
    assert row.unranked == "the figures that were published under this name stay"


def test_an_older_figure_of_the_same_kind_gives_way_and_both_are_told() -> None:
    """Uploads have no date yet: they are the newest once they are handed in."""
    older = replace(result("mine", 0.5), source=Source("self-reported", at="2026-01-01"))
    newer = result("mine", 0.7, kind="self-reported")
    [row] = place(newer, present=[*PRESENT, older])
    assert (row.filled, row.passed_over, row.value, row.rank) == (("overall",), (), 0.7, 2)
    [known] = row.same_name
    assert (known.on_board, known.yours, known.stays) == (0.5, 0.7, False)


def test_a_part_of_the_dataset_is_not_on_the_board() -> None:
    assert place(result("new", 0.9, protocol={"limit": 10})) == []


def test_without_the_ranking_figure_there_is_no_rank() -> None:
    groups = {"question_type": {"how": {"accuracy": Estimate(0.5, n=100)}}}
    only = Result("perception", "quiz", "new", {}, Source("self-reported"), groups=groups)
    [row] = place(only)
    assert (row.column.key, row.rank, row.unranked) == ("how", 1, "Overall is not filled")


def test_neighbours_are_those_by_the_column_on_show() -> None:
    """The board ranks high above low; by the one column that the new row fills it is the other way round."""

    def how(model: str, value: float, **overall: Estimate) -> Result:
        groups = {"question_type": {"how": {"accuracy": Estimate(value, n=100)}}}
        return Result("perception", "quiz", model, overall, Source("paper"), groups=groups)

    present = [how("high", 0.2, accuracy=Estimate(0.8)), how("low", 0.9, accuracy=Estimate(0.3))]
    [row] = place(how("new", 0.5), present=present)
    assert (row.rank, row.above and row.above.name, row.below and row.below.name) == (2, "low", "high")


def test_a_part_is_listed_under_its_board_with_what_it_covers() -> None:
    part = result("new", 0.9, protocol={"limit": 10})
    [one] = find_listings([part, result("whole", 0.5)], [BOARD], lambda _name: None)
    assert (one.board.key, one.covers, one.figures) == ("quiz", "the first 10", {"overall": 0.9})
