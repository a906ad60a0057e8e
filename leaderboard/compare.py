"""Two to six models side by side on one board: their figures, the chance levels, and how far they can be told apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.cells import FindModel
from leaderboard.chance import Simulated, chance_level
from leaderboard.columns import EVERYTHING, Board, Column, Metric
from leaderboard.differences import Difference, Figure, differences
from leaderboard.shapes import SHAPES, Form, Shape
from leaderboard.snapshot import Snapshot
from leaderboard.table import Frames, Table
from qbench.errors import UserError
from qbench.models.catalogue import ModelFacts
from qbench.records import Source

MOST = 6
"""Models in one comparison; more have no colours of their own."""


@dataclass(frozen=True)
class Profile:
    """The figures of some models on one board."""

    board: Board
    form: Form
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
    """Those chosen that have none."""
    empty: bool
    """Whether nobody has any."""
    figures: Mapping[str, Mapping[str, Figure]]
    """Model id -> column key -> figure, where there is one."""
    chance: Mapping[str, float]
    """Column key -> chance level, where there is one."""
    bounds: tuple[float, float]
    """Ends of the axes, the same whichever models are chosen."""
    bounds_above_chance: tuple[float, float] | None
    """The same after subtracting chance; None where an axis has no chance level, and where the chart is no radar."""
    differences: tuple[Difference, ...]
    sources: tuple[Source, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Everything there are figures for, summaries first."""
        return (*self.summaries, *self.axes)

    @property
    def everyone(self) -> tuple[ModelFacts, ...]:
        """Models and references."""
        return (*self.models, *self.references)


def compare(
    snapshot: Snapshot, board: str, models: Iterable[str], metric: str = "", simulated: Simulated | None = None
) -> Profile:
    """Put models beside each other.

    Args:
        snapshot: The data.
        board: Key of a board.
        models: Names or ids of at most six models; people and random guess are added by themselves.
        metric: Kind of figure, where the board offers a choice; empty for its default.
        simulated: Chance levels that come from simulation.

    Raises:
        UserError: No such board, metric or model, or too many models.
    """
    shape = _shape(snapshot, board)
    tables = _tables(snapshot, board)
    choices = _choices(tables[0], shape, metric)
    columns = _columns(tables, shape, (metric or choices[0].key) if choices else "")
    axes = tuple(one for one in columns if not set(one.parts) & set(shape.summaries))
    chosen = [_find(name, tables, snapshot.find_model) for name in dict.fromkeys(models)]
    if len(chosen) > MOST:
        raise UserError(f"{len(chosen)} models are too many for one comparison; choose at most {MOST}.")
    ranked = figures_of([table.ranked for table in tables], columns)
    beside = figures_of([table.reference for table in tables], columns)
    present = tuple(one for one in chosen if one.id in ranked)
    references = tuple(_find(name, tables, snapshot.find_model) for name in beside)
    chance = {one.key: level for one in columns if (level := chance_level(one, tables, simulated or {})) is not None}
    everything = [(key, one.value) for row in (*ranked.values(), *beside.values()) for key, one in row.items()]
    on_axes = [(key, value) for key, value in everything if key in {axis.key for axis in axes}]
    return Profile(
        board=tables[0].board,
        form=shape.form,
        metric=next((one for one in choices if one.key == metric), choices[0] if choices else axes[0].metric),
        choices=choices,
        axes=axes,
        summaries=tuple(one for one in columns if one not in axes),
        labels=_labels(tables, columns),
        models=present,
        references=references,
        absent=tuple(one for one in chosen if one.id not in ranked and one.id not in beside),
        empty=not ranked,
        figures={one.id: (ranked | beside)[one.id] for one in (*present, *references)},
        chance=chance,
        bounds=_bounds([value for _, value in on_axes], full=True),
        bounds_above_chance=_bounds([value - chance[key] for key, value in on_axes], full=False)
        if shape.form == "radar" and all(axis.key in chance for axis in axes)
        else None,
        differences=tuple(
            one
            for column in columns
            for one in differences(
                column, {m.id: ranked[m.id][column.key] for m in present if column.key in ranked[m.id]}
            )
        ),
        sources=_sources(tables, [one.id for one in (*present, *references)], columns),
    )


def known_models(snapshot: Snapshot, board: str, models: Iterable[str]) -> list[str]:
    """Each of the models that a link names once, without names that no model goes by."""
    tables = _tables(snapshot, board)
    return [one for one in dict.fromkeys(models) if _facts(one, tables, snapshot.find_model)]


def leaders(snapshot: Snapshot, board: str, count: int = 3) -> list[str]:
    """Ids of the best models of a board, to begin with: the best of those that can be tested against each other."""
    table = snapshot.table(board)
    testable = table.ranks[table.primary].ranges
    return [str(name) for name in table.ranked.value.index if not testable or name in testable][:count]


def to_json(profile: Profile, revision: str) -> dict[str, Any]:
    """A comparison as plain data."""
    names = {
        group: [{"id": one.id, "name": one.name} for one in getattr(profile, group)]
        for group in ("models", "references", "absent")
    }
    return {
        "schema": 1,
        "revision": revision,
        "board": profile.board.key,
        "metric": profile.metric.key if profile.choices else None,
        **names,
        "columns": [
            {
                "key": one.key,
                "label": profile.labels[one.key],
                "metric": one.metric.key,
                "direction": one.metric.direction,
                "summary": one in profile.summaries,
                "chance": profile.chance.get(one.key),
                "alternatives": one.alternatives,
            }
            for one in profile.columns
        ],
        "figures": {
            model: {key: figure._asdict() for key, figure in row.items()} for model, row in profile.figures.items()
        },
        "differences": [
            {
                "column": one.column,
                "leader": one.leader,
                "other": one.other,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "p_holm": one.p,
                "apart": one.apart,
            }
            for one in profile.differences
        ],
        "sources": list(dict.fromkeys(source.reference for source in profile.sources)),
    }


def _choices(table: Table, shape: Shape, metric: str) -> tuple[Metric, ...]:
    """Kinds of figure the board offers."""
    if metric and metric not in shape.metrics:
        fix = f"choose one of {', '.join(shape.metrics)}" if shape.metrics else "leave it empty"
        raise UserError(f"{metric!r} is no kind of figure to compare on the board {table.board.key}; {fix}.")
    metrics = {column.metric.key: column.metric for column in table.columns}
    return tuple(metrics[key] for key in shape.metrics)


def _columns(tables: Sequence[Table], shape: Shape, metric: str) -> list[Column]:
    """Columns of the chart and of what sums them up, in the boards' order; only the first board is summed up."""
    return [
        column
        for table in tables
        for column in (table.columns if metric else table.board.shown(table.board.choose()))
        if (not metric or column.metric.key == metric)
        and (not shape.only or shape.only in column.parts)
        and (table is tables[0] or not set(column.parts) & set(shape.summaries))
    ]


def _labels(tables: Sequence[Table], columns: Sequence[Column]) -> dict[str, str]:
    """The column's own label; that of its part where several columns share one."""
    parts = {part.key: part.label for table in tables for part in table.board.parts}
    shared = Counter(column.label for column in columns)
    return {one.key: parts[one.parts[0]] if shared[one.label] > 1 else one.label for one in columns}


def _shape(snapshot: Snapshot, board: str) -> Shape:
    return SHAPES.get(board) or Shape(summaries=(snapshot.table(board).board.primary,))


def _tables(snapshot: Snapshot, board: str) -> list[Table]:
    return [snapshot.table(key, EVERYTHING) for key in _shape(snapshot, board).boards or (board,)]


def _facts(name: str, tables: Sequence[Table], find_model: FindModel) -> ModelFacts | None:
    return next((table.models[name] for table in tables if name in table.models), None) or find_model(name)


def _find(name: str, tables: Sequence[Table], find_model: FindModel) -> ModelFacts:
    facts = _facts(name, tables, find_model)
    if facts is None:
        raise UserError(f"no model goes by the name {name!r}; choose one that is on a board.")
    return facts


def figures_of(frames: Sequence[Frames], columns: Sequence[Column]) -> dict[str, dict[str, Figure]]:
    """Model id -> column key -> figure, over several boards; models without any are left out."""
    figures: dict[str, dict[str, Figure]] = {}
    for one in frames:
        keys = [column.key for column in columns if column.key in one.value.columns]
        value, low, high, n = (frame[keys].to_dict("index") for frame in (one.value, one.low, one.high, one.count))
        for model, row in value.items():
            known = {
                key: Figure(row[key], _known(low[model][key]), _known(high[model][key]), _whole(n[model][key]))
                for key in keys
                if not math.isnan(row[key])
            }
            if known:
                figures[str(model)] = figures.get(str(model), {}) | known
    return figures


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else int(number)


def _bounds(values: Sequence[float], *, full: bool) -> tuple[float, float]:
    """Round ends that hold zero and every figure; `full` for the whole of a scale that ends at 1."""
    low, high = min([0.0, *values]), max([0.0, *values])
    step = 0.1 if high <= 1 else 1.0
    top = 1.0 if full and high <= 1 else math.ceil(high / step - 1e-9) * step
    return math.floor(low / step + 1e-9) * step, round(top, 1)


def _sources(tables: Sequence[Table], rows: Sequence[str], columns: Sequence[Column]) -> tuple[Source, ...]:
    """The records behind the figures on show, also behind those we averaged."""
    keys = {column.key for column in columns}
    for _ in range(2):  # a mean of two correlations may itself be averaged over datasets
        keys |= {part for table in tables for one in table.columns if one.key in keys for part in one.mean_of}
    return tuple(
        origin.result.source
        for table in tables
        for row in rows
        for origin in table.origins.get(row, ())
        if keys & set(origin.shown)
    )
