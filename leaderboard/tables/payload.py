"""Table -> one compact JSON that the browser sorts, filters and downloads by itself.

Columnar, so that thousands of rows compress well: one list per column, rows in the table's order with the references
first. Repeated texts and sources are stored once and named by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from leaderboard.tables.columns import COMPARED_DECIMALS, Column
from leaderboard.tables.provenance import UNNUMBERED
from leaderboard.tables.row import Note
from leaderboard.tables.table import Table
from leaderboard.tables.terms import find_terms

BOUND_DECIMALS = 5
"""Decimals that the ends of intervals are sent with."""
FACTS = ("name", "organisation", "parameters", "released", "open", "hub", "kind", "language", "vision")
"""Facts of each model that the page shows or filters by."""
ROW_FACETS = ("class", "asked", "reporter")
"""Filters that every board has beside those of its own: see `leaderboard.tables.classes`."""


def make_payload(table: Table, revision: str) -> dict[str, Any]:
    """The JSON form of a table with all its views, with arrays of figures as `orjson` writes them: NaN is null.

    Args:
        table: All columns of a board.
        revision: Names the data.
    """
    board = table.board
    rows = [*table.reference.value.index, *table.ranked.value.index]
    numbers = _Numbering()
    return {
        "schema": 1,
        "revision": revision,
        "board": board.key,
        "title": board.title,
        "sentence": board.sentence,
        "method": board.method,
        "primary": board.primary,
        "question": board.question,
        "facets": [*board.facets, *ROW_FACETS],
        "empty": board.empty,
        "views": [{"key": view.key, "label": view.label, "metrics": list(view.metrics)} for view in board.views],
        "parts": [
            {"key": part.key, "label": part.label, "tip": " ".join(_meanings(part.label)) or None}
            for part in board.parts
        ],
        "meanings": {column.metric.key: column.metric.description for column in table.columns},
        "columns": [_describe(column) for column in table.columns],
        "references": len(table.reference.value),
        "ids": rows,
        "models": _by_name(FACTS, map(attrgetter(*FACTS), map(table.models.__getitem__, rows)))
        | _by_name(ROW_FACETS, (table.row(row).facets for row in rows)),
        "values": _figures(table.reference.value, table.ranked.value),
        "low": _figures(table.reference.low, table.ranked.low, BOUND_DECIMALS),
        "high": _figures(table.reference.high, table.ranked.high, BOUND_DECIMALS),
        "ranges": [_ranges(table, column.key, rows) for column in table.columns],
        "notes": _notes(table.notes, rows, [column.key for column in table.columns], numbers),
        "trained": sorted(_cells(table, rows, table.trained)),
        "images_seen": list(zip(_cells(table, rows, table.images_seen), table.images_seen.values(), strict=True)),
        "origins": _origins(table, rows, numbers),
        "texts": numbers.texts,
    }


def _by_name(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Name -> what each row has of it, for rows of as many fields."""
    return dict(zip(names, map(list, list(zip(*rows, strict=True)) or [()] * len(names)), strict=True))


class _Numbering:
    """Gives each distinct text a number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._number: dict[str, int] = {}

    def __call__(self, text: str | None) -> int | None:
        if text is None or text == "":
            return None
        if text not in self._number:
            self._number[text] = len(self.texts)
            self.texts.append(text)
        return self._number[text]


def _describe(column: Column) -> dict[str, Any]:
    metric = column.metric
    return {
        "key": column.key,
        "label": column.label,
        "parts": list(column.parts),
        "metric": metric.key,
        "name": metric.label,
        "words": metric.words,
        "unit": metric.unit,
        "scale": metric.scale,
        "decimals": metric.decimals,
        "half_decimals": metric.half_decimals,
        "direction": metric.direction,
        "in_training": column.in_training,
        "average": column.averages,
        "description": " ".join(filter(None, (metric.description, column.description, *_meanings(column.label)))),
    }


def _meanings(label: str) -> list[str]:
    return [f"{term[0].upper()}{term[1:]}: {meaning}" for term, meaning in find_terms([label])]


def _figures(
    reference: pd.DataFrame, ranked: pd.DataFrame, decimals: int = COMPARED_DECIMALS
) -> list[NDArray[np.float64] | None]:
    """One array per column, in which NaN is missing; None for a column without any figure."""
    figures = np.concatenate([reference.to_numpy(), ranked.to_numpy()]).T.round(decimals)
    return [None if np.isnan(column).all() else np.ascontiguousarray(column) for column in figures]


def _ranges(table: Table, key: str, rows: Iterable[str]) -> list[tuple[int, int] | None] | None:
    told = table.ranks[key].told
    return list(map(told.get, rows)) if told else None


def _notes(
    notes: Mapping[tuple[str, str], Note], rows: list[str], keys: list[str], number: _Numbering
) -> list[dict[str, Any]]:
    """Each distinct remark once, with the numbers of its cells."""
    start_of, column_of = _cell_numbers(rows, keys)
    out: dict[Note, list[int]] = {}
    for (row, key), note in notes.items():
        out.setdefault(note, []).append(start_of[row] + column_of[key])
    return [
        {"kind": note.kind, "text": number(note.text), "recomputed": note.recomputed, "cells": cells}
        for note, cells in out.items()
    ]


def _cells(table: Table, rows: list[str], marked: Iterable[tuple[str, str]]) -> list[int]:
    """The numbers of some cells, which are told by model and column."""
    start_of, column_of = _cell_numbers(rows, [column.key for column in table.columns])
    return [start_of[row] + column_of[key] for row, key in marked]


def _cell_numbers(rows: list[str], keys: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    """The number of each row's first cell, and of each column within a row."""
    return {row: place * len(keys) for place, row in enumerate(rows)}, {key: place for place, key in enumerate(keys)}


def _origins(table: Table, rows: list[str], number: _Numbering) -> list[list[dict[str, Any]]]:
    place = {column.key: i for i, column in enumerate(table.columns)}
    return [[_origin(*told, place, number) for told in table.row(row).told_origins] for row in rows]


def _origin(
    told: Mapping[str, Any],
    shown: list[str],
    passed: list[tuple[str, float]],
    place: Mapping[str, int],
    number: _Numbering,
) -> dict[str, Any]:
    numbered = {name: text if name in UNNUMBERED else number(text) for name, text in told.items()}
    columns = {"shown": [place[key] for key in shown], "passed": [[place[key], value] for key, value in passed]}
    return {name: value for name, value in (numbered | columns).items() if value not in (None, [])}
