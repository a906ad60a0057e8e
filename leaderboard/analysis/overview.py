"""One board at a glance, its best models and its models by release month; and boards beside each other: where each
model stands between chance and people, and how far training on a task reaches (UniSim-Bench, arXiv 2412.10594).

Every board is read by the column that ranks it, so that nothing is mixed that it keeps apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Cell, Row
from leaderboard.tables.chance import Simulated, chance_level
from leaderboard.tables.columns import COMPARED_DECIMALS, Board, Column
from leaderboard.tables.differences import ModelDifference, differences
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts
from qbench.records import Source

CORRELATIONS = ("srcc", "plcc", "krcc")
"""Metrics that are 0 where scores have no relation with people's, as those of who does not look."""
FEWEST_BOARDS = 2
"""Boards that a model must stand on for a row of the map."""


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

    @property
    def has_scale(self) -> bool:
        """Whether figures stand between guessing, or a natural zero, and something above it."""
        if not self.ranked or (self.chance is None and self.column.metric.direction == "lower"):
            return False
        return self.top.figure.value != self.zero

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


@dataclass(frozen=True)
class BoardMap:
    """Models by boards."""

    scales: tuple[BoardSummary, ...]
    models: tuple[ModelFacts, ...]
    """Those on several boards, in the order of the first board that has them."""
    on_one_board: tuple[ModelFacts, ...]
    left_out: tuple[BoardSummary, ...]
    """Boards that are not in the map."""


def map_boards(snapshot: Snapshot) -> BoardMap:
    """Every board that has figures, and every model on one of them."""
    summaries = [summarise(table, snapshot.simulated) for table in snapshot.tables]
    scales = tuple(summary for summary in summaries if summary.has_scale)
    models = {scored.model.id: scored.model for summary in scales for scored in summary.ranked}
    several = {name for name in models if sum(name in scale.figures for scale in scales) >= FEWEST_BOARDS}
    return BoardMap(
        scales=scales,
        models=tuple(model for name, model in models.items() if name in several),
        on_one_board=tuple(model for name, model in models.items() if name not in several),
        left_out=tuple(summary for summary in summaries if not summary.has_scale),
    )


NEAR_TO_FAR = ("data trained on", "same task, other data", "other core tasks", "tasks outside the core")
CORE, FAR = "unisim-core", "unisim-ood"


@dataclass(frozen=True)
class Reach:
    """One trained model: how far it stands above models that were trained on none of the data, in points."""

    model: ModelFacts
    trained_on: tuple[str, ...]
    """Labels of the data."""
    gains: dict[str, float]
    """Of `NEAR_TO_FAR` -> mean over tasks of the mean over their data; those with figures only."""
    sets: dict[str, int]
    """Of how many sets of data each is the mean."""


def find_reach(snapshot: Snapshot) -> list[Reach]:
    """Every model that was trained on data of the boards, the one that keeps most outside the core tasks first.

    Each figure is compared with the median of the models whose sources name no training on data of
    these boards. So what a hard set costs everybody counts for nobody.
    """
    tables = [table for table in snapshot.tables if table.board.key in (CORE, FAR)]
    cells: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    models: dict[str, ModelFacts] = {}
    seen: dict[str, dict[str, str]] = defaultdict(dict)
    for table in tables:
        columns = [column for column in table.columns if not column.averages and column.find]
        for name, row in table.rows.items():
            models[name] = row.model
            for column in columns:
                if cell := row.cells.get(column.key):
                    cells[table.board.key, column.parts[0], column.key][name] = 100 * cell.value
                    if cell.trained == "scores":
                        seen[name][column.key] = column.label
    references = {name for table in tables for name in table.references}
    gains: dict[str, dict[str, dict[str, list[float]]]] = {
        name: defaultdict(lambda: defaultdict(list)) for name in seen
    }
    for (board, task, place), figures in cells.items():
        usual = [value for name, value in figures.items() if name not in seen and name not in references]
        for name, data in seen.items():
            if usual and name in figures:
                tasks = {key.partition("/")[0] for key in data}
                where = 0 if place in data else 1 if task in tasks else 2 if board == CORE else 3
                gains[name][NEAR_TO_FAR[where]][task].append(figures[name] - median(usual))
    found = [
        Reach(
            models[name],
            tuple(dict.fromkeys(seen[name].values())),
            {where: fmean(map(fmean, by_distance[where].values())) for where in NEAR_TO_FAR if where in by_distance},
            {where: sum(map(len, tasks.values())) for where, tasks in by_distance.items()},
        )
        for name, by_distance in gains.items()
    ]
    return sorted(found, key=lambda reach: -reach.gains.get(NEAR_TO_FAR[-1], float("-inf")))
