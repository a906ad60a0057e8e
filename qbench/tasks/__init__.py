"""Tasks: what to ask a model about samples, and what its responses are worth. Each ends with its `Task` record.

Nothing here knows which model answers or how records are made; the table below is read by everything that does.
"""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as quoted

from qbench.errors import UserError
from qbench.records import Result
from qbench.tasks import assessment, comparison, description, perception
from qbench.tasks.similarity import retrieval
from qbench.tasks.similarity.choices import CHOICE_TASKS
from qbench.tasks.task import NO_OPTIONS, OPTIONS, Ask, Chosen, Outcome, Plan, RunOptions, Task

__all__ = [
    "MEAN_OF_TASKS",
    "NO_OPTIONS",
    "OPTIONS",
    "OPTION_TASKS",
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

TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        perception.TASK,
        description.TASK,
        assessment.TASK,
        comparison.TASK,
        *CHOICE_TASKS,
        retrieval.TASK,
    )
}
"""Every task that can be run, by name."""
OPTION_TASKS: Mapping[str, tuple[str, ...]] = {
    option: tuple(name for name, task in TASKS.items() if option in task.options) for option in OPTIONS
}
"""Option of a run -> the tasks it means something to."""
MEAN_OF_TASKS = "similarity"
"""What the records of means over UniSim-Bench's tasks give as their task."""


def find_task(name: str) -> Task:
    """The task of this name.

    Raises:
        UserError: There is none.
    """
    if name not in TASKS:
        raise UserError(f"no task is called {name!r}; there are {', '.join(TASKS)}")
    return TASKS[name]


def read_stored_result(data: object) -> Result:
    """A stored record.

    Raises:
        ValueError: It is malformed, or of no task that there is; the message names the field.
    """
    result = Result.from_json(data)
    known = (*TASKS, MEAN_OF_TASKS)
    if result.task not in known:
        raise ValueError(f"task is {quoted(result.task)}; expected one of {', '.join(known)}")
    return result
