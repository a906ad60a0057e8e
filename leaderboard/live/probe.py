"""What a model makes of one photo: the tasks of Q-Bench asked once, with the numbers behind each answer.

Quality and description are asked as A3 and A2 ask them; for questions see `leaderboard.live.questions`. Attributes are
measured without learning, all photos at one size: fine detail is what a photo has at its own, which says nothing of
another's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from scipy import ndimage
from scipy.special import expit

from leaderboard.live import questions
from leaderboard.live.quality import Quality, QualityMap, judge_quality, map_json, map_quality
from leaderboard.live.questions import QuestionAnswer
from leaderboard.live.service.jobs import Job, Publish
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live, LiveRunner
from leaderboard.tables.words import listed
from qbench import prompts
from qbench.errors import UserError
from qbench.images import image_size, load_pixels
from qbench.models.classical import MEASURES
from qbench.records import Picture, Prompt, Sample
from qbench.tasks import description
from qbench.tasks.task import is_encoder

_CAPTIONS = {"colourfulness": "colorfulness"}
"""Where `prompts` spells an attribute otherwise."""
LONGEST_SIDE = 480
"""Pixels of the long side at which photos are measured; the example photos have 480 or 512."""
_BLUR = 9
MEASURED: Mapping[str, tuple[float, ...]] = {
    "brightness": (63.2, 68.9, 95.0, 95.0, 101.6, 103.5, 113.8, 124.9, 125.5, 128.5, 129.6, 137.3, 140.6, 145.8),
    "colourfulness": (35.4, 36.4, 37.7, 38.5, 39.1, 48.5, 51.5, 66.6, 70.7, 77.3, 78.3, 82.4, 88.1, 97.3),
    "contrast": (30.5, 35.3, 37.6, 46.4, 47.1, 53.0, 54.5, 55.0, 58.7, 63.0, 67.4, 68.4, 71.8, 81.8),
    "sharpness": (62.8, 67.2, 71.5, 72.0, 74.6, 75.8, 76.7, 76.9, 77.0, 77.8, 78.3, 80.7, 81.6, 82.5),
}
"""What `leaderboard.live.probe` makes of them, rounded; measuring them anew takes a visitor's time."""
_ONE_AT_A_TIME = threading.Lock()
"""A large photo takes a hundred megabytes and more until it is scaled."""


@dataclass(frozen=True)
class Meter:
    """One attribute of a photo."""

    attribute: str
    value: float
    above: int
    """How many of the example photos have less."""
    of: int


def measure(picture: Picture) -> tuple[Meter, ...]:
    """The photo's attributes beside those of the example photos."""
    with _ONE_AT_A_TIME:
        scaled = at_common_size(load_pixels(picture))
    meters = []
    for name, function in ATTRIBUTES.items():
        value = function(scaled)
        above = sum(other < round(value, 1) for other in MEASURED[name])
        meters.append(Meter(name, value, above, len(MEASURED[name])))
    return tuple(meters)


def at_common_size(image: Image.Image) -> Image.Image:
    """The image no larger than `LONGEST_SIDE`; a smaller one stays, for enlarging it adds no detail."""
    scale = LONGEST_SIDE / max(image.size)
    if scale >= 1:
        return image
    width, height = (max(1, round(side * scale)) for side in image.size)
    return image.resize((width, height), Image.Resampling.LANCZOS)


def fine_detail(image: Image.Image) -> float:
    """Sharpness from 0 to 100: how much of the steps between neighbouring pixels a blur takes away.

    One less the blur of F. Crete et al., "The blur effect" (2007): a blurred photo has little that a blur could take.
    Unlike the strength of edges it does not follow contrast, or how much of the photo is sky.
    """
    grey, kept = np.asarray(image.convert("L"), dtype=float), []
    for axis in (0, 1):
        steps = np.abs(np.diff(grey, axis=axis))
        blurred = np.abs(np.diff(ndimage.uniform_filter1d(grey, _BLUR, axis=axis), axis=axis))
        kept.append(np.maximum(0, steps - blurred).sum() / total if (total := steps.sum()) else 0.0)
    return 100 * float(min(kept))


ATTRIBUTES: Mapping[str, Callable[[Image.Image], float]] = {**MEASURES, "sharpness": fine_detail}


class WeighedCaption(NamedTuple):
    """Two opposite captions, and the probability of the first against the second."""

    more: str
    """Such as "Bright photo."."""
    share: float
    less: str

    @property
    def nearer(self) -> tuple[str, float, str]:
        """The caption that is nearer to the photo, its probability, and the other."""
        if self.share >= 0.5:
            return self.more, self.share, self.less
        return self.less, 1 - self.share, self.more


def weigh_captions(runner: LiveRunner, picture: Picture) -> dict[str, WeighedCaption]:
    """An encoder's view, CLIP-IQA's way (https://arxiv.org/abs/2207.12396), at CLIP's own temperature."""
    pairs = {name: prompts.OPPOSITE_CAPTIONS[_CAPTIONS.get(name, name)] for name in MEASURES}
    words = tuple(word for pair in pairs.values() for word in pair)
    response = runner.ask(Prompt("words", (picture,), words=words))
    return {
        name: WeighedCaption(more, float(expit(response.logits[more] - response.logits[less])), less)
        for name, (more, less) in pairs.items()
        if more in response.logits and less in response.logits
    }


@dataclass(frozen=True)
class WrittenDescription:
    """The model's own words."""

    text: str
    reason: str = ""
    left_out: tuple[str, ...] = ()
    """What its other sentences were about: asked about that, it is no better than guessing."""


@dataclass(frozen=True)
class ProbeResult:
    """What is known of a photo so far."""

    model: str
    picture: Picture
    quality: Quality | None = None
    answers: tuple[QuestionAnswer, ...] = ()
    described: WrittenDescription | None = None
    meters: tuple[Meter, ...] = ()
    captions: Mapping[str, WeighedCaption] = field(default_factory=dict)
    """An encoder's view of the attributes; see `weigh_captions`."""
    map: QualityMap | None = None
    """Where the photo is worse than the rest of itself, from a model that scores its parts."""
    scaled_from: tuple[int, int] | None = None
    """Width and height of the upload, where a scaled copy was made of it for the model."""


def probe_job(live: Live, visitor: Visitor, path: str | None, name: str, own: tuple[str, str]) -> Job[ProbeResult]:
    """The job of one probe, which leaves out what the model cannot do; what is known comes after each part.

    `own` is a visitor's own question and its options, one a line, or two empty texts.
    """

    def job(work: Work, publish: Publish) -> ProbeResult:
        if not path:
            raise UserError("there is no photo; give one")
        mine = questions.own_question(*own)
        if mine and (unable := answers_nothing(live, name)):
            raise UserError(unable)
        picture = live.uploads.take_in(Path(path), visitor)
        is_copy = Path(picture.path) != Path(path).resolve()
        known = ProbeResult(name, picture, scaled_from=image_size(Path(path)) if is_copy else None)

        def find(**found: Any) -> None:
            nonlocal known
            known = replace(known, **found)
            publish(known=known)

        publish(known=known)
        runner = live.runner(name, work)
        find(quality=judge_quality(runner, picture))
        wants = runner.model.wants
        if is_encoder(wants):
            find(captions=weigh_captions(runner, picture))
        elif questions.can_answer(wants):
            answers = questions.ask_questions(runner, picture, [*filter(None, [mine]), *questions.STANDARD_QUESTIONS])
            find(answers=tuple(questions.without_doubtful(each, runner.model.identity) for each in answers))
        find(meters=measure(picture))
        if "text" in wants:
            find(described=describe(runner, picture, known.answers))
        if "map" in wants:
            find(map=map_quality(runner, picture))
        return known

    return job


def answers_nothing(live: Live, name: str) -> str:
    """That a model answers no questions, and which models do; empty where it does."""
    if questions.can_answer(live.models.wants(name)):
        return ""
    able = [other for other in live.models.names if questions.can_answer(live.models.wants(other))]
    return f"{name} cannot answer questions; of the models here {listed(able) or 'none'} can"


def describe(runner: LiveRunner, picture: Picture, answers: Sequence[QuestionAnswer]) -> WrittenDescription:
    """The description, as `python -m qbench run --task description` asks for it, without what is in doubt."""
    sample = Sample("photo", (picture.path,))
    plan = description.plan([sample], description.TASK.choose(runner.model.wants))
    _, [(_, response)] = runner.run(plan)
    text, left_out = questions.without_doubtful_sentences(response.text or "", answers)
    reason = response.failure or ("" if response.text else "it wrote nothing")
    return WrittenDescription(text, reason or ("" if text else "nothing that it wrote is known to be right"), left_out)


def to_json(result: ProbeResult) -> dict[str, Any]:
    quality = result.quality
    return {
        "model": result.model,
        "sha256": result.picture.sha256,
        "scaled_from": result.scaled_from and list(result.scaled_from),
        "quality": None if quality is None else asdict(quality),
        "questions": [
            {
                "question": answer.question.text,
                "options": list(answer.question.options),
                "probabilities": list(answer.probabilities),
                "low": list(answer.low),
                "high": list(answer.high),
                "by_place": list(answer.by_place),
                "answer": answer.chosen,
                "text": answer.text,
                "reason": answer.reason,
                "orders": [asdict(order) for order in answer.orders],
            }
            for answer in result.answers
        ],
        "description": result.described and result.described.text,
        "description_left_out": list(result.described.left_out) if result.described else [],
        "attributes": {meter.attribute: meter.value for meter in result.meters},
        "map": result.map and map_json(result.map),
        "captions": {name: {more: share, less: 1 - share} for name, (more, share, less) in result.captions.items()},
    }
