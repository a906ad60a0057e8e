"""Tasks: what to ask a model about samples, and what its responses are worth. Each ends with its `Task` record.

Nothing here knows which model answers or how records are made; the table below is read by everything that does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import entry_points
from reprlib import repr as quoted

from qbench.errors import UserError
from qbench.records import Ask, Result
from qbench.tasks import assessment, comparison, description, perception
from qbench.tasks.similarity import retrieval
from qbench.tasks.similarity.choices import CHOICE_TASKS
from qbench.tasks.task import NO_OPTIONS, OPTIONS, Chosen, Outcome, Plan, RunOptions, Task

__all__ = [
    "MEAN_OF_TASKS",
    "NO_OPTIONS",
    "OPTIONS",
    "TASKS",
    "Ask",
    "Chosen",
    "Outcome",
    "Plan",
    "RunOptions",
    "Task",
    "find_task",
    "read_stored_result",
]


class _Tasks(Mapping[str, Task]):
    """Tasks by name: ours, and after them those of installed packages, which are imported at the first look."""

    def __init__(self, *ours: Task) -> None:
        self._ours = {task.name: task for task in ours}

    @cached_property
    def _all(self) -> Mapping[str, Task]:
        found = dict(self._ours)
        for offered in entry_points(group="qbench.tasks"):
            owner = f"the installed package {offered.dist.name if offered.dist else offered.module}"
            try:
                task = offered.load()
            except Exception as error:
                raise UserError(f"{owner} offers the task {offered.name}, but {error}; update or remove it") from error
            if not isinstance(task, Task) or task.name in found:
                raise UserError(f"{owner} offers as {offered.name} no task with a name of its own; remove it")
            found[task.name] = task
        return found

    def __getitem__(self, name: str) -> Task:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


TASKS: Mapping[str, Task] = _Tasks(
    perception.TASK, description.TASK, assessment.TASK, comparison.TASK, *CHOICE_TASKS, retrieval.TASK
)
"""Every task that can be run, by name."""
MEAN_OF_TASKS = "similarity"
"""What the records of means over UniSim-Bench's tasks give as their task."""


def find_task(name: str) -> Task:
    """The task of this name; UserError where there is none."""
    if name not in TASKS:
        raise UserError(f"no task is called {name!r}; there are {', '.join(TASKS)}")
    return TASKS[name]


def read_stored_result(data: object) -> Result:
    """A stored record; ValueError names the field that is malformed, or the task that there is none of."""
    result = Result.from_json(data)
    known = (*TASKS, MEAN_OF_TASKS)
    if result.task not in known:
        raise ValueError(f"task is {quoted(result.task)}; expected one of {', '.join(known)}")
    return result
