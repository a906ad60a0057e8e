"""A run: a model on a dataset while a visitor watches. `qbench.commands.run` does the work, as for the command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leaderboard.live.run_records import RunRecords, find_records, folders_of, next_folder, replay
from leaderboard.live.service.jobs import Job
from leaderboard.live.service.limits import Work
from leaderboard.live.service.messages import (
    Failure,
    JobCancelled,
    JobProgress,
    JobResult,
    Message,
    PartialResult,
    Publish,
    QueuePosition,
)
from qbench.cache import Cache
from qbench.commands.run import TaskRun, can_do, run_task, write_run
from qbench.datasets import Dataset, is_here, open_dataset
from qbench.datasets.known import DatasetFacts, known_datasets
from qbench.errors import UserError
from qbench.models import Model
from qbench.records import Estimate, Want
from qbench.runner import Progress
from qbench.tasks import TASKS, Outcome


@dataclass(frozen=True)
class RunRequest:
    """What a visitor wants to see run."""

    task: str
    dataset: str
    limit: int | None = None
    """Only the first so many samples; None for all."""


@dataclass(frozen=True)
class FinishedRun:
    """A run that is through."""

    records: RunRecords
    dataset: Dataset
    outcome: Outcome | None
    """Sample by sample; None for a record whose answers were asked for in another way than here."""
    cached: bool
    """Found, not run."""


@dataclass(frozen=True)
class RunState:
    """How far a run is."""

    doing: str = "waiting to begin"
    progress: Progress | None = None
    metric: Estimate | None = None
    """What the answers so far come to."""
    ahead: int = 0
    """How many others are before this one at the model."""
    seconds: float = 0.0
    """Since it began."""
    finished: FinishedRun | None = None
    failure: Failure | None = None
    """Why it ended before it was through; what was answered is kept."""
    cancelled: bool = False
    """Whether the visitor stopped it; what was answered is kept."""

    @property
    def ended(self) -> bool:
        return self.finished is not None or self.cancelled or self.failure is not None

    def after(self, message: Message[Estimate, FinishedRun]) -> RunState:
        """The state once this has been heard."""
        if isinstance(message, QueuePosition):
            return replace(self, ahead=message.ahead)
        if isinstance(message, JobProgress):
            ahead = 0 if message.prompts else self.ahead
            return replace(self, doing=message.doing, progress=message.prompts or self.progress, ahead=ahead)
        if isinstance(message, PartialResult):
            return replace(self, metric=message.value)
        if isinstance(message, JobResult):
            return replace(self, finished=message.value, ahead=0)
        if isinstance(message, Failure):
            return replace(self, failure=message, ahead=0)
        return replace(self, cancelled=True, ahead=0) if isinstance(message, JobCancelled) else self


def to_json(state: RunState) -> dict[str, Any]:
    """For scripts."""
    progress, finished = state.progress, state.finished
    return {
        "doing": state.doing,
        "done": progress.done if progress else None,
        "of": progress.total if progress else None,
        "failed": progress.failed if progress else None,
        "running": state.metric.to_json() if state.metric else None,
        "ended": "stopped" if state.cancelled else state.failure.reason if state.failure else None,
        "cached": finished.cached if finished else None,
        "results": [result.to_json() for result in finished.records.results.values()] if finished else None,
    }


def available_datasets() -> list[DatasetFacts]:
    """What can be run here: the demo sets, and those whose files the owner has put in place."""
    return [dataset for dataset in known_datasets() if dataset.opens and is_here(dataset)]


def feasible_tasks(wants: frozenset[Want] | None, tasks: Sequence[str]) -> list[str]:
    """Those of the tasks that a model can do; all, where it is not known yet what it can."""
    return [task for task in tasks if wants is None or can_do(task, wants)]


def run_states(messages: Iterable[Message[Any, FinishedRun]]) -> Iterator[RunState]:
    """How far a run is after each message of its job."""
    started, state = time.monotonic(), RunState()
    for message in messages:
        state = replace(state.after(message), seconds=time.monotonic() - started)
        yield state


def run_job(
    request: RunRequest, lend: Callable[[Work], Model], runs: Path, board: Path, *, again: bool = False
) -> Job[FinishedRun]:
    """The job of running, or of finding the record of the same run; stopped, the same run goes on from there.

    Args:
        request: What to run.
        lend: Gives the model.
        runs: Folder of visitors' runs.
        board: Folder of the local board's results, where a record may be found too.
        again: Ask everything anew, whatever is known.
    """

    def job(work: Work, publish: Publish) -> FinishedRun:
        _check(request)
        publish(JobProgress("making the dataset ready"))
        dataset = open_dataset(request.dataset, limit=request.limit)
        work.check()
        publish(JobProgress("opening the model"))
        model = lend(work)
        folders = folders_of(runs, request.task, dataset, model)
        found = find_records([*folders, board], request.task, dataset, model)
        if found and not again:
            return FinishedRun(found, dataset, replay(found, request.task, dataset, model), cached=True)
        # A run anew that was stopped goes on; one that was finished is followed by the next.
        finished = again and find_records(folders[:1], request.task, dataset, model)
        folder = next_folder(runs, request.task, dataset, model) if finished else folders[0]
        run = _ask(request.task, dataset, model, folder, work, publish)
        return FinishedRun(RunRecords(folder, run.results), dataset, run.outcome, cached=False)

    return job


def _check(request: RunRequest) -> None:
    """Refuse what is not offered."""
    if request.task not in TASKS or request.dataset not in {dataset.name for dataset in available_datasets()}:
        raise UserError(f"{request.task} on {request.dataset} cannot be run here; choose what the page offers")
    if request.limit is not None and request.limit < 1:
        raise UserError(f"{request.limit} samples are nothing to run; give a number from 1, or leave it out for all")


def _ask(task: str, dataset: Dataset, model: Model, folder: Path, work: Work, publish: Publish) -> TaskRun:
    def watch(progress: Progress, metric: Estimate | None) -> None:
        publish(JobProgress("asking the model", progress))
        if metric is not None:
            publish(PartialResult(metric))

    publish(JobProgress("asking the model"))
    run = run_task(task, dataset, model, Cache(folder / "responses.jsonl"), watch=watch, cancel=work.cancel)
    write_run(run, folder)
    return run
