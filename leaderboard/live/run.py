"""A run: a model on a dataset while a visitor watches. `qbench.evaluation` does the work, as for the command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.live.follow import follow
from leaderboard.live.kept import Kept, collect, find_kept, folders_of, next_folder, replay
from leaderboard.live.limits import Work
from qbench.datasets import Dataset, is_here, open_dataset
from qbench.datasets.known import DatasetFacts, known_datasets
from qbench.errors import UserError
from qbench.evaluation import TASKS, can_do, evaluate
from qbench.models import Model
from qbench.records import Estimate, Want
from qbench.runner import Cancelled, Progress
from qbench.tasks import Outcome

STOPPED = "stopped"


@dataclass(frozen=True)
class Chosen:
    """What a visitor wants to see run."""

    task: str
    dataset: str
    limit: int | None = None
    """Only the first so many samples; None for all."""


@dataclass(frozen=True)
class Done:
    """A finished run."""

    kept: Kept
    dataset: Dataset
    outcome: Outcome | None
    """Sample by sample; None for a record whose answers were asked for in another way than here."""
    cached: bool
    """Found, not run."""


@dataclass(frozen=True)
class State:
    """How a run stands."""

    doing: str = "waiting to begin"
    progress: Progress | None = None
    metric: Estimate | None = None
    """What the answers so far come to."""
    ahead: int = 0
    """How many others are before this one at the model."""
    seconds: float = 0.0
    """Since it began."""
    done: Done | None = None
    ended: str = ""
    """Why it ended before it was done: `STOPPED`, or what went wrong; what was answered is kept."""


def datasets_at_hand() -> list[DatasetFacts]:
    """What can be run here: the demo sets, and those whose files the owner has put in place."""
    return [one for one in known_datasets() if one.opens and is_here(one)]


def able(wants: frozenset[Want] | None, tasks: Sequence[str]) -> list[str]:
    """Those of the tasks that a model can do; all, where it is not known yet what it can."""
    return [one for one in tasks if wants is None or can_do(one, wants)]


def perform(
    chosen: Chosen, lend: Callable[[Work], Model], runs: Path, board: Path, work: Work, *, again: bool = False
) -> Iterator[State]:
    """Run, or find the record of the same run; yields how it stands, at least every few seconds.

    Args:
        chosen: What to run.
        lend: Gives the model.
        runs: Folder of visitors' runs.
        board: Folder of the local board's results, where a record may be found too.
        work: Whose `cancel` stops it; the same run goes on from there.
        again: Ask everything anew, whatever is known.

    Raises:
        UserError: Nothing of this kind can be run.
    """
    if chosen.task not in TASKS or chosen.dataset not in {one.name for one in datasets_at_hand()}:
        raise UserError(f"{chosen.task} on {chosen.dataset} cannot be run here; choose what the page offers")
    if chosen.limit is not None and chosen.limit < 1:
        raise UserError(f"{chosen.limit} samples are nothing to run; give a number from 1, or leave it out for all")

    def carry_out(tell: Callable[[_News], None]) -> Done:
        return _carry_out(chosen, lend(work), runs, board, work, again, tell)

    started, now = time.monotonic(), State()
    job = follow(carry_out, work.cancel)
    try:
        while True:
            now = replace(_heard(now, next(job)), seconds=time.monotonic() - started)
            yield now
    except StopIteration as stop:
        now = replace(now, done=stop.value, ahead=0)
    except Cancelled:
        now = replace(now, ended=STOPPED)
    except UserError as fault:
        if now.progress is None:
            raise
        now = replace(now, ended=str(fault))
    finally:
        job.close()
    yield replace(now, seconds=time.monotonic() - started)


_News = str | int | tuple[Progress, Estimate | None]
"""What is being done, how many others are before at the model, or how far the run is."""


def _carry_out(
    chosen: Chosen, model: Model, runs: Path, board: Path, work: Work, again: bool, tell: Callable[[_News], None]
) -> Done:
    work.waiting = tell
    tell("making the dataset ready")
    dataset = open_dataset(chosen.dataset, limit=chosen.limit)
    work.check()
    tell("opening the model")
    folders = folders_of(runs, chosen.task, dataset, model)
    found = find_kept([*folders, board], chosen.task, dataset, model)
    if found and not again:
        return Done(found, dataset, replay(found, chosen.task, dataset, model), cached=True)
    # A run anew that was stopped goes on; one that was finished is followed by the next.
    finished = again and find_kept(folders[:1], chosen.task, dataset, model)
    folder = next_folder(runs, chosen.task, dataset, model) if finished else folders[0]
    tell("asking the model")
    results = evaluate(
        chosen.task,
        dataset,
        model,
        folder,
        watch=lambda progress, metric: tell((progress, metric)),
        cancel=work.cancel,
    )
    kept = collect(folder, chosen.task, results[0].raw)
    return Done(kept, dataset, replay(kept, chosen.task, dataset, model), cached=False)


def _heard(now: State, news: list[_News]) -> State:
    for one in news:
        if isinstance(one, str):
            now = replace(now, doing=one)
        elif isinstance(one, int):
            now = replace(now, ahead=one)
        else:
            now = replace(now, progress=one[0], metric=one[1] or now.metric, ahead=0)
    return now
