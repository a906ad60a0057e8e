"""What a model makes of one photo: the tasks of Q-Bench asked once, with the numbers behind each answer.

Quality and description are asked as A3 and A2 ask them; for questions see `leaderboard.live.questions`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from leaderboard.live.attributes import Meter, WeighedCaption, measure, weigh_captions
from leaderboard.live.calibration import without_doubtful, without_doubtful_sentences
from leaderboard.live.quality_map import QualityMap, map_quality
from leaderboard.live.quality_map import to_json as map_to_json
from leaderboard.live.questions import (
    ATTRIBUTE_QUESTIONS,
    STANDARD_QUESTIONS,
    PhotoQuestion,
    QuestionAnswer,
    ask_questions,
    can_answer,
    own_question,
)
from leaderboard.live.service.jobs import Job
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live_runner import LiveRunner
from leaderboard.live.service.messages import PartialResult, Publish
from leaderboard.live.service.open import Live
from leaderboard.tables.words import listed
from qbench.errors import UserError
from qbench.images import image_size
from qbench.models import Model
from qbench.models.catalogue import find_model
from qbench.models.embedded import reference_scores
from qbench.records import Picture, Response, Sample
from qbench.tasks import assessment, description
from qbench.tasks.asking import is_encoder
from qbench.tasks.lexicon import statements
from qbench.tasks.word_pairs import CLIP_WORDS, DEFAULT_WORDS, WordPair

_PHOTO = "photo"
_COMPARABLE = {
    "brightness": ("brightness", "Just fine", "Too dark"),
    "colourfulness": ("colour", "Natural", "Faded"),
    "contrast": ("contrast", "Just fine", "Too low"),
    "sharpness": ("clarity", "Clear", "Blurry"),
}
"""Attribute that is asked about -> what the lexicon calls it, and the options that state its good and its bad pole."""


@dataclass(frozen=True)
class WordPairScore:
    """A score by one pair, or ensemble, of words."""

    words: str
    difference: float
    """Logits of the good words less those of the bad ones."""
    score: float
    """As the published figures have it, logits divided by 100 first."""
    as_printed: float
    """Eq. 1 as it is printed."""


@dataclass(frozen=True)
class Placement:
    """A score among a model's scores of a stated set of pictures."""

    title: str
    scores: tuple[float, ...]
    """The lowest first."""
    below: int
    """How many pictures score lower."""
    low: int
    """The same for a score that is lower by a standard error."""
    high: int
    """The same for a score that is higher by a standard error."""


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
    pairs: tuple[WordPairScore, ...] = ()
    error: float | None = None
    """Standard error of the score, from a model that knows it."""
    faults: Mapping[str, float] = field(default_factory=dict)
    """Kind of damage -> probability, from a model that can tell."""
    placement: Placement | None = None
    """Where the score falls among those of pictures that everybody can look at."""


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
    seconds: float | None = None
    """How long it took, once all is known."""
    scaled_from: tuple[int, int] | None = None
    """Width and height of the upload, where a scaled copy was made of it for the model."""


def probe(runner: LiveRunner, name: str, picture: Picture, questions: Sequence[PhotoQuestion]) -> Iterator[ProbeResult]:
    """What is known after each part; what the model cannot do is left out.

    Raises:
        Cancelled: The work was cancelled.
        UserError: The model cannot judge an image at all, or the time is used up.
    """
    started = time.monotonic()
    known = ProbeResult(name, picture)
    yield known
    known = replace(known, quality=judge_quality(runner, picture))
    yield known
    wants = runner.model.wants
    if is_encoder(wants):
        known = replace(known, captions=weigh_captions(runner, picture))
    elif can_answer(wants):
        answers = ask_questions(runner, picture, questions)
        known = replace(known, answers=tuple(without_doubtful(each, runner.model.identity) for each in answers))
    known = replace(known, meters=measure(picture))
    if "text" in wants:
        yield known
        known = replace(known, described=describe(runner, picture, known.answers))
    if "map" in wants and known.quality is not None and known.quality.error is not None:
        yield known
        known = replace(known, map=map_quality(runner, picture))
    yield replace(known, seconds=time.monotonic() - started)


def disagreements(result: ProbeResult) -> list[str]:
    """Attributes of which the description states one pole and the chosen option the other."""
    said = statements(result.described.text) if result.described else set()
    chosen = {answer.question: answer.chosen for answer in result.answers if not answer.doubt}
    found = []
    for attribute, (name, good, bad) in _COMPARABLE.items():
        option = chosen.get(ATTRIBUTE_QUESTIONS[attribute])
        poles = {pole for stated, pole in said if stated == name}
        if (option == good and poles == {False}) or (option == bad and poles == {True}):
            found.append(attribute)
    return found


def probe_job(live: Live, visitor: Visitor, path: str | None, name: str, own: tuple[str, str]) -> Job[ProbeResult]:
    """The job of one probe; `own` is a visitor's own question and its options, one a line, or two empty texts."""

    def job(work: Work, publish: Publish) -> ProbeResult:
        if not path:
            raise UserError("there is no photo; give one")
        mine = own_question(*own)
        if mine and (unable := answers_nothing(live, name)):
            raise UserError(unable)
        questions = [*filter(None, [mine]), *STANDARD_QUESTIONS]
        picture = live.uploads.take_in(Path(path), visitor)
        scaled_from = None if Path(picture.path) == Path(path).resolve() else image_size(Path(path))
        known = ProbeResult(name, picture)
        for found in probe(LiveRunner(live.models.lend(name, work), work, live.recent), name, picture, questions):
            known = replace(found, scaled_from=scaled_from)
            if known.seconds is None:
                publish(PartialResult(known))
        return known

    return job


def answers_nothing(live: Live, name: str) -> str:
    """That a model answers no questions, and which models do; empty where it does."""
    if can_answer(live.models.wants(name)):
        return ""
    able = [other for other in live.models.names if can_answer(live.models.wants(other))]
    return f"{name} cannot answer questions; of the models here {listed(able) or 'none'} can"


def judge_quality(runner: LiveRunner, picture: Picture) -> Quality:
    """The quality score, as `python -m qbench run --task assessment` has it."""
    sample, words = Sample(_PHOTO, (picture.path,)), words_for(runner.model)
    outcome, given = runner.run(assessment.plan([sample], runner.model.wants, assessment.Assessment(words=words)))
    [score], [(_, response)] = outcome.scores["quality"], given
    mode = outcome.protocol["prompt"]
    if mode != "words":
        return Quality(
            score.value,
            score.value,
            mode,
            score.reason or "",
            error=response.score_error,
            faults=response.faults,
            placement=_place(runner.model.name, score.value, response.score_error or 0.0),
        )
    own = CLIP_WORDS if is_encoder(runner.model.wants) else words
    pairs = [own, *(pair for pair in assessment.ensembles(response.logits) if pair != own)]
    return Quality(
        score.value,
        score.order,
        mode,
        score.reason or "",
        response.logits,
        tuple(_pair(sample, response, pair) for pair in pairs) if score.value is not None else (),
    )


def _place(model: str, score: float | None, error: float) -> Placement | None:
    reference = reference_scores(model)
    if reference is None or score is None:
        return None
    below, low, high = (reference.below(value) for value in (score, score - error, score + error))
    return Placement(reference.title, reference.scores, below, low, high)


def words_for(model: Model) -> WordPair:
    """The words that a run weighs for this model."""
    facts = find_model(model.name)
    return WordPair(**facts.words) if facts else DEFAULT_WORDS


def _pair(sample: Sample, response: Response, words: WordPair) -> WordPairScore:
    published, printed = (
        assessment.score_logits(sample, response, words, strategy) for strategy in ("softmax-t100", "softmax-t1")
    )
    return WordPairScore(words.label, published.order or 0.0, published.value or 0.0, printed.value or 0.0)


def describe(runner: LiveRunner, picture: Picture, answers: Sequence[QuestionAnswer]) -> WrittenDescription:
    """The description, as `python -m qbench run --task description` asks for it, without what is in doubt."""
    sample = Sample(_PHOTO, (picture.path,))
    plan = description.plan([sample], runner.model.wants, description.Grading())
    _, [(_, response)] = runner.run(plan)
    text, left_out = without_doubtful_sentences(response.text or "", answers)
    reason = response.failure or ("" if response.text else "it wrote nothing")
    return WrittenDescription(text, reason or ("" if text else "nothing that it wrote is known to be right"), left_out)


def to_json(result: ProbeResult) -> dict[str, Any]:
    """For scripts."""
    quality = result.quality
    return {
        "model": result.model,
        "sha256": result.picture.sha256,
        "scaled_from": result.scaled_from and list(result.scaled_from),
        "quality": None if quality is None else asdict(quality),
        "questions": [_answer_to_json(answer) for answer in result.answers],
        "description": result.described and result.described.text,
        "description_left_out": list(result.described.left_out) if result.described else [],
        "attributes": {meter.attribute: meter.value for meter in result.meters},
        "map": result.map and map_to_json(result.map),
        "captions": {name: {more: share, less: 1 - share} for name, (more, share, less) in result.captions.items()},
    }


def _answer_to_json(answer: QuestionAnswer) -> dict[str, Any]:
    return {
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
