"""One board at a glance: its models by release month, the best so far, people's level, and which open model to take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.tables.cells import Cell, Row
from leaderboard.tables.chance import Simulated, chance_level
from leaderboard.tables.columns import COMPARED_DECIMALS, Board, Column
from leaderboard.tables.differences import ModelDifference, differences
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts
from qbench.records import Source

CARD = 24
"""Gigabytes of a common graphics card."""
BYTES_A_PARAMETER = 2
MARGIN = 0.2
"""Of memory beyond the weights, for images, prompt and answer."""
LARGEST_ON_CARD = CARD / (BYTES_A_PARAMETER * (1 + MARGIN))
"""Billions of parameters."""
SMALL = 8.9
"""Billions of parameters of the models that most people run: what is called 8B may have 8.2 or 8.5. The chip of a board
(assets/board/chips.js) says the same."""
TOP = 3
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
class Choice:
    """The best models of a kind, and how far they can be told apart."""

    best: tuple[Scored, ...]
    """Best first, at most `TOP`."""
    differences: tuple[ModelDifference, ...]
    """Of the first to each of the others, in their order; corrected over all pairs of the best, as on Compare."""
    unknown: int
    """Open models whose number of parameters nobody states."""


@dataclass(frozen=True)
class OpenAndClosed:
    """The best model with open weights beside the best without."""

    open: Scored
    closed: Scored
    difference: ModelDifference


@dataclass(frozen=True)
class BoardOverview:
    """What the overview says of one board."""

    timeline: Timeline
    on_card: Choice
    small: Choice
    with_people: tuple[Board, ...]
    """Where people were asked too, if they were not here; those of this benchmark alone, where it has any."""
    open_and_closed: OpenAndClosed | None


def overview_of(table: Table, simulated: Simulated, boards_with_people: Sequence[Board] = ()) -> BoardOverview:
    """Everything about one board, by the column that ranks it."""
    column = table.primary
    ranked = _scored(table.ranked, column)
    timeline = find_timeline(table, simulated)
    same = [board for board in boards_with_people if board.benchmark == table.board.benchmark]
    return BoardOverview(
        timeline=timeline,
        on_card=best_open(column, ranked, LARGEST_ON_CARD),
        small=best_open(column, ranked, SMALL),
        with_people=() if timeline.people else tuple(same or boards_with_people),
        open_and_closed=open_and_closed(column, ranked),
    )


def boards_with_people(tables: Iterable[Table]) -> list[Board]:
    """The boards whose ranking column has a figure of people."""
    return [
        table.board
        for table in tables
        if any(scored.model.kind == "human" for scored in _scored(table.references, table.primary))
    ]


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


def best_open(column: Column, ranked: Sequence[Scored], most_parameters: float) -> Choice:
    """The best open models of at most so many billions of parameters, those of unknown size left out."""
    open_models = [scored for scored in ranked if scored.model.open]
    best = [scored for scored in open_models if (scored.model.parameters or float("inf")) <= most_parameters][:TOP]
    return Choice(
        best=tuple(best),
        differences=_to_first(column, best),
        unknown=sum(scored.model.parameters is None for scored in open_models),
    )


def _to_first(column: Column, best: Sequence[Scored]) -> tuple[ModelDifference, ...]:
    pairs = differences(column, {scored.model.id: scored.figure for scored in best})
    by_models = {frozenset((pair.leader, pair.other)): pair for pair in pairs}
    return tuple(by_models[frozenset((best[0].model.id, other.model.id))] for other in best[1:])


def open_and_closed(column: Column, ranked: Sequence[Scored]) -> OpenAndClosed | None:
    """The best open model beside the best closed one; None where one of them is missing."""
    best = [next((scored for scored in ranked if scored.model.open is kind), None) for kind in (True, False)]
    if best[0] is None or best[1] is None:
        return None
    return OpenAndClosed(best[0], best[1], difference(column, best[0], best[1]))


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
