"""Where a photo's score falls among a model's scores of a dataset."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from leaderboard.live.probe import judge_quality
from leaderboard.live.service.jobs import Job
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live_runner import LiveRunner
from leaderboard.live.service.messages import JobProgress, Publish
from leaderboard.live.service.open import Live
from leaderboard.settings import Settings
from qbench.cache import Cache
from qbench.commands.run import make_plan
from qbench.datasets import Dataset, is_here, open_dataset
from qbench.datasets.known import known_datasets
from qbench.errors import UserError
from qbench.models import Model
from qbench.runner import Progress, Runner
from qbench.tasks import RunOptions, assessment


@dataclass(frozen=True)
class DatasetScores:
    """A photo's score beside those of a dataset's pictures, in the same unit."""

    model: str
    dataset: str
    own: float
    others: tuple[float, ...]
    unit: str


def rated_datasets() -> list[str]:
    """Datasets of rated pictures that are here; the demo set, which is made here, comes first."""
    here = [dataset for dataset in known_datasets() if dataset.task == assessment.NAME and dataset.opens]
    return [dataset.name for dataset in sorted(here, key=lambda dataset: dataset.truth) if is_here(dataset)]


@dataclass(frozen=True)
class KeptAnswers:
    """What models answered about datasets' pictures, on disk: a file for each model and list, the oldest go first."""

    folder: Path
    most_bytes: int
    """Of all files together; the one that was used last stays."""

    def open(self, dataset: Dataset, model: Model) -> Cache:
        """The answers of one model about one list, in a file of their own."""
        named = json.dumps([dataset.name, dataset.revision, dict(model.identity)], sort_keys=True)
        return Cache(self.folder / f"{hashlib.sha256(named.encode()).hexdigest()[:32]}.jsonl")

    def prune(self, used: Cache) -> None:
        """Delete what is too much."""
        if used.path.exists():
            used.path.touch()
        newest = sorted(self.folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        size = 0
        for path in newest:
            size += path.stat().st_size
            if size > self.most_bytes and path != used.path:
                path.unlink()
                path.with_name(f".{path.name}.lock").unlink(missing_ok=True)


def open_answers(settings: Settings) -> KeptAnswers:
    """The answers of an installation: up to a tenth of what its runs may take."""
    return KeptAnswers(settings.runs / "datasets", settings.runs_megabytes * 2**20 // 10)


def dataset_scores_job(
    live: Live, visitor: Visitor, path: str | None, name: str, dataset: str, answers: KeptAnswers
) -> Job[DatasetScores]:
    """The job of scoring a photo and, where that was not done before, every picture of a dataset."""

    def job(work: Work, publish: Publish) -> DatasetScores:
        if not path:
            raise UserError("choose a photo first")
        model = live.models.lend(name, work)
        picture = live.uploads.take_in(Path(path), visitor)
        quality = judge_quality(LiveRunner(model, work, live.recent), picture)
        if quality.order is None:
            raise UserError(f"{name} gave this photo no score: {quality.reason}")
        unit = "logits of good words less bad" if quality.mode == "words" else "score"
        others = scores_on(dataset, model, answers, work, lambda progress: publish(JobProgress(prompts=progress)))
        return DatasetScores(name, dataset, quality.order, others, unit)

    return job


def scores_on(
    dataset: str, model: Model, answers: KeptAnswers, work: Work, watch: Callable[[Progress], None]
) -> tuple[float, ...]:
    """What scores are ranked on, of every picture of a dataset that is here; answers are kept, and found again.

    Raises:
        Cancelled: The work was cancelled; the answers so far are kept.
        UserError: The time is used up, or most pictures fail.
    """
    opened = open_dataset(dataset, allow_missing=True)
    plan = make_plan(assessment.NAME, opened.samples, model, RunOptions(), judged=False)
    cache = answers.open(opened, model)
    try:
        runner = Runner(model, cache, watch=lambda progress, _: watch(progress), cancel=work.cancel)
        scores = runner.run(plan).scores["quality"]
    finally:
        answers.prune(cache)
    return tuple(sorted(score.rank_value for score in scores if score.rank_value is not None))
