"""How far a job is, as its messages tell: what the states of a run and of a tournament have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from leaderboard.live.service.messages import Failure, JobCancelled, JobProgress, JobResult, Message, QueuePosition
from qbench.runner import Progress

StateT = TypeVar("StateT", bound="JobState")


@dataclass(frozen=True, kw_only=True)
class JobState:
    """How far a job is; subclasses add what it found."""

    progress: Progress | None = None
    """Of the present step: a round, or the scoring of every picture by a model that scores."""
    ahead: int = 0
    """How many others are before this one at the model."""
    seconds: float = 0.0
    """Since it began."""
    failure: Failure | None = None
    """Why it ended before it was through; what was answered is kept."""
    cancelled: bool = False
    """Whether the visitor stopped it; what was answered is kept."""

    def after(self: StateT, message: Message[Any, Any]) -> StateT:
        """The state once this has been heard."""
        if isinstance(message, QueuePosition):
            return replace(self, ahead=message.ahead)
        if isinstance(message, JobProgress):
            return replace(self, progress=message.prompts or self.progress, ahead=0 if message.prompts else self.ahead)
        if isinstance(message, JobResult):
            return replace(self, ahead=0)
        if isinstance(message, Failure):
            return replace(self, failure=message, ahead=0)
        return replace(self, cancelled=True, ahead=0) if isinstance(message, JobCancelled) else self
