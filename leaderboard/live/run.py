"""A run: a model on a dataset while a visitor watches. `qbench.commands.run` does the work, as for the command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leaderboard.live.run_records import ANSWERS, RunRecords, copy_records, find_records, replay, take_answers
from leaderboard.live.run_request import RunRequest
from leaderboard.live.service.job_state import JobState
from leaderboard.live.service.jobs import Job
from leaderboard.live.service.limits import Work
from leaderboard.live.service.messages import JobProgress, JobResult, Message, PartialResult, Publish
from qbench.cache import Cache
from qbench.commands.run import TaskRun, name_ending, run_task, write_run
from qbench.datasets import Dataset, data_root, is_here, open_dataset
from qbench.datasets.here import Presence, look_for
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.errors import UserError
from qbench.models import Model
from qbench.records import Estimate
from qbench.runner import Progress
from qbench.tasks import TASKS, Outcome


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
class RunState(JobState):
    """How far a run is."""

    doing: str = "waiting to begin"
    metric: Estimate | None = None
    """What the answers so far come to."""
    finished: FinishedRun | None = None

    @property
    def ended(self) -> bool:
        return self.finished is not None or self.cancelled or self.failure is not None

    def after(self, message: Message[Estimate, FinishedRun]) -> RunState:
        """The state once this has been heard."""
        state = super().after(message)
        if isinstance(message, JobProgress):
            return replace(state, doing=message.doing)
        if isinstance(message, PartialResult):
            return replace(state, metric=message.value)
        return replace(state, finished=message.value) if isinstance(message, JobResult) else state


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


def is_partly_here(name: str) -> Presence | None:
    """How much of a dataset is here where that is a part: the rest is left out of a run. None for any other."""
    facts = find_dataset(name)
    presence = look_for(facts, data_root()) if facts else None
    return presence if presence and presence.state == "partly" and presence.items else None


def run_states(messages: Iterable[Message[Any, FinishedRun]]) -> Iterator[RunState]:
    """How far a run is after each message of its job."""
    started, state = time.monotonic(), RunState()
    for message in messages:
        state = replace(state.after(message), seconds=time.monotonic() - started)
        yield state


def run_job(
    request: RunRequest,
    lend: Callable[[str, Work], Model],
    folder: Path,
    earlier: Sequence[Path] = (),
    board: Path | None = None,
    *,
    anew: bool = False,
) -> Job[FinishedRun]:
    """The job of running, or of finding the record of the same run; stopped, the same run goes on from there.

    Args:
        request: What to run.
        lend: Gives a model by its name.
        folder: The run's own: answers, records, and what it has of an earlier try.
        earlier: Folders of runs where a record of the same may be found, or answers to some of the questions.
        board: Folder of the local board's results, where a record may be found too.
        anew: Ask everything that this run has not asked itself, whatever others know.
    """

    def job(work: Work, publish: Publish) -> FinishedRun:
        check_request(request)
        publish(JobProgress("making the dataset ready"))
        dataset = open_requested(request)
        work.check()
        publish(JobProgress("opening the model"))
        model = lend(request.model, work)
        judge = lend(request.judge, work) if request.judge else None
        ending = name_ending(dataset, model, judge, request.options)
        places = [folder] if anew else [folder, *earlier, *([board] if board else [])]
        if found := find_records(places, request.task, ending):
            kept = found if found.folder == folder else copy_records(found, folder)
            return FinishedRun(kept, dataset, replay(kept, request, dataset, model, judge), cached=True)
        if not anew:
            take_answers(folder, earlier)
        run = _ask(request, dataset, model, judge, folder, work, publish)
        return FinishedRun(RunRecords(folder, run.results), dataset, run.outcome, cached=False)

    return job


def open_requested(request: RunRequest) -> Dataset:
    """The dataset of a request, as the command line opens it."""
    return open_dataset(request.dataset, limit=request.limit, task=request.task, allow_missing=request.allow_missing)


def check_request(request: RunRequest) -> None:
    """Refuse what is not offered.

    Raises:
        UserError: One sentence that says so.
    """
    if request.task not in TASKS or request.dataset not in {dataset.name for dataset in available_datasets()}:
        raise UserError(f"{request.task} on {request.dataset} cannot be run here; choose what the page offers")
    if request.limit is not None and request.limit < 1:
        raise UserError(f"{request.limit} samples are nothing to run; give a number from 1, or leave it out for all")


def _ask(
    request: RunRequest,
    dataset: Dataset,
    model: Model,
    judge: Model | None,
    folder: Path,
    work: Work,
    publish: Publish,
) -> TaskRun:
    def watch(progress: Progress, metric: Estimate | None) -> None:
        publish(JobProgress("asking the model", progress))
        if metric is not None:
            publish(PartialResult(metric))

    publish(JobProgress("asking the model"))
    cache = Cache(folder / ANSWERS)
    run = run_task(
        request.task,
        dataset,
        model,
        cache,
        judge=judge,
        options=request.options,
        watch=watch,
        cancel=work.cancel,
    )
    write_run(run, folder)
    return run
