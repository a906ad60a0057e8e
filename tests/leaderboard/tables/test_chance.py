"""Which level of chance each column has."""

from __future__ import annotations

import pytest

from leaderboard.boards import all_boards
from leaderboard.tables.chance import chance_level
from leaderboard.tables.columns import Column
from tests.leaderboard.published import published, simulated


def test_every_correlation_of_the_boards_has_a_level() -> None:
    columns = {
        column.key
        for board in all_boards()
        for column in board.columns
        if board.key not in ("demo", "2afc-rankings")  # not the paper's rounds; not MAP, for which levels are simulated
        and column.metric.key == "correlation"
        and not column.mean_of
        and "averages" not in column.parts
    }
    assert set(simulated()) == columns


def test_levels_are_printed_constructed_or_simulated() -> None:
    def level(board: str, key: str) -> float | None:
        table = published().table(board, "all")
        [column] = [column for column in table.columns if column.key == key]
        return chance_level(column, table, simulated())

    assert level("perception-dev", "question_type/how") == 0.3331  # Table 7
    assert level("2afc-coarse", "spaq/consistency") == 0.5
    assert level("2afc-coarse", "spaq/accuracy_joint") == 0.25
    assert level("2afc-coarse", "spaq/correlation") == pytest.approx(0.15, abs=0.01)
    assert level("unisim-ood", "odd-one-out/imagenet-ooo") == pytest.approx(1 / 3)
    assert level("unisim-ood", "retrieval/r-oxford") is None
    assert level("unisim-core", "it-2afc/hpdv2") == 0.5
    assert level("unisim-n-way", "9-way") == pytest.approx(1 / 9)
    assert level("demo-n-way", "4-way") == 0.25
    assert level("assessment", "spaq/srcc") is None


def test_the_chance_level_of_a_weighted_mean_is_weighted() -> None:
    table = published().table("unisim-n-way", "all")
    mean = Column("mean", "Mean", ("mean",), table.columns[0].metric, mean_of=("3-way", "9-way"), weights=(1, 3))
    assert chance_level(mean, table, simulated()) == pytest.approx((1 / 3 + 3 / 9) / 4)
