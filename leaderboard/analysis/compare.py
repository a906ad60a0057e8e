"""Two to six models side by side on one board: their figures, the chance levels, and how far they can be told apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Cell
from leaderboard.tables.chance import chance_level
from leaderboard.tables.columns import (
    Board,
    ChartForm,
    ChartLayout,
    Column,
    Metric,
    find_board,
    join_boards,
)
from leaderboard.tables.differences import ModelDifference, differences
from leaderboard.tables.table import Table
from qbench.errors import UserError
from qbench.models.catalogue import ModelFacts
from qbench.records import Items, Source

MOST_MODELS = 6
"""Models in one comparison; more have no colours of their own."""
FEWEST_AXES, MOST_AXES = 3, 9
"""Of a radar: fewer say less than a table, and the names of more cover each other."""


@dataclass(frozen=True)
class Profile:
    """The figures of some models on one board."""

    board: Board
    form: ChartForm
    metric: Metric
    choices: tuple[Metric, ...]
    """Kinds of figure that could be shown instead."""
    axes: tuple[Column, ...]
    summaries: tuple[Column, ...]
    labels: Mapping[str, str]
    """Column key -> a label no other column here has."""
    models: tuple[ModelFacts, ...]
    """Those chosen that have a figure here."""
    references: tuple[ModelFacts, ...]
    """People and random guess."""
    absent: tuple[ModelFacts, ...]
    """Those chosen that are not on the board."""
    without_figures: tuple[ModelFacts, ...]
    """Those chosen that are on the board, but have none of the figures compared."""
    empty: bool
    """Whether nobody has any."""
    figures: Mapping[str, Mapping[str, Cell]]
    """Model id -> column key -> figure, where there is one."""
    chance: Mapping[str, float]
    """Column key -> chance level, where there is one."""
    bounds: tuple[float, float]
    """Ends of the axes, the same whichever models are chosen."""
    bounds_above_chance: tuple[float, float] | None
    """The same after subtracting chance; None where an axis has no chance level, and where the chart is no radar."""
    differences: tuple[ModelDifference, ...]
    """None in columns that rank nobody."""
    sources: tuple[Source, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Everything there are figures for, summaries first."""
        return (*self.summaries, *self.axes)

    @property
    def everyone(self) -> tuple[ModelFacts, ...]:
        """Models and references."""
        return (*self.models, *self.references)

    @property
    def suits_radar(self) -> bool:
        """Whether a radar shows it; dots can always take its place."""
        return self.form == "radar" and FEWEST_AXES <= len(self.axes) <= MOST_AXES

    @property
    def has_marks(self) -> bool:
        """Whether a chart has anything to draw of the models."""
        return any(axis.key in self.figures[model.id] for model in self.models for axis in self.axes)

    def ends(self, above_chance: bool) -> tuple[float, float]:
        """Ends of the axes, with the chance level subtracted or not."""
        return (self.bounds_above_chance if above_chance else None) or self.bounds

    @property
    def untested(self) -> tuple[ModelFacts, ...]:
        """Models with a figure that nothing says how to test, where others can be tested."""
        tested = {name for pair in self.differences if pair.p is not None for name in (pair.leader, pair.other)}
        return tuple(model for model in self.models if tested and model.id not in tested)


def compare_models(snapshot: Snapshot, board: str, models: Iterable[str], metric: str = "") -> Profile:
    """The figures of some models beside each other.

    Args:
        snapshot: The data.
        board: Key of a board.
        models: Names or ids of at most six models; people and random guess are added by themselves.
        metric: Kind of figure, where the board offers a choice; empty for its default.

    Raises:
        UserError: No such board, metric or model, or too many models.
    """
    own = find_board(snapshot.boards, board)
    layout = own.chart_layout
    table = compared_table(snapshot, own)
    choices = _choices(own, layout, metric)
    columns = _columns(table.board, layout, (metric or choices[0].key) if choices else "")
    axes = _axes(columns, layout)
    chosen = _choose(find_models(snapshot, board, models))
    with_figures = table.figures(columns)
    ranked = {name: cells for name, cells in with_figures.items() if name in table.ranked}
    present = tuple(model for model in chosen if model.id in ranked)
    others = [model for model in chosen if model.id not in with_figures]
    references = tuple(row.model for name, row in table.references.items() if name in with_figures)
    levels = {column.key: chance_level(column, table, snapshot.simulated) for column in columns}
    chance = {key: level for key, level in levels.items() if level is not None}
    on_axes = [(axis.key, row[axis.key].value) for row in with_figures.values() for axis in axes if axis.key in row]
    summaries = tuple(
        column
        for column in columns
        if column not in axes and (not present or any(column.key in ranked[model.id] for model in present))
    )
    return Profile(
        board=own,
        form=layout.form,
        metric=next((kind for kind in choices if kind.key == metric), choices[0] if choices else axes[0].metric),
        choices=choices,
        axes=axes,
        summaries=summaries,
        labels=_labels(table.board, columns),
        models=present,
        references=references,
        absent=tuple(model for model in others if model.id not in table.rows),
        without_figures=tuple(model for model in others if model.id in table.rows),
        empty=not ranked,
        figures={model.id: with_figures[model.id] for model in (*present, *references)},
        chance=chance,
        bounds=_bounds([value for _, value in on_axes], full=True),
        bounds_above_chance=_bounds([value - chance[key] for key, value in on_axes], full=False)
        if layout.form == "radar" and all(axis.key in chance for axis in axes)
        else None,
        differences=tuple(
            pair
            for column in columns
            if column.ranks_models
            for pair in differences(
                column,
                {model.id: ranked[model.id][column.key] for model in present if column.key in ranked[model.id]},
                _items(ranked, column),
            )
        ),
        sources=table.sources([model.id for model in (*present, *references)], _with_parts(table, [*axes, *summaries])),
    )


def comparison_json(profile: Profile, revision: str) -> dict[str, Any]:
    """A comparison as plain data."""
    names = {
        group: [{"id": model.id, "name": model.name} for model in getattr(profile, group)]
        for group in ("models", "references", "absent", "without_figures")
    }
    return {
        "schema": 1,
        "revision": revision,
        "board": profile.board.key,
        "metric": profile.metric.key if profile.choices else None,
        **names,
        "columns": [
            {
                "key": column.key,
                "label": profile.labels[column.key],
                "metric": column.metric.key,
                "direction": column.metric.direction,
                "summary": column in profile.summaries,
                "chance": profile.chance.get(column.key),
                "alternatives": column.alternatives,
            }
            for column in profile.columns
        ],
        "figures": {model: {key: cell.figure() for key, cell in row.items()} for model, row in profile.figures.items()},
        "differences": [
            {("p_holm" if name == "p" else name): value for name, value in asdict(pair).items()} | {"apart": pair.apart}
            for pair in profile.differences
        ],
        "sources": list(dict.fromkeys(source.cited for source in profile.sources)),
    }


def _items(figures: Mapping[str, Mapping[str, Cell]], column: Column) -> dict[str, Items]:
    """Model id -> what single items add to its figure, where the record behind it has that."""
    if column.find is None or column.find.grouping is not None:
        return {}
    records = {name: cells[column.key].record for name, cells in figures.items() if column.key in cells}
    return {
        name: items
        for name, record in records.items()
        if record and (items := record.result.items.get(column.find.metric))
    }


def _choices(board: Board, layout: ChartLayout, metric: str) -> tuple[Metric, ...]:
    """Kinds of figure the board offers."""
    if metric and metric not in layout.metrics:
        fix = f"choose one of {', '.join(layout.metrics)}" if layout.metrics else "leave it empty"
        raise UserError(f"{metric!r} is no kind of figure to compare on the board {board.key}; {fix}.")
    metrics = {column.metric.key: column.metric for column in board.columns}
    return tuple(metrics[key] for key in layout.metrics)


def _columns(board: Board, layout: ChartLayout, metric: str) -> list[Column]:
    """Columns of the chart and of what sums them up, in the board's order."""
    return [
        column
        for column in (board.columns if metric else board.shown(""))
        if (not metric or column.metric.key == metric) and (not layout.part or layout.part in column.parts)
    ]


def _labels(board: Board, columns: Sequence[Column]) -> dict[str, str]:
    """The column's own label; that of its part where several columns share one, and both where several share that."""
    parts = {part.key: part.label for part in board.parts}
    shared = Counter(column.label for column in columns)
    labels = {column: parts[column.parts[0]] if shared[column.label] > 1 else column.label for column in columns}
    still = Counter(labels.values())
    return {
        column.key: f"{label}, {column.label}" if still[label] > 1 and label != column.label else label
        for column, label in labels.items()
    }


def compared_table(snapshot: Snapshot, board: Board) -> Table:
    """All columns of the board and of those drawn with it, which are not summed up."""
    layout = board.chart_layout
    if layout.joined_boards:
        others = (find_board(snapshot.boards, key) for key in layout.joined_boards)
        board = join_boards(board, others, without=layout.summaries)
    return snapshot.table_of(board)


def _axes(columns: Sequence[Column], layout: ChartLayout) -> tuple[Column, ...]:
    return tuple(column for column in columns if not set(column.parts) & set(layout.summaries))


def models_with_figures(snapshot: Snapshot, board: Board) -> set[str]:
    """Ids of the models that have any of the figures that the chart of a board draws."""
    layout, table = board.chart_layout, compared_table(snapshot, board)
    metrics = layout.metrics or ("",)
    axes = [axis for metric in metrics for axis in _axes(_columns(table.board, layout, metric), layout)]
    return set(table.figures(axes)) & set(table.ranked)


def _choose(named: NamedModels) -> list[ModelFacts]:
    if named.unknown:
        raise UserError(f"no model goes by the name {named.unknown[0]!r}; choose one that is on a board.")
    if len(named.known) > MOST_MODELS:
        raise UserError(f"{len(named.known)} models are too many for one comparison; choose at most {MOST_MODELS}.")
    return named.known


def _bounds(values: Sequence[float], *, full: bool) -> tuple[float, float]:
    """Round ends that hold zero and every figure; `full` for the whole of a scale that ends at 1."""
    low, high = min([0.0, *values]), max([0.0, *values])
    step = 0.1 if high <= 1 else 1.0
    top = 1.0 if full and high <= 1 else math.ceil(high / step - 1e-9) * step
    return math.floor(low / step + 1e-9) * step, round(top, 1)


def _with_parts(table: Table, columns: Sequence[Column]) -> set[str]:
    """The columns on show, and those that they average."""
    keys = {column.key for column in columns}
    for _ in range(2):  # a mean of two correlations may itself be averaged over datasets
        keys |= {part for column in table.columns if column.key in keys for part in column.mean_of}
    return keys


class NamedModels(NamedTuple):
    """The models that somebody names, such as a link."""

    known: list[ModelFacts]
    """Each once."""
    unknown: list[str]
    """Names that no model goes by."""


def find_models(snapshot: Snapshot, board: str, names: Iterable[str]) -> NamedModels:
    """Which models are named, among those of a board and of the catalogue."""
    rows = compared_table(snapshot, find_board(snapshot.boards, board)).rows
    found = {name: rows[name].model if name in rows else snapshot.find_model(name) for name in names}
    return NamedModels(
        known=list({facts.id: facts for facts in found.values() if facts}.values()),
        unknown=[name for name, facts in found.items() if facts is None],
    )


def best_models(snapshot: Snapshot, board: str, count: int = 3) -> list[str]:
    """Ids of the leaders of a board by the column that ranks it, of those that have figures to compare."""
    table = snapshot.table(board)
    compared = models_with_figures(snapshot, table.board)
    return [name for name in table.ranked if name in compared][:count]
