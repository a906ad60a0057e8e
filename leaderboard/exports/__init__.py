"""The board's figures in the forms other places read: pure functions from records to texts, by path."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from leaderboard.columns import Board, Metric


def metrics_of(boards: Sequence[Board]) -> dict[str, Metric]:
    """Every metric that a board shows, by its name in the records: what is known of no board is not exported."""
    return {column.metric.key: column.metric for board in reversed(boards) for column in board.columns}


def slug(text: str) -> str:
    """A text as one part of a path: letters, digits and `._-`, never a step up."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:120] or "unnamed"


def write_texts(texts: Mapping[str, str], folder: Path) -> int:
    """Write texts by path below a folder; returns how many."""
    for path, text in texts.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return len(texts)
