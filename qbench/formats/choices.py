"""Choices among alternatives, one sample a line, as UniSim-Bench's tasks are answered: `task`, `id`, `prediction`.

https://arxiv.org/abs/2412.10594: labels count from 0, the first (left) alternative; its authors store no lists, so a
file may carry its own labels.
"""

from __future__ import annotations

from qbench import tasks
from qbench.errors import DataError
from qbench.formats.format import AnsweredRecord, Format, FormatDescription
from qbench.records import Response, Sample
from qbench.rows import Row, shorten

CHOICE_TASKS = tuple(name for name, task in tasks.TASKS.items() if task.choice)
"""Those that choose among alternatives."""
_MOST = 9
"""Alternatives a sample may have."""


def recognise(row: Row) -> bool:
    """Whether the record is a choice for a named task."""
    return "prediction" in row.data and "task" in row.data and "question" not in row.data


def subject(row: Row) -> tuple[str, str]:
    """The task and the dataset that a record is of; the dataset is empty where it does not say.

    Raises:
        DataError: No such task.
    """
    task = row.data["task"]
    if task not in CHOICE_TASKS:
        raise DataError(f"{row.place}: the task is {shorten(task)}, none of {', '.join(CHOICE_TASKS)}")
    return str(task), row.text("dataset") or ""


def read(row: Row) -> AnsweredRecord:
    """The sample, with its label where the file gives one, and the alternative that was chosen, if any."""
    name = row.text("id")
    if not name:
        raise DataError(f"{row.place}: has no id; name the sample that was answered")
    label, chosen = _place(row, "label"), _place(row, "prediction")
    cluster = row.text("cluster")
    response = Response(name, text=None if chosen is None else str(chosen))
    return AnsweredRecord(Sample(name, answer=label, cluster=cluster), response)


def _place(row: Row, key: str) -> int | None:
    value = row.data.get(key)
    if value is None or value == "":
        return None
    number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) == 1 else value
    if type(number) is not int or not 0 <= number < _MOST:
        raise DataError(f"{row.place}: {key} is {shorten(value)}, not a place counted from 0")
    return number


FORMAT = Format(
    kind="choices",
    description=FormatDescription(
        "Choices for UniSim-Bench's tasks",
        "`task`, `dataset`, `id`, `label`, `prediction`",
        ("unisim-predictions.jsonl",),
    ),
    fields="task, dataset, id, label, prediction",
    example='{"task": "img-2afc", "dataset": "nights", "id": "ref/000/002.png", "label": 1, "prediction": 0}',
    recognise=recognise,
    read=read,
    subject=subject,
)
