"""Boards that an owner declares, without Python: one TOML file each in `boards/` of the folder of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from leaderboard.tables.columns import Board, Column, Group, Metric, Part, column_of
from qbench.errors import UserError

GROUP = Group("Own boards", "datasets of this installation")
_KEYS = {"title", "sentence", "question", "columns"}
_OF_COLUMN = {"task", "dataset", "metric", "split", "label"}


def files_of_boards(results: Path) -> list[Path]:
    """The files, by name."""
    return sorted((results / "boards").glob("*.toml"))


def read_own_boards(results: Path, known: Iterable[Board]) -> tuple[list[Board], dict[str, str]]:
    """Boards of a folder of results, and why each other file is none. The metrics and methods of known boards can be
    used, and their keys are taken."""
    known = list(known)
    boards: list[Board] = []
    faults: dict[str, str] = {}
    for path in files_of_boards(results):
        try:
            boards.append(_board(path, known))
        except (OSError, ValueError, TOMLKitError, UserError) as fault:
            faults[f"boards/{path.name}"] = str(fault)
    return boards, faults


def put_first(boards: Sequence[Board], key: str | None) -> tuple[Board, ...]:
    """The boards with the one of this key first and the others of its group next; as they are where there is none."""
    first = next((board for board in boards if board.key == key), None)
    if first is None:
        return tuple(boards)
    return tuple(sorted(boards, key=lambda board: (board is not first, board.group != first.group)))


def _board(path: Path, known: list[Board]) -> Board:
    told = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
    _refuse_others(told, _KEYS, "a board")
    if any(board.key == path.stem for board in known):
        raise UserError(f"a board is called {path.stem} already; give the file another name")
    columns = told.get("columns")
    if not isinstance(columns, list) or not columns:
        raise UserError('it has no columns; write columns = [{task = "assessment", dataset = "…", metric = "srcc"}]')
    made = [_column(column, known) for column in columns]
    method = next(board.method for board in known if columns[0]["task"] in {place[0] for place in board.places})
    return Board(
        key=path.stem,
        title=_text(told, "title"),
        sentence=_text(told, "sentence"),
        question=_text(told, "question") if "question" in told else "",
        columns=tuple(made),
        parts=tuple({column.parts[0]: Part(column.parts[0], column.parts[0]) for column in made}.values()),
        method=method,
        primary=made[0].parts[0],
        group=GROUP,
    )


def _column(told: Any, known: list[Board]) -> Column:
    if not isinstance(told, dict):
        raise UserError('a column is {task = "…", dataset = "…", metric = "…"}')
    _refuse_others(told, _OF_COLUMN, "a column")
    task, dataset, key = (_text(told, name) for name in ("task", "dataset", "metric"))
    metrics = _metrics(known, task)
    if key not in metrics:
        tasks = sorted({column.find.task for board in known for column in board.columns if column.find})
        there = f"it has {', '.join(metrics)}" if metrics else f"tasks are {', '.join(tasks)}"
        raise UserError(f"{task} has no metric {key!r}; {there}")
    split = _text(told, "split") if "split" in told else None
    label = _text(told, "label") if "label" in told else metrics[key].label
    name = "/".join(filter(None, [task, dataset, split, key]))
    return column_of(name, label, dataset, metrics[key], (task, dataset, split))


def _metrics(known: Iterable[Board], task: str) -> dict[str, Metric]:
    """Whole figures of a task, by their names in the records."""
    metrics: dict[str, Metric] = {}
    for column in (column for board in known for column in board.columns):
        if column.find and column.find.task == task and column.find.metric == column.metric.key:
            metrics.setdefault(column.metric.key, column.metric)
    return metrics


def _text(told: Mapping[str, Any], name: str) -> str:
    text = told.get(name)
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"{name} is missing or no text")
    return text


def _refuse_others(told: Mapping[str, Any], keys: set[str], what: str) -> None:
    if others := sorted(set(told) - keys):
        raise UserError(f"{what} has no {others[0]!r}; it has {', '.join(sorted(keys))}")
