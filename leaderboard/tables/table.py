"""[Result] -> Table: one row per model, full precision, with intervals, notes, provenance, coverage and ranks.

Incomplete is null: an average over a missing figure does not exist and says which one is missing. People and random
guess are references beside the ranked models, never among them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from leaderboard.store import Recorded
from leaderboard.tables.cells import (
    BoardRow,
    FindModel,
    ModelFigures,
    RecordedFigure,
    figures_by_model,
    fill_row,
    has_value,
)
from leaderboard.tables.columns import COMPARED_DECIMALS, Board, Column, ColumnChoice, Metric
from leaderboard.tables.differences import Figure
from leaderboard.tables.ranks import ColumnRanks, rank_column
from leaderboard.tables.words import in_unit
from qbench.models.catalogue import ModelFacts

REFERENCE_KINDS = ("human", "reference")
"""Catalogue kinds that stand beside the ranking: people and random guess."""


@dataclass(frozen=True)
class Note:
    """A remark on one cell."""

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


@dataclass(frozen=True)
class Frames:
    """Figures with their intervals: rows are model ids, columns are column keys, NaN is missing."""

    value: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame
    count: pd.DataFrame
    """Independent items behind each figure, where known."""


@dataclass(frozen=True)
class Table:
    """One board under one choice of columns."""

    board: Board
    choice: ColumnChoice
    columns: tuple[Column, ...]
    primary: str
    """Key of the column that ranks the models."""
    models: Mapping[str, ModelFacts]
    """Every row's model, references included."""
    ranked: Frames
    """Models, best first by the primary column, those without a figure there last."""
    reference: Frames
    """People and random guess."""
    notes: Mapping[tuple[str, str], Note]
    """(model id, column key) -> remark."""
    trained: frozenset[tuple[str, str]]
    """(model id, column key) of figures on a dataset that the model was trained on, as the paper or its author says;
    an average over one is among them."""
    origins: Mapping[str, tuple[Origin, ...]]
    ranks: Mapping[str, ColumnRanks]
    """Column key -> how the models rank by it."""

    @property
    def coverage(self) -> dict[str, float]:
        """Share of the columns each ranked model has a figure in."""
        return {str(name): float(row.notna().mean()) for name, row in self.ranked.value.iterrows()}


def build_table(records: Iterable[Recorded], board: Board, choice: ColumnChoice, find_model: FindModel) -> Table:
    """The table of one board; `find_model` joins the names in the records to known models."""
    columns = board.shown(choice)
    keys = [column.key for column in columns]
    primary = board.ranks_by(choice)
    offers = {offered.model.id: offered for offered in figures_by_model(records, board, find_model)}
    rows = {name: fill_row(board, offered) for name, offered in offers.items()}
    own = [column.key for column in board.columns if not column.borrowed]
    rows = {
        name: row
        for name, row in rows.items()
        if all(any(has_value(row, key) for key in wanted) for wanted in (keys, own))
    }
    names = sorted(rows, key=lambda name: offers[name].model.name.casefold())
    frames = _best_first(_subset(_frames(rows, keys), names), primary)
    standing = {name: is_reference(offers[name].model) for name in frames.value.index}
    reference = _subset(frames, [name for name, beside in standing.items() if beside])
    ranked = _subset(frames, [name for name, beside in standing.items() if not beside])
    return Table(
        board=board,
        choice=choice,
        columns=columns,
        primary=primary.key,
        models={name: offers[name].model for name in standing},
        ranked=ranked,
        reference=reference,
        notes={
            (name, column.key): note
            for name, row in rows.items()
            for column in columns
            if column.key in row and (note := _note(row[column.key], column.metric)) is not None
        },
        trained=_trained(rows, columns),
        origins={name: _origins(offers[name], row, keys) for name, row in rows.items()},
        ranks={
            column.key: rank_column(column, ranked.value[column.key], ranked.count[column.key]) for column in columns
        },
    )


def _trained(rows: Mapping[str, BoardRow], columns: Sequence[Column]) -> frozenset[tuple[str, str]]:
    def on_its_data(row: BoardRow, key: str) -> bool:
        cell = row.get(key)
        return bool(cell and cell.record and cell.record.result.protocol.get("trained_on") is True)

    return frozenset(
        (name, column.key)
        for name, row in rows.items()
        for column in columns
        if has_value(row, column.key) and any(on_its_data(row, key) for key in (column.key, *column.mean_of))
    )


def figures_of(frames: Frames, columns: Iterable[Column]) -> dict[str, dict[str, Figure]]:
    """Model id -> column key -> figure; models without any are left out."""
    keys = [column.key for column in columns]
    value, low, high, n = (
        frame[keys].to_dict("index") for frame in (frames.value, frames.low, frames.high, frames.count)
    )
    figures = {
        str(model): {
            key: Figure(row[key], _number(low[model][key]), _number(high[model][key]), _whole(n[model][key]))
            for key in keys
            if not math.isnan(row[key])
        }
        for model, row in value.items()
    }
    return {model: known for model, known in figures.items() if known}


def _number(number: float) -> float | None:
    return None if math.isnan(number) else number


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else int(number)


def is_reference(model: ModelFacts | None) -> bool:
    """Whether this is no model but people or random guess."""
    return model is not None and model.kind in REFERENCE_KINDS


def _frames(rows: Mapping[str, BoardRow], keys: Sequence[str]) -> Frames:
    def frame(figure: Callable[[RecordedFigure], float | None]) -> pd.DataFrame:
        data = [[figure(row[key]) if key in row else None for key in keys] for row in rows.values()]
        made: pd.DataFrame = pd.DataFrame(data, list(rows), list(keys), dtype=float)
        return made

    return Frames(
        value=frame(lambda cell: cell.estimate.value),
        low=frame(lambda cell: cell.estimate.low),
        high=frame(lambda cell: cell.estimate.high),
        count=frame(lambda cell: cell.estimate.n),
    )


def _best_first(frames: Frames, column: Column) -> Frames:
    """Rows in the order of one column, those without a figure there last."""
    value = frames.value[column.key].round(COMPARED_DECIMALS)
    order = value.sort_values(ascending=column.metric.direction == "lower", kind="stable", na_position="last")
    return _subset(frames, list(order.index))


def _subset(frames: Frames, models: Sequence[str]) -> Frames:
    return Frames(*(frame.loc[list(models)] for frame in (frames.value, frames.low, frames.high, frames.count)))


def _note(cell: RecordedFigure, metric: Metric) -> Note | None:
    estimate = cell.estimate
    if estimate.note is None:
        return None
    text = in_unit(estimate.note, metric)
    if estimate.value is None:
        return Note("absent", text)
    kind: Literal["flag", "info"] = "flag" if estimate.method.startswith("printed") else "info"
    return Note(kind, text, estimate.recomputed)


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
