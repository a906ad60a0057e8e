"""What a model makes of one photo: the tasks of Q-Bench asked once, with the numbers behind each answer.

Quality and description are asked as A3 and A2 ask them; for questions see `leaderboard.live.questions`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from leaderboard.live.asking import Asking
from leaderboard.live.attributes import Meter, measure, weigh_captions
from leaderboard.live.questions import Answer, Question, put
from qbench.models import Model
from qbench.models.catalogue import find
from qbench.records import Picture, Response, Sample
from qbench.tasks import assessment, description
from qbench.tasks.asking import is_encoder
from qbench.tasks.assessment import WordPair

_PHOTO = "photo"


@dataclass(frozen=True)
class Pair:
    """A score by one pair, or ensemble, of words."""

    words: str
    difference: float
    """Logits of the good words less those of the bad ones."""
    score: float
    """As the published figures have it, logits divided by 100 first."""
    as_printed: float
    """Eq. 1 as it is printed."""


@dataclass(frozen=True)
class Quality:
    """A quality score and what it was made from."""

    value: float | None
    order: float | None
    """What scores are ranked on: the logit difference where there is one."""
    mode: assessment.Mode
    reason: str = ""
    """Why there is no score."""
    logits: Mapping[str, float] | None = None
    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True)
class Described:
    """The model's own words."""

    text: str
    reason: str = ""


@dataclass(frozen=True)
class Probed:
    """What is known of a photo so far."""

    model: str
    picture: Picture
    quality: Quality | None = None
    answers: tuple[Answer, ...] = ()
    described: Described | None = None
    meters: tuple[Meter, ...] = ()
    captions: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """An encoder's view of the attributes; see `weigh_captions`."""
    seconds: float | None = None
    """How long it took, once all is known."""


def probe(asking: Asking, name: str, picture: Picture, questions: Sequence[Question]) -> Iterator[Probed]:
    """What is known after each part; what the model cannot do is left out.

    Raises:
        Cancelled: The work was cancelled.
        UserError: The model cannot judge an image at all, or the time is used up.
    """
    started = time.monotonic()
    known = Probed(name, picture)
    yield known
    known = replace(known, quality=judge(asking, picture))
    yield known
    wants = asking.model.wants
    if is_encoder(wants):
        known = replace(known, captions=weigh_captions(asking, picture))
    elif wants & {"text", "words"}:
        known = replace(known, answers=put(asking, picture, questions))
    known = replace(known, meters=measure(picture))
    if "text" in wants:
        yield known
        known = replace(known, described=describe(asking, picture))
    yield replace(known, seconds=time.monotonic() - started)


def judge(asking: Asking, picture: Picture) -> Quality:
    """The quality score, as `python -m qbench run --task assessment` has it."""
    sample, words = Sample(_PHOTO, (picture.path,)), words_for(asking.model)
    outcome, given = asking.answer(assessment.plan([sample], asking.model.wants, assessment.Assessment(words=words)))
    [score], [(_, response)] = outcome.scores["quality"], given
    mode = outcome.protocol["prompt"]
    if mode != "words":
        return Quality(score.value, score.value, mode, score.reason or "")
    own = assessment.CLIP_WORDS if is_encoder(asking.model.wants) else words
    pairs = [own, *(pair for pair in assessment.ensembles(response.logits) if pair != own)]
    return Quality(
        score.value,
        score.order,
        mode,
        score.reason or "",
        response.logits,
        tuple(_pair(sample, response, pair) for pair in pairs) if score.value is not None else (),
    )


def words_for(model: Model) -> WordPair:
    """The words that a run weighs for this model."""
    facts = find(model.name)
    return WordPair(**facts.words) if facts else assessment.DEFAULT_WORDS


def _pair(sample: Sample, response: Response, words: WordPair) -> Pair:
    published, printed = (
        assessment.score_logits(sample, response, words, strategy) for strategy in ("softmax-t100", "softmax-t1")
    )
    return Pair(words.label, published.order or 0.0, published.value or 0.0, printed.value or 0.0)


def describe(asking: Asking, picture: Picture) -> Described:
    """The description, as `python -m qbench run --task description` asks for it."""
    sample = Sample(_PHOTO, (picture.path,))
    plan = description.plan([sample], asking.model.wants, description.Description())
    _, [(_, response)] = asking.answer(plan)
    return Described(response.text or "", response.failure or ("" if response.text else "it wrote nothing"))


def to_json(probed: Probed) -> dict[str, Any]:
    """For scripts."""
    quality = probed.quality
    return {
        "model": probed.model,
        "sha256": probed.picture.sha256,
        "quality": None if quality is None else asdict(quality),
        "questions": [
            {
                "question": one.question.text,
                "options": list(one.question.options),
                "probabilities": list(one.probabilities),
                "answer": one.chosen,
                "text": one.text,
                "reason": one.reason,
            }
            for one in probed.answers
        ],
        "description": probed.described and probed.described.text,
        "attributes": {one.attribute: one.value for one in probed.meters},
        "captions": {name: {caption: share} for name, (caption, share) in probed.captions.items()},
    }
