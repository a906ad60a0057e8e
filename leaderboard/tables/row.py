"""One model's row of a table: its figures, remarks and sources; made once for what the store holds of the model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leaderboard.store import Recorded
from leaderboard.tables.cells import BoardRow, ModelFigures, RecordedFigure, figures_of_model, fill_row, has_value
from leaderboard.tables.classes import classed_protocol, how_asked, model_class
from leaderboard.tables.columns import Board, Column, Metric
from leaderboard.tables.models import ModelRecords
from leaderboard.tables.provenance import describe_origin, source_place
from leaderboard.tables.remarks import with_consequence
from leaderboard.tables.words import in_unit
from qbench.models.catalogue import ModelFacts


class Note(NamedTuple):
    """A remark on one cell; a tuple, since boards have tens of thousands that are looked up by what they say."""

    kind: Literal["absent", "flag", "info"]
    """Why there is no figure; that a printed figure is inconsistent; or how a figure came about."""
    text: str
    recomputed: float | None = None
    """Our own value beside an inconsistent printed one."""


@dataclass(frozen=True)
class Origin:
    """One record behind a row."""

    record: Recorded
    shown: tuple[str, ...]
    """Columns it fills."""
    passed_over: Mapping[str, float]
    """Columns where a record of higher precedence is shown -> the figure this one gives."""


@dataclass(frozen=True, eq=False)
class TableRow:
    """One model on one board under one choice of columns."""

    source: ModelRecords
    figures: NDArray[np.float64]
    """Value, low and high end, and count of items, each of every column; NaN is missing."""
    notes: Mapping[str, Note]
    """Column key -> remark."""
    trained: tuple[str, ...]
    """Columns with a figure on a dataset that the model was trained on."""
    images_seen: Mapping[str, float | None]
    """Columns with a figure on images that the model was tuned on without their scores -> the share of these images,
    None where it is not told and for averages."""
    origins: tuple[Origin, ...]

    @cached_property
    def facets(self) -> tuple[str, str | None, str | None]:
        """Class, how it was asked and who printed it, as the record that fills most of the row says."""
        model = self.source.model
        protocol = classed_protocol(self.origins[0].record.result, model) if self.origins else {}
        return model_class(model, protocol, self.source.training), how_asked(protocol), protocol.get("reported_by")

    @cached_property
    def told_origins(self) -> list[tuple[Mapping[str, Any], list[str], list[tuple[str, float]]]]:
        """Sources in words, with the columns they fill and the figures that are passed over: records that differ in
        nothing but their figures, such as one upload's datasets, are one."""
        merged: dict[tuple[object, ...], tuple[Mapping[str, Any], list[str], list[tuple[str, float]]]] = {}
        for origin in self.origins:
            told = {**describe_origin(origin.record), "place": source_place(origin.record)}
            _, shown, passed = merged.setdefault(tuple(told.values()), (told, [], []))
            shown += origin.shown
            passed += origin.passed_over.items()
        return list(merged.values())


def make_row(of_model: ModelRecords, board: Board, columns: Sequence[Column]) -> TableRow | None:
    """The row of a model; None where it has no figure in these columns, or none of the board's own."""
    offers = figures_of_model(of_model, board)
    if not offers.cells:
        return None
    row = fill_row(board, offers)
    keys = [column.key for column in columns]
    own = (column.key for column in board.columns if not column.borrowed)
    if not all(any(has_value(row, key) for key in wanted) for wanted in (keys, own)):
        return None
    estimates = [row[key].estimate if key in row else None for key in keys]
    figures = [(each.value, each.low, each.high, each.n) if each else (None,) * 4 for each in estimates]
    trained = tuple(
        column.key
        for column in columns
        if has_value(row, column.key) and any(_on_its_data(row, key) for key in (column.key, *column.mean_of))
    )
    seen = _images_seen(of_model.model, board)
    return TableRow(
        source=of_model,
        figures=np.array(figures, dtype=float).T,
        notes={
            column.key: note
            for column in columns
            if column.key in row and (note := _note(row[column.key], column.metric)) is not None
        },
        trained=trained,
        images_seen={key: seen[key] for key in keys if key in seen and has_value(row, key) and key not in trained},
        origins=_origins(offers, row, keys),
    )


def _on_its_data(row: BoardRow, key: str) -> bool:
    cell = row.get(key)
    if cell is None or cell.record is None:
        return False
    said = cell.record.result.protocol
    averaged = set(said.get("average_of") or ()) & set(said.get("training_data") or ())
    return said.get("trained_on") is True or bool(averaged)


def _images_seen(model: ModelFacts, board: Board) -> dict[str, float | None]:
    """The columns on these images, and the averages over such columns."""
    if not model.images_seen:
        return {}
    columns = {column.key: column for column in board.columns}
    seen: dict[str, float | None] = {}

    def look(column: Column) -> bool:
        if column.find and column.find.dataset in model.images_seen:
            seen[column.key] = model.images_seen[column.find.dataset]
        elif any(look(columns[key]) for key in column.mean_of):
            seen[column.key] = None
        return column.key in seen

    for column in board.columns:
        look(column)
    return seen


def _note(cell: RecordedFigure, metric: Metric) -> Note | None:
    estimate = cell.estimate
    if estimate.note is None:
        return None
    text = in_unit(estimate.note, metric)
    if estimate.value is None:
        return Note("absent", text)
    if estimate.method.startswith("printed"):
        return Note("flag", with_consequence(text), estimate.recomputed)
    return Note("info", text, estimate.recomputed)


def _origins(offers: ModelFigures, row: BoardRow, keys: Sequence[str]) -> tuple[Origin, ...]:
    """The records behind a row, those that fill most of it first."""
    shown: dict[Recorded, list[str]] = defaultdict(list)
    passed_over: dict[Recorded, dict[str, float]] = defaultdict(dict)
    for key in keys:
        for cell in offers.cells.get(key, []):
            if cell.record is None or cell.estimate.value is None:
                continue
            if row[key] is cell:
                shown[cell.record].append(key)
            else:
                passed_over[cell.record][key] = cell.estimate.value
    records = dict.fromkeys(cell.record for key in keys for cell in offers.cells.get(key, []))
    origins = [
        Origin(record, tuple(shown[record]), passed_over[record])
        for record in records
        if record is not None and (record in shown or record in passed_over)
    ]
    return tuple(sorted(origins, key=lambda origin: -len(origin.shown)))
