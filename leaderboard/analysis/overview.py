"""One board at a glance: its best models, and its models by release month with the best so far and people's level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from leaderboard.tables.cells import Cell, Row
from leaderboard.tables.chance import Simulated, chance_level
from leaderboard.tables.columns import COMPARED_DECIMALS, Board, Column
from leaderboard.tables.differences import ModelDifference, differences
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts
from qbench.records import Source

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
class BoardSummary:
    """The figures of one board, by the column that ranks it."""

    table: Table
    chance: float | None

    @property
    def board(self) -> Board:
        """The board."""
        return self.table.board

    @property
    def column(self) -> Column:
        """The column that ranks it."""
        return self.table.primary

    @cached_property
    def ranked(self) -> list[Scored]:
        """Models that have a figure, best first."""
        return self._scored(self.table.ranked)

    @cached_property
    def people(self) -> list[Scored]:
        """Groups of people, lowest first."""
        return sorted(self._scored(self.table.references, "human"), key=self.merit)

    @property
    def top(self) -> Scored:
        """The best people, or the best model where no people's figure is known."""
        return self.people[-1] if self.people else self.ranked[0]

    @property
    def zero(self) -> float:
        """The chance level; where none is known, a figure of 0."""
        return self.chance or 0.0

    @cached_property
    def figures(self) -> dict[str, Cell]:
        """Id of a ranked model -> its figure."""
        return {scored.model.id: scored.figure for scored in self.ranked}

    def share(self, model: str) -> float | None:
        """Where a model's figure stands between 0 at chance and 100 at people; None where it has none."""
        figure = self.figures.get(model)
        return None if figure is None else 100 * (figure.value - self.zero) / (self.top.figure.value - self.zero)

    @property
    def may_be_first(self) -> int | None:
        """How many models the evidence does not tell from the first; None where the figures come without evidence."""
        claimed = [rank.claimed.best == 1 for rank in self.table.ranks[self.column.key].values() if rank.claimed]
        return sum(claimed) if claimed else None

    @cached_property
    def dated(self) -> list[Scored]:
        """Models by release month; of one month, the best first."""
        return sorted((one for one in self.ranked if one.model.released), key=lambda one: one.model.released or "")

    @property
    def undated(self) -> list[Scored]:
        """Models whose release month is not known, best first."""
        return [one for one in self.ranked if not one.model.released]

    @property
    def records(self) -> list[Scored]:
        """Those that were better than every model before them."""
        records: list[Scored] = []
        for scored in self.dated:
            if not records or self.merit(scored) > self.merit(records[-1]):
                records.append(scored)
        return records

    @property
    def levels(self) -> list[PeopleLevel]:
        """When which model drew level with people; the lowest group first."""
        return list(map(self._level, self.people))

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where the figures come from."""
        return self.table.sources((scored.model.id for scored in (*self.ranked, *self.people)), [self.column.key])

    def merit(self, scored: Scored) -> float:
        """The figure, negative where lower is better, as finely as figures are compared."""
        value = round(scored.figure.value, COMPARED_DECIMALS)
        return -value if self.column.metric.direction == "lower" else value

    def _level(self, people: Scored) -> PeopleLevel:
        first = next((scored for scored in self.dated if self.merit(scored) >= self.merit(people)), None)
        if not self.ranked or self.merit(self.ranked[0]) >= self.merit(people):
            return PeopleLevel(people, first, None)
        [pair] = differences(self.column, {one.model.id: one.figure for one in (people, self.ranked[0])})
        return PeopleLevel(people, first, pair)

    def _scored(self, rows: Mapping[str, Row], kind: str = "") -> list[Scored]:
        """Those with a figure in the column, in the order given."""
        key = self.column.key
        known = (row for row in rows.values() if key in row.cells and kind in ("", row.model.kind))
        return [Scored(row.model, row.cells[key]) for row in known]


def summarise(table: Table, simulated: Simulated) -> BoardSummary:
    """A board by the column that ranks it."""
    level = chance_level(table.primary, table, simulated)
    return BoardSummary(table, 0.0 if level is None and table.primary.metric.key in CORRELATIONS else level)
