"""Evaluation results as the Hub shows them: `.eval_results/` in model repositories, `eval.yaml` in the benchmark's.

https://huggingface.co/docs/hub/eval-results; a task there has one value, so each dataset and metric is a task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from leaderboard.export import slug
from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Row
from leaderboard.tables.columns import Address, Board, Column
from leaderboard.tables.table import Table
from qbench.records import Result


def eval_results(tables: Iterable[Table], benchmark: str) -> dict[str, str]:
    """Files for the repositories of the models that are on the Hub, by `owner/name/path`.

    Each task has the one figure that its board shows, with the record it comes from: not the others on record, such
    as a paper's ablations, and not the averages we computed.
    The benchmark is `owner/name` of the dataset that holds `eval.yaml`.
    """
    tables = list(tables)
    tasks = name_tasks(table.board for table in tables)
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for table in tables:
        for row in table.rows.values():
            for column, result in _shown(table, row) if row.model.hub is not None else ():
                task = tasks[table.board.key, column.key]
                rows.setdefault(row.model.hub or "", {}).setdefault(task, _row(task, column, result, benchmark))
    name = slug(benchmark.rsplit("/", 1)[-1])
    return {
        f"{_repo(hub)}/.eval_results/{name}.yaml": to_yaml(list(found.values())) for hub, found in sorted(rows.items())
    }


def hub_files(snapshot: Snapshot, benchmark: str | None) -> dict[str, str]:
    """`eval_results` of all boards; none where the owner names no benchmark."""
    return eval_results(snapshot.tables, benchmark) if benchmark else {}


def eval_yaml(tables: Iterable[Table], name: str, description: str, framework: str) -> str:
    """The `eval.yaml` of the benchmark's repository.

    Args:
        tables: The boards: each dataset and metric that a record fills is a task.
        name: What the benchmark is called.
        description: One sentence.
        framework: A name from the Hub's list of evaluation frameworks; it refuses others.
    """
    tables = list(tables)
    ids = name_tasks(table.board for table in tables)
    tasks = {
        ids[table.board.key, column.key]
        for table in tables
        for row in table.rows.values()
        for column, _ in _shown(table, row)
    }
    return to_yaml(
        {
            "name": name,
            "description": description,
            "evaluation_framework": framework,
            "tasks": [{"id": task} for task in sorted(tasks)],
        }
    )


def name_tasks(boards: Iterable[Board]) -> dict[tuple[str, str], str]:
    """(board, column) -> a name that no other column has, e.g. `koniq-10k_srcc`.

    Boards may show one figure of the records by different protocols, such as scores of models trained on ratings and
    of others. The board of the shorter key has the plain name of the figure, the others add theirs.
    """
    names: dict[tuple[str, str], str] = {}
    for board in sorted(boards, key=lambda board: len(board.key)):
        for column in board.columns:
            if column.find is not None and _is_task(column):
                plain = _figure_name(column.find)
                taken = plain in names.values()
                names[board.key, column.key] = slug(f"{plain}_{board.key}_{column.key}") if taken else plain
    return names


def _is_task(column: Column) -> bool:
    """Whether the column is about the whole of a dataset, and this board's own."""
    own = not (column.borrowed or column.metric.counted)
    return own and column.find is not None and column.find.grouping is None


def _figure_name(place: Address) -> str:
    """Task, dataset and metric; the split where the dataset's name does not say it."""
    task = [place.task] if place.task != place.dataset else []
    split = [place.split] if place.split and not place.dataset.endswith(place.split) else []
    return slug("_".join([*task, place.dataset, *split, place.metric]))


def _shown(table: Table, row: Row) -> Iterator[tuple[Column, Result]]:
    """Every cell of a row that a record fills with a figure over the whole of its dataset."""
    for column in table.columns:
        cell = row.cells.get(column.key)
        if cell and cell.record and _is_task(column):
            yield column, cell.record.result


def _row(task: str, column: Column, result: Result, benchmark: str) -> dict[str, Any]:
    metric, source = column.metric, result.source
    row: dict[str, Any] = {
        "dataset": {"id": benchmark, "task_id": task},
        "value": round((result.metrics[metric.key].value or 0.0) * metric.scale, 6),
    }
    if source.at:
        row["date"] = source.at[:10]
    if source.url:
        row["source"] = {"url": source.url, "name": source.cited or source.kind}
    unit = f" in {metric.unit}" if metric.unit else ""
    row["notes"] = f"{metric.label}{unit}; {source.kind}: {source.cited}".rstrip(": ")
    return row


def to_yaml(data: Any, indent: int = 0) -> str:
    """YAML of what JSON can hold, with every text quoted: none is taken for a number, a date or a truth value."""
    pad = " " * indent
    if isinstance(data, Mapping):
        return "".join(f"{pad}{key}:{_value(value, indent)}" for key, value in data.items())
    return "".join(f"{pad}- {to_yaml(item, indent + 2).lstrip()}" for item in data)


def _value(value: Any, indent: int) -> str:
    if isinstance(value, (Mapping, list)):
        return "\n" + to_yaml(value, indent + 2) if value else " []\n"
    return f" {json.dumps(value, ensure_ascii=False)}\n"


def _repo(hub: str) -> str:
    return "/".join(slug(part) for part in hub.split("/"))
