"""One board at a glance: its best models, and its models by release month with the best so far and people's level."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Cell, Row
from leaderboard.tables.chance import Simulated, chance_level
from leaderboard.tables.columns import COMPARED_DECIMALS, Board, Column
from leaderboard.tables.differences import ModelDifference, differences
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts
from qbench.records import Source

TOP = 5
"""Models of a list of the best."""
CORRELATIONS = ("srcc", "plcc", "krcc")
"""Metrics that are 0 where scores have no relation with people's, as those of who does not look."""


@dataclass(frozen=True)
class Scored:
    """A model and its figure in the column that ranks the board."""

    model: ModelFacts
    figure: Cell


@dataclass(frozen=True)
class PeopleLevel:
    """Whether models are level with one group of people."""

    people: Scored
    first: Scored | None
    """The first to be at least as good, of the models whose release month is known."""
    nearest: ModelDifference | None
    """Where nobody is: how far the board's best model is behind."""


@dataclass(frozen=True)
class Timeline:
    """Models of one board by release month."""

    board: Board
    column: Column
    dated: tuple[Scored, ...]
    """By month; of one month, the best first."""
    records: tuple[Scored, ...]
    """Those that were better than every model before them."""
    undated: tuple[Scored, ...]
    """Models whose release month is not known, best first."""
    people: tuple[PeopleLevel, ...]
    """Lowest first."""
    chance: float | None
    best: Scored | None
    """Of all models, dated or not."""
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class TopList:
    """The best of one board, beside people and chance."""

    board: Board
    column: Column
    best: tuple[Scored, ...]
    """Best first, at most `TOP`."""
    models: int
    """How many have a figure."""
    may_be_first: int | None
    """How many of them the evidence does not tell from the first; None where the figures come without evidence."""
    people: Scored | None
    """The best group of people."""
    chance: float | None


def top_of(table: Table, simulated: Simulated) -> TopList:
    """The best of a board, by the column that ranks it."""
    column = table.primary
    ranked = _scored(table.ranked, column)
    claimed = [rank.claimed.best == 1 for rank in table.ranks[column.key].values() if rank.claimed]
    people = [scored for scored in _scored(table.references, column) if scored.model.kind == "human"]
    return TopList(
        board=table.board,
        column=column,
        best=tuple(ranked[:TOP]),
        models=len(ranked),
        may_be_first=sum(claimed) if claimed else None,
        people=max(people, key=lambda scored: merit(column, scored), default=None),
        chance=chance_of(column, table, simulated),
    )


@dataclass(frozen=True)
class FirstScreen:
    """What the first screen shows of the data."""

    models: int
    boards: int
    """How many have figures."""
    as_of: str
    revision: str
    tops: Mapping[str, TopList]
    """Key of a board -> its best, where there is such a board."""


def first_screen(snapshot: Snapshot, keys: Collection[str]) -> FirstScreen:
    """How much there is, and the best of the boards with these keys."""
    index = snapshot.index()
    return FirstScreen(
        models=index["models"],
        boards=sum(not board["empty"] for board in index["boards"]),
        as_of=snapshot.loaded.as_of,
        revision=snapshot.loaded.revision,
        tops={
            table.board.key: top_of(table, snapshot.simulated) for table in snapshot.tables if table.board.key in keys
        },
    )


def find_timeline(table: Table, simulated: Simulated) -> Timeline:
    """A board's models by release month, and when which of them drew level with people."""
    column = table.primary
    ranked = _scored(table.ranked, column)
    dated = sorted(
        (scored for scored in ranked if scored.model.released), key=lambda scored: scored.model.released or ""
    )
    references = _scored(table.references, column)
    people = sorted(
        (scored for scored in references if scored.model.kind == "human"), key=lambda scored: merit(column, scored)
    )
    return Timeline(
        board=table.board,
        column=column,
        dated=tuple(dated),
        records=tuple(best_so_far(column, dated)),
        undated=tuple(scored for scored in ranked if not scored.model.released),
        people=tuple(_level(column, group, dated, ranked) for group in people),
        chance=chance_of(column, table, simulated),
        best=ranked[0] if ranked else None,
        sources=table.sources((scored.model.id for scored in (*ranked, *people)), [column.key]),
    )


def chance_of(column: Column, table: Table, simulated: Simulated) -> float | None:
    """The chance level of a table's column; None where there is none."""
    level = chance_level(column, table, simulated)
    return 0.0 if level is None and column.metric.key in CORRELATIONS else level


def merit(column: Column, scored: Scored) -> float:
    """The figure, negative where lower is better, as finely as figures are compared."""
    value = round(scored.figure.value, COMPARED_DECIMALS)
    return -value if column.metric.direction == "lower" else value


def best_so_far(column: Column, dated: Iterable[Scored]) -> list[Scored]:
    """Of models in the order of their months, best first in each, those better than every one before."""
    records: list[Scored] = []
    for scored in dated:
        if not records or merit(column, scored) > merit(column, records[-1]):
            records.append(scored)
    return records


def difference(column: Column, one: Scored, other: Scored) -> ModelDifference:
    """How far two models are apart, and whether they can be told apart."""
    [pair] = differences(column, {one.model.id: one.figure, other.model.id: other.figure})
    return pair


def _level(column: Column, people: Scored, dated: Sequence[Scored], ranked: Sequence[Scored]) -> PeopleLevel:
    first = next((scored for scored in dated if merit(column, scored) >= merit(column, people)), None)
    behind = ranked and merit(column, ranked[0]) < merit(column, people)
    return PeopleLevel(people, first, difference(column, people, ranked[0]) if behind else None)


def _scored(rows: Mapping[str, Row], column: Column) -> list[Scored]:
    """Those with a figure in the column, in the order given."""
    return [Scored(row.model, row.cells[column.key]) for row in rows.values() if column.key in row.cells]
