"""Table -> what the `/leaderboard` endpoint answers: plain rows for scripts, where the page's payload is compact."""

from __future__ import annotations

from typing import Any

import pandas as pd

from leaderboard.tables.row import Origin
from leaderboard.tables.table import Frames, Table


def answer(table: Table, revision: str) -> dict[str, Any]:
    """A table as JSON: values as stored, missing ones null with the reason.

    Args:
        table: One board under one choice of columns.
        revision: Names the data.
    """
    return {
        "board": table.board.key,
        "title": table.board.title,
        "revision": revision,
        "ranked_by": table.primary,
        "columns": [
            {
                "key": column.key,
                "part": column.parts[0],
                "label": column.label,
                "metric": column.metric.key,
                "unit": column.metric.unit,
                "scale": column.metric.scale,
                "direction": column.metric.direction,
            }
            for column in table.columns
        ],
        "rows": [_row(table, table.ranked, str(name)) for name in table.ranked.value.index],
        "references": [_row(table, table.reference, str(name)) for name in table.reference.value.index],
    }


def _row(table: Table, frames: Frames, name: str) -> dict[str, Any]:
    model = table.models[name]
    ranking = table.ranks[table.primary]
    claimed = ranking.ranges.get(name)
    return {
        "rank": _number(ranking.rank.get(name)),
        "ranks_claimed": [claimed.best, claimed.worst] if claimed else None,
        "model": name,
        "name": model.name,
        "organisation": model.organisation,
        "parameters": model.parameters,
        "open": model.open,
        "released": model.released,
        "figures": {column.key: _figure(table, frames, name, column.key) for column in table.columns},
        "sources": [_source(origin) for origin in table.origins[name] if origin.shown],
    }


def _source(origin: Origin) -> dict[str, Any]:
    source, entry = origin.record.result.source, origin.record.entry
    told: dict[str, Any] = {"kind": source.kind, "reference": source.reference, "columns": origin.shown}
    if entry is None:
        return told
    said = entry.submission.metadata
    relation = {"relation": entry.submission.relation} if entry.submission.relation else {}
    return {
        **told,
        "submission": entry.digest,
        **relation,
        "prompts": said.prompts,
        "trained_on": list(said.trained_on),
    }


def _figure(table: Table, frames: Frames, name: str, key: str) -> dict[str, Any]:
    note = table.notes.get((name, key))
    figure: dict[str, Any] = {
        "value": _number(frames.value.loc[name, key]),
        "low": _number(frames.low.loc[name, key]),
        "high": _number(frames.high.loc[name, key]),
    }
    if note is not None:
        figure["note"] = note.text
        if note.recomputed is not None:
            figure["recomputed"] = note.recomputed
    if (name, key) in table.trained:
        figure["trained_on"] = True
    if (name, key) in table.images_seen:
        figure["images_seen"] = table.images_seen[name, key]
    return figure


def _number(value: Any) -> Any:
    """A plain Python number, null for missing."""
    return None if value is None or pd.isna(value) else value.item() if hasattr(value, "item") else value
