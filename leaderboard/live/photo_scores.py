"""For the Probe page: a photo's place among a dataset's pictures, and its score as it is damaged step by step."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from leaderboard.live.quality import judge_quality
from leaderboard.live.service.jobs import Job, Publish
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live, LiveRunner
from qbench.atomic import written_aside
from qbench.cache import Cache
from qbench.commands.evaluate import choose, make_plan
from qbench.datasets import is_here, open_dataset
from qbench.datasets.known import known_datasets
from qbench.distortions import LEVELS, TYPES, distort
from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.models import Model
from qbench.records import Picture, Sample
from qbench.runner import Progress, Runner
from qbench.tasks import RunOptions, assessment

VIEWED = 768
"""Longest side a photo is brought to first: strengths are pixels of photos seen whole."""
MOST_MODELS = 3
_SEED = 0
_FALLS_BY = 1e-9
"""A score this near to the one before has not fallen."""


@dataclass(frozen=True)
class ScoreCurve:
    """The scores of one model, the untouched photo first."""

    model: str
    scores: tuple[float | None, ...]
    reason: str = ""
    """Why a score is absent."""

    @property
    def falls(self) -> int:
        """At how many of the steps the score falls."""
        steps = zip(self.scores, self.scores[1:], strict=False)
        return sum(before is not None and after is not None and after < before - _FALLS_BY for before, after in steps)


@dataclass(frozen=True)
class Degradation:
    """A photo damaged step by step, and the curves of the models that were asked so far."""

    kind: str
    """Key of the distortion."""
    pictures: tuple[Picture, ...]
    """The untouched photo first."""
    curves: tuple[ScoreCurve, ...] = ()


def degradation_job(
    live: Live, visitor: Visitor, path: str | None, kind: str, models: Sequence[str]
) -> Job[Degradation]:
    """The job of damaging a photo and asking models about every level; what is known comes after each model."""

    def job(work: Work, publish: Publish) -> Degradation:
        if not path or not models:
            raise UserError("choose a photo and at least one model first")
        picture = live.uploads.take_in(Path(path), visitor)
        known = Degradation(kind, degrade(picture, kind, live.uploads.folder_of(visitor)))
        for name in models[:MOST_MODELS]:
            publish(known=known)
            runner = live.runner(name, work)
            known = replace(known, curves=(*known.curves, score_levels(runner, name, known.pictures)))
        return known

    return job


def degrade(picture: Picture, kind: str, folder: Path) -> tuple[Picture, ...]:
    """The photo at viewing size, untouched and at each level of a known distortion, in files that lose nothing."""
    if kind not in TYPES:
        raise UserError(f"no distortion is called {kind!r}; there are {', '.join(TYPES)}")
    image = load_pixels(picture)
    shrunk = image.copy()
    shrunk.thumbnail((VIEWED, VIEWED), Image.Resampling.LANCZOS)
    pictures = []
    for level in (0, *LEVELS):
        path = folder / f"{picture.sha256[:16]}-{kind}-{level}.png"
        if not path.is_file():
            damaged = distort(shrunk, kind, level, seed=_SEED) if level else shrunk
            with written_aside(path) as part:  # work that this replaced may be writing the same file
                damaged.save(part, "PNG", compress_level=1)
        pictures.append(open_picture(path))
    return tuple(pictures)


def score_levels(runner: LiveRunner, name: str, pictures: Sequence[Picture]) -> ScoreCurve:
    """Quality scores of the pictures, as `python -m qbench run --task assessment` has them."""
    samples = [Sample(str(level), (picture.path,)) for level, picture in enumerate(pictures)]
    plan = assessment.plan(samples, choose(assessment.NAME, runner.model))
    outcome, _ = runner.run(plan)
    scores = outcome.scores["quality"]
    reason = next((score.reason or "" for score in scores if score.value is None), "")
    return ScoreCurve(name, tuple(score.value for score in scores), reason)


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


def dataset_scores_job(
    live: Live, visitor: Visitor, path: str | None, name: str, dataset: str, answers: Path
) -> Job[DatasetScores]:
    """The job of scoring a photo and, where that was not done before, every picture of a dataset.

    What models answered about datasets' pictures is kept in the folder `answers`, a file for each model and list.
    """

    def job(work: Work, publish: Publish) -> DatasetScores:
        if not path:
            raise UserError("choose a photo first")
        model = live.models.lend(name, work)
        picture = live.uploads.take_in(Path(path), visitor)
        quality = judge_quality(LiveRunner(model, work, live.recent), picture)
        if quality.order is None:
            raise UserError(f"{name} gave this photo no score: {quality.reason}")
        unit = "logits of good words less bad" if quality.mode == "words" else "score"
        others = scores_on(dataset, model, answers, work, lambda progress: publish(progress=progress))
        return DatasetScores(name, dataset, quality.order, others, unit)

    return job


def scores_on(
    dataset: str, model: Model, answers: Path, work: Work, watch: Callable[[Progress], None]
) -> tuple[float, ...]:
    """What scores are ranked on, of every picture of a dataset that is here; answers are kept, and found again.

    Raises:
        Cancelled: The work was cancelled; the answers so far are kept.
        UserError: The time is used up, or most pictures fail.
    """
    opened = open_dataset(dataset, allow_missing=True)
    plan = make_plan(assessment.NAME, opened.samples, model, RunOptions(), judged=False)
    named = json.dumps([opened.name, opened.revision, dict(model.identity)], sort_keys=True)
    cache = Cache(answers / f"{hashlib.sha256(named.encode()).hexdigest()[:32]}.jsonl")
    runner = Runner(model, cache, watch=lambda progress, _: watch(progress), cancel=work.cancel)
    scores = runner.run(plan).scores["quality"]
    return tuple(sorted(score.rank_value for score in scores if score.rank_value is not None))
