"""Table -> JSON: compact for the browser, which sorts, filters and downloads by itself; and plain rows for scripts.

The compact form is columnar, so that thousands of rows compress well: one list per column, rows in the table's order
with the references first. Texts stand where they are said: compressed, those that come again take no room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leaderboard.tables.cells import Cell, Note, Origin, Row
from leaderboard.tables.columns import COMPARED_DECIMALS, Column
from leaderboard.tables.effort import with_effort
from leaderboard.tables.provenance import AnswersAt, answers_at, describe_origin
from leaderboard.tables.table import Table
from leaderboard.tables.terms import find_terms

BOUND_DECIMALS = 5
"""Decimals that the ends of intervals are sent with."""
FACTS = ("name", "organisation", "parameters", "released", "open", "hub", "kind", "language", "vision")
"""Facts of each model that the page shows or filters by."""
ANSWERED = ("key", "label", "metric", "unit", "scale", "direction")
"""What scripts are told of each column, beside its part."""
ROW_FACETS = ("class", "asked", "reporter")
"""Filters that every board has beside those of its own: see `leaderboard.tables.classes`."""


def make_payload(table: Table, revision: str) -> dict[str, Any]:
    """The compact form of a table with all its views, with arrays of figures as `orjson` writes them: NaN is null.

    Args:
        table: All columns of a board.
        revision: Names the data.
    """
    table = with_effort(table)
    board, rows = table.board, list(table.rows.values())
    places = {column.key: place for place, column in enumerate(table.columns)}
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
        "columns": [_describe(column) | {"named": board.column_name(column)} for column in table.columns],
        "references": len(table.references),
        "ids": list(table.rows),
        "models": _by_name(FACTS, map(attrgetter(*FACTS), (row.model for row in rows)))
        | _by_name(ROW_FACETS, (row.facets for row in rows)),
        **_figures(table),
        "ranges": [_ranges(table, column) for column in table.columns],
        **_remarks(table),
        "origins": [_origins(row, places) for row in rows],
    }


def _by_name(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Name -> what each row has of it, for rows of as many fields."""
    return dict(zip(names, map(list, list(zip(*rows, strict=True)) or [()] * len(names)), strict=True))


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
        "optional": column.optional,
        "average": column.averages,
        "description": " ".join(filter(None, (metric.description, column.description, *_meanings(column.label)))),
    }


def _meanings(label: str) -> list[str]:
    return [f"{term[0].upper()}{term[1:]}: {meaning}" for term, meaning in find_terms([label])]


def _figures(table: Table) -> dict[str, list[NDArray[np.float64] | None]]:
    """Figures and ends of intervals: an array per column, in which NaN is missing; None for a column without any."""
    missing, rows = Cell(np.nan), table.rows.values()
    known = [
        np.array([row.cells.get(column.key, missing)[:3] for row in rows], float).reshape(-1, 3)
        for column in table.columns
    ]
    ends = (("values", COMPARED_DECIMALS), ("low", BOUND_DECIMALS), ("high", BOUND_DECIMALS))
    return {
        name: [None if np.isnan(column[:, place]).all() else column[:, place].round(decimals) for column in known]
        for place, (name, decimals) in enumerate(ends)
    }


def _ranges(table: Table, column: Column) -> list[tuple[int, int] | None] | None:
    ranks = table.ranks[column.key]
    claimed = {name: (rank.claimed.best, rank.claimed.worst) for name, rank in ranks.items() if rank.claimed}
    return [claimed.get(name) for name in table.rows] if claimed else None


def _remarks(table: Table) -> dict[str, Any]:
    """What is said of single places, which the browser numbers row by row: each distinct remark once; what models were
    trained on; and whose answers can be read, their set, their id in it and how many they are."""
    notes: dict[tuple[str, str, float | None], list[int]] = {}
    trained: list[int] = []
    seen: list[tuple[int, float | None]] = []
    answers: dict[AnswersAt, list[int]] = {}
    for place, (row, column) in enumerate((row, column) for row in table.rows.values() for column in table.columns):
        if note := note_on(row, column.key):
            notes.setdefault(note, []).append(place)
        cell = row.cells.get(column.key)
        if cell and cell.trained == "scores":
            trained.append(place)
        elif cell and cell.trained == "images":
            seen.append((place, cell.share))
        if cell and cell.record and (at := answers_at(cell.record)):
            answers.setdefault(at, []).append(place)
    return {
        "notes": [
            {"kind": kind, "text": text, "recomputed": recomputed, "cells": cells}
            for (kind, text, recomputed), cells in notes.items()
        ],
        "trained": trained,
        "images_seen": seen,
        "answers": [(*at, cells) for at, cells in answers.items()],
    }


def note_on(row: Row, key: str) -> Note | tuple[Literal["absent"], str, None] | None:
    """What is said of a place of the table: a remark on its figure, or why there is none."""
    if key in row.cells:
        return row.cells[key].note
    return ("absent", row.absent[key], None) if key in row.absent else None


def _origins(row: Row, places: Mapping[str, int]) -> list[dict[str, Any]]:
    """Sources in words, with the columns they fill and the figures that are passed over: records that differ in nothing
    but their figures, such as one upload's datasets, are one."""
    merged: dict[tuple[object, ...], dict[str, Any]] = {}
    for origin in row.origins:
        told = describe_origin(origin.record)
        one = merged.setdefault(tuple(told.items()), told | {"shown": [], "passed": []})
        one["shown"] += [places[key] for key in origin.shown]
        one["passed"] += [[places[key], value] for key, value in origin.passed_over.items()]
    return [{name: value for name, value in one.items() if value} for one in merged.values()]


def answer(table: Table, revision: str) -> dict[str, Any]:
    """A table as the `/leaderboard` endpoint gives it: values as stored, missing ones null with the reason.

    Args:
        table: One board under one choice of columns.
        revision: Names the data.
    """
    table = with_effort(table)
    return {
        "board": table.board.key,
        "title": table.board.title,
        "revision": revision,
        "ranked_by": table.primary.key,
        "columns": [
            {"part": column.parts[0]} | {name: told for name, told in _describe(column).items() if name in ANSWERED}
            for column in table.columns
        ],
        "rows": [_row(table, name, row) for name, row in table.ranked.items()],
        "references": [_row(table, name, row) for name, row in table.references.items()],
    }


def _row(table: Table, name: str, row: Row) -> dict[str, Any]:
    rank = table.ranks[table.primary.key].get(name)
    return {
        "rank": rank and rank.rank,
        "ranks_claimed": [rank.claimed.best, rank.claimed.worst] if rank and rank.claimed else None,
        "model": name,
        "name": row.model.name,
        "organisation": row.model.organisation,
        "parameters": row.model.parameters,
        "open": row.model.open,
        "released": row.model.released,
        "figures": {column.key: _figure(row, column.key) for column in table.columns},
        "sources": [_source(origin) for origin in row.origins if origin.shown],
    }


def _source(origin: Origin) -> dict[str, Any]:
    source, entry = origin.record.result.source, origin.record.entry
    told: dict[str, Any] = {"kind": source.kind, "reference": source.cited, "columns": origin.shown}
    if entry is None:
        return told
    said = entry.submission.metadata
    relation = {"relation": entry.submission.relation} if entry.submission.relation else {}
    trained_on = list(said.trained_on)
    return {**told, "submission": entry.digest, **relation, "prompts": said.prompts, "trained_on": trained_on}


def _figure(row: Row, key: str) -> dict[str, Any]:
    cell = row.cells.get(key)
    figure: dict[str, Any] = {end: getattr(cell, end, None) for end in ("value", "low", "high")}
    if note := note_on(row, key):
        figure["note"] = note[1]
        if note[2] is not None:
            figure["recomputed"] = note[2]
    if cell and cell.trained == "scores":
        figure["trained_on"] = True
    elif cell and cell.trained == "images":
        figure["images_seen"] = cell.share
    return figure
