"""Does a model notice? A photo at five levels of one distortion, and the scores it gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from leaderboard.live.probe import words_for
from leaderboard.live.service.jobs import Job
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live_runner import LiveRunner
from leaderboard.live.service.messages import PartialResult, Publish
from leaderboard.live.service.open import Live
from qbench.atomic import written_aside
from qbench.distortions import LEVELS, TYPES, distort
from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.records import Picture, Sample
from qbench.tasks import assessment

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
            publish(PartialResult(known))
            runner = LiveRunner(live.models.lend(name, work), work, live.recent)
            known = replace(known, curves=(*known.curves, score_levels(runner, name, known.pictures)))
        return known

    return job


def degrade(picture: Picture, kind: str, folder: Path) -> tuple[Picture, ...]:
    """The photo at viewing size, untouched and at each level, in files that lose nothing.

    Raises:
        UserError: There is no such distortion.
    """
    label = kind if kind in TYPES else "unknown"
    image = load_pixels(picture)
    shrunk = image.copy()
    shrunk.thumbnail((VIEWED, VIEWED), Image.Resampling.LANCZOS)
    pictures = []
    for level in (0, *LEVELS):
        path = folder / f"{picture.sha256[:16]}-{label}-{level}.png"
        if not path.is_file():
            damaged = distort(shrunk, kind, level, seed=_SEED) if level else shrunk
            with written_aside(path) as part:  # work that this replaced may be writing the same file
                damaged.save(part, "PNG", compress_level=1)
        pictures.append(open_picture(path))
    return tuple(pictures)


def score_levels(runner: LiveRunner, name: str, pictures: Sequence[Picture]) -> ScoreCurve:
    """Quality scores of the pictures, as `python -m qbench run --task assessment` has them."""
    samples = [Sample(str(level), (picture.path,)) for level, picture in enumerate(pictures)]
    plan = assessment.plan(samples, runner.model.wants, assessment.Assessment(words=words_for(runner.model)))
    outcome, _ = runner.run(plan)
    scores = outcome.scores["quality"]
    reason = next((score.reason or "" for score in scores if score.value is None), "")
    return ScoreCurve(name, tuple(score.value for score in scores), reason)
