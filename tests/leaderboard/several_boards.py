"""Made-up boards of one column each, over models that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, Recorded
from leaderboard.tables.columns import Address, Board, Part
from qbench.models.catalogue import ModelFacts
from tests.leaderboard.made import board, result

KINDS = {"people": "human", "random-guess": "reference"}


def find_model(name: str) -> ModelFacts:
    """A model by this id, released in the month that its letter says: a in January."""
    released = f"2024-{ord(name) - ord('a') + 1:02d}" if len(name) == 1 else None
    return ModelFacts(name, name.upper(), KINDS.get(name, "model"), released=released)  # type: ignore[arg-type]


def several_boards(**figures: Mapping[str, float]) -> Snapshot:
    """A board for each name, with these rank correlations by model."""
    boards = tuple(_board(name) for name in figures)
    results = [result(model, name, value) for name, row in figures.items() for model, value in row.items()]
    loaded = Loaded(tuple(Recorded(made, None) for made in results), (), "abc1234", ())
    return Snapshot(loaded, boards, find_model)


def _board(name: str) -> Board:
    column = next(column for column in board().columns if column.key == "a/srcc")
    column = replace(column, parts=(name,), find=Address("assessment", name, None, "srcc"))
    return board(key=name, title=name.capitalize(), columns=(column,), parts=(Part(name, name),), primary=name)
