"""The board's figures in the forms other places read: pure functions from records to texts, by path."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from leaderboard.tables.columns import Board, Metric
from qbench.records import Result

FindMetric = Callable[[Result, str], "Metric | None"]
"""Record and name of one of its figures -> how the boards describe it; None where no board does."""


def find_metric_on(boards: Sequence[Board]) -> FindMetric:
    """How the boards describe a figure: what is described by none is not exported.

    One name may stand for different things: `accuracy` is a share of questions in one task and of comparisons in
    another. A figure that has a column is described by that, another by the board that shows its dataset, and one on
    a dataset that no board shows by the first board that shows its task.
    """
    by_column: dict[tuple[str, ...], Metric] = {}
    by_board: dict[tuple[str, ...], Metric] = {}
    by_task: dict[tuple[str, ...], Metric] = {}
    for board in boards:
        columns = [(column.find, column.metric) for column in board.columns if column.find]
        for place, metric in columns:
            by_task.setdefault((place.task, place.metric), metric)
            by_column.setdefault((place.task, place.dataset, place.metric), metric)
            for other, _ in columns:
                if other.task == place.task:
                    by_board.setdefault((place.task, other.dataset, place.metric), metric)
    known = {**by_task, **by_board, **by_column}
    return lambda result, key: known.get((result.task, result.dataset, key)) or known.get((result.task, key))


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
