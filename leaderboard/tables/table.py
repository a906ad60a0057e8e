"""[Result] -> Table: one row per model, full precision, with intervals, notes, provenance and ranks.

Incomplete is null: an average over a missing figure does not exist and says which one is missing. People, random
guess and what a board names besides are references beside the ranked models, never among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from leaderboard.tables.cells import Cell, Row, make_row
from leaderboard.tables.columns import COMPARED_DECIMALS, REFERENCE_KINDS, Board, Column
from leaderboard.tables.models import ModelsRecords
from qbench.models.catalogue import ModelFacts
from qbench.records import Source
from qbench.stats.significance import RankRange, rank_intervals


class Rank(NamedTuple):
    """Where a model stands by one column."""

    rank: int
    """1 is best; ties share the better rank."""
    claimed: RankRange | None = None
    """Ranks it can claim at 95 %; None where the figures come without evidence."""


@dataclass(frozen=True)
class Table:
    """One board under one choice of columns."""

    board: Board
    columns: tuple[Column, ...]
    primary: Column
    """The column that ranks the models: the first of the board's primary part, as long as one is shown."""
    ranked: Mapping[str, Row]
    """Model id -> row, best first by the primary column, those without a figure there last."""
    references: Mapping[str, Row]
    """People, random guess and the board's own references."""
    ranks: Mapping[str, Mapping[str, Rank]]
    """Column key -> model id -> rank, where there is one."""

    @cached_property
    def rows(self) -> Mapping[str, Row]:
        """Every row, references first."""
        return {**self.references, **self.ranked}

    def figures(self, columns: Iterable[Column]) -> dict[str, dict[str, Cell]]:
        """Id -> column key -> cell, for everybody with a figure in one of these columns; references first."""
        keys = [column.key for column in columns]
        found = {name: {key: row.cells[key] for key in keys if key in row.cells} for name, row in self.rows.items()}
        return {name: cells for name, cells in found.items() if cells}

    def sources(self, names: Iterable[str], keys: Collection[str] | None = None) -> tuple[Source, ...]:
        """Where the figures of some rows come from, in all columns or in some."""
        return tuple(
            origin.record.result.source
            for name in names
            for origin in self.rows[name].origins
            if (origin.shown if keys is None else set(origin.shown) & set(keys))
        )


def build_table(models: ModelsRecords, board: Board, columns: tuple[Column, ...]) -> Table:
    """The table of one board, or of some of its columns, from the records of each model."""
    made = {name: make_row(of_model, board, columns) for name, of_model in models.items()}
    return rank_rows(board, columns, {name: row for name, row in made.items() if row is not None})


def rank_rows(board: Board, columns: tuple[Column, ...], rows: Mapping[str, Row]) -> Table:
    """The table of some rows."""
    primary = next((column for column in columns if board.primary in column.parts), columns[0])
    names = sorted(rows, key=lambda name: rows[name].model.name.casefold())
    value = np.array([_value(rows[name], primary) for name in names], dtype=float).round(COMPARED_DECIMALS)
    order = np.argsort(value if primary.metric.direction == "lower" else -value, kind="stable")
    in_order = {names[place]: rows[names[place]] for place in order}
    ranked = {name: row for name, row in in_order.items() if not board.is_reference(row.model)}
    return Table(
        board=board,
        columns=columns,
        primary=primary,
        ranked=ranked,
        references={name: row for name, row in in_order.items() if name not in ranked},
        ranks={column.key: _rank(column, ranked) for column in columns},
    )


def _value(row: Row, column: Column) -> float:
    return row.cells[column.key].value if column.key in row.cells else np.nan


def _rank(column: Column, rows: Mapping[str, Row]) -> dict[str, Rank]:
    """Rank models by their figures; the ranks that they can claim come from tests of all pairs, Holm-corrected.

    A figure that does not say how many items it rests on cannot be tested: it widens the others' ranges and has none.
    """
    cells = {name: row.cells[column.key] for name, row in rows.items() if column.key in row.cells}
    if not column.ranks_models or not cells:
        return {}
    higher = column.metric.direction == "higher"
    value = np.array([cell.value for cell in cells.values()]).round(COMPARED_DECIMALS)
    merit = -value if higher else value
    ranks = np.searchsorted(np.sort(merit), merit) + 1
    ranges: list[RankRange | None] = [None] * len(cells)
    if column.metric.proportion:
        count = np.array([cell.n or 0 for cell in cells.values()], dtype=float)
        ranges = rank_intervals(value, count, higher_is_better=higher)
    return {name: Rank(int(rank), claimed) for name, rank, claimed in zip(cells, ranks, ranges, strict=True)}


def is_reference(model: ModelFacts | None) -> bool:
    """Whether this is no model but people or random guess."""
    return model is not None and model.kind in REFERENCE_KINDS
