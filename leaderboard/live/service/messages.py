"""What is said of a visitor's job while it goes on: one typed message for each thing that can be said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from qbench.runner import Progress

PartialT = TypeVar("PartialT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class QueuePosition:
    """How many others are before this visitor at the model."""

    ahead: int


@dataclass(frozen=True)
class JobProgress:
    """What the job is doing, and how far its present step is."""

    doing: str = ""
    prompts: Progress | None = None


@dataclass(frozen=True)
class PartialResult(Generic[PartialT]):
    """All that is known so far; a later one replaces it."""

    value: PartialT


@dataclass(frozen=True)
class StillWorking:
    """Nothing is new; sent so that the connection is never silent for long."""


@dataclass(frozen=True)
class JobResult(Generic[ResultT]):
    """What the job came to; the last message."""

    value: ResultT


@dataclass(frozen=True)
class JobCancelled:
    """The visitor stopped the job; the last message."""


@dataclass(frozen=True)
class Failure:
    """Why the job ended early, and what to do; the last message."""

    reason: str
    """Not capitalised, for many begin with the name of a file or a model."""

    @property
    def sentence(self) -> str:
        return f"Not done: {self.reason}{'' if self.reason.endswith(('.', '?')) else '.'}"


Message: TypeAlias = (
    QueuePosition | JobProgress | PartialResult[PartialT] | StillWorking | JobResult[ResultT] | JobCancelled | Failure
)
Publish = Callable[[QueuePosition | JobProgress | PartialResult[Any]], None]
"""How a job says what is new."""
