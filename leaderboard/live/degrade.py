"""Does a model notice? A photo at five levels of one distortion, and the scores it gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from PIL import Image

from leaderboard.live.asking import Asking
from leaderboard.live.probe import words_for
from qbench.distortions import LEVELS, TYPES, distort
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
class Curve:
    """The scores of one model, the untouched photo first."""

    model: str
    scores: tuple[float | None, ...]
    reason: str = ""
    """Why a score is absent."""

    @property
    def falls(self) -> int:
        """At how many of the steps the score falls."""
        steps = zip(self.scores, self.scores[1:], strict=False)
        return sum(one is not None and two is not None and two < one - _FALLS_BY for one, two in steps)


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
            part = path.with_name(f".{uuid4().hex}.png")  # work that this replaced may be writing the same file
            damaged.save(part, "PNG", compress_level=1)
            part.replace(path)
        pictures.append(open_picture(path))
    return tuple(pictures)


def follow_levels(asking: Asking, name: str, pictures: Sequence[Picture]) -> Curve:
    """Quality scores of the pictures, as `python -m qbench run --task assessment` has them."""
    samples = [Sample(str(level), (one.path,)) for level, one in enumerate(pictures)]
    plan = assessment.plan(samples, asking.model.wants, assessment.Assessment(words=words_for(asking.model)))
    outcome, _ = asking.answer(plan)
    scores = outcome.scores["quality"]
    reason = next((score.reason or "" for score in scores if score.value is None), "")
    return Curve(name, tuple(score.value for score in scores), reason)
