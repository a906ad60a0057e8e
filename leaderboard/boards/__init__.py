"""The boards: which figures of which papers stand in which column."""

from __future__ import annotations

from leaderboard.boards import demo, qbench, twoafc, unisim
from leaderboard.columns import Board


def all_boards() -> tuple[Board, ...]:
    """Every board, in the order people choose from; synthetic truth last, apart from what papers report."""
    return (
        qbench.perception("test", "Table 2"),
        qbench.perception("dev", "Table 7"),
        qbench.description(),
        qbench.assessment(),
        twoafc.coarse(),
        twoafc.fine(),
        unisim.core(),
        unisim.ood(),
        unisim.n_way(),
        demo.synthetic(),
        demo.n_way(),
    )
