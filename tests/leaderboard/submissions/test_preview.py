"""Where results would stand, on a board small enough to rank by hand."""

from __future__ import annotations

from typing import Any

from leaderboard.columns import Address, Board, Column, Metric, MetricView, Part
from leaderboard.submissions.preview import Placing, listings, preview
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


def place(*added: Result) -> list[Placing]:
    return preview(PRESENT, added, [BOARD], lambda _name: None)


def test_the_row_its_rank_and_its_neighbours() -> None:
    [row] = place(result("new", 0.6, kind="self-reported"))
    assert (row.rank, row.models, row.unranked) == (3, 5, "")
    assert (row.above and row.above.name, row.below and row.below.name) == ("near", "far")
    assert [one.name for one in row.alike] == ["near"]
    assert row.untested == 1
    assert (row.best, row.worst) == (2, 4)  # near may be below it, and nobody knows about the printed figure


def test_a_published_figure_stands_and_the_row_says_so() -> None:
    [row] = place(result("best", 0.9, kind="rescored"))
    assert (row.filled, row.passed_over, row.value) == ((), ("overall",), 0.8)


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
    [row] = preview(present, [how("new", 0.5)], [BOARD], lambda _name: None)
    assert (row.rank, row.above and row.above.name, row.below and row.below.name) == (2, "low", "high")


def test_a_part_is_listed_under_its_board_with_what_it_covers() -> None:
    part = result("new", 0.9, protocol={"limit": 10})
    [one] = listings([part, result("whole", 0.5)], [BOARD], lambda _name: None)
    assert (one.board.key, one.covers, one.figures) == ("quiz", "the first 10", {"overall": 0.9})
