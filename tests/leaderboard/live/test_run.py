"""Where the result of a run stands on its board."""

from __future__ import annotations

from pathlib import Path

from leaderboard.charts.comparison import draw
from leaderboard.live.run import BoardPosition, FinishedRun, position_on_boards
from leaderboard.live.run_files import RunRecords
from qbench.datasets import Dataset
from qbench.datasets.known import find_dataset
from qbench.records import Estimate, Result, Source
from tests.leaderboard.published import published

ACCURACY = Estimate(0.7, 0.68, 0.72, n=1495, method="wilson")


def placed(name: str = "llvisionqa-dev", limit: int | None = None) -> FinishedRun:
    groups = {
        grouping: {group: {"accuracy": ACCURACY} for group in members}
        for grouping, members in (
            ("question_type", ("yes-or-no", "what", "how")),
            ("concern", ("distortion", "other", "in-context-distortion", "in-context-other")),
        )
    }
    metrics = {"accuracy": ACCURACY}
    result = Result("perception", name, "mine", metrics, Source("live"), split="dev", groups=groups, raw="0" * 64)
    records = RunRecords(Path("runs"), {"one.json": result})
    return FinishedRun(records, Dataset(name, (), "1" * 64, "dev", find_dataset(name), limit), None, cached=False)


def test_a_result_stands_among_the_models_of_its_board() -> None:
    position = position_on_boards(placed(), published())
    assert isinstance(position, BoardPosition)
    (placing,) = position.placings
    assert (placing.board.key, placing.rank) == ("perception-dev", 31)
    names = [model.id for model in position.profile.models]
    assert names[0] == "mine"
    assert len(names) > 2
    assert {figure.value for figure in position.profile.figures["mine"].values()} == {0.7}
    assert draw(position.profile, above_chance=True).text.startswith("Radar chart of mine, QualiRAG")


def test_demo_sets_parts_and_strangers_are_compared_with_nobody() -> None:
    assert position_on_boards(placed("demo-perception"), published()) == "demo set"
    assert position_on_boards(placed(limit=50), published()) == "part of a dataset"
    assert position_on_boards(placed("hpdv2-9-way"), published()) == "no column"
