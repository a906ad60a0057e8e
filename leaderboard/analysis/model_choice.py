"""Which models a comparison is about: those that a link names, or the best of a board."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from leaderboard.analysis.compare import compared_table, models_with_figures
from leaderboard.snapshot import Snapshot
from leaderboard.tables.columns import find_board
from qbench.models.catalogue import ModelFacts


class NamedModels(NamedTuple):
    """The models that somebody names, such as a link."""

    known: list[ModelFacts]
    """Each once."""
    unknown: list[str]
    """Names that no model goes by."""


def find_models(snapshot: Snapshot, board: str, names: Iterable[str]) -> NamedModels:
    """Which models are named, among those of a board and of the catalogue."""
    table = compared_table(snapshot, find_board(snapshot.boards, board))
    found = {name: table.rows[name].model if name in table.rows else snapshot.find_model(name) for name in names}
    return NamedModels(
        known=list({facts.id: facts for facts in found.values() if facts}.values()),
        unknown=[name for name, facts in found.items() if facts is None],
    )


def best_models(snapshot: Snapshot, board: str, count: int = 3) -> list[str]:
    """Ids of the leaders of a board by the column that ranks it, of those that have figures to compare."""
    table = snapshot.table(board)
    compared = models_with_figures(snapshot, table.board)
    return [name for name in table.ranked if name in compared][:count]
