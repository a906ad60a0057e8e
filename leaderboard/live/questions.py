"""Questions about one photo, asked as A1 asks them by letter logits (lmms-eval's form).

Probabilities are the softmax of the letters' logits; see `qbench.tasks.perception` for the sections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import softmax

from leaderboard.live.asking import Asking
from qbench import prompts
from qbench.errors import UserError
from qbench.parsing import parse_option
from qbench.records import Picture, Response, Sample
from qbench.tasks import perception

MOST_OPTIONS, LONGEST = 10, 300
"""Options of a visitor's own question, and characters of it and of each option."""


@dataclass(frozen=True)
class Question:
    """A question with options to choose from."""

    text: str
    options: tuple[str, ...]


USUAL = (
    Question("How strongly is this photo distorted?", ("Not distorted", "Moderately distorted", "Severely distorted")),
    Question("What kind of distortion is in this photo?", ("No distortion", "Blur", "Noise", "JPEG artifacts")),
    Question("How is the lighting of this photo?", ("Too dark", "Just fine", "Too bright")),
    Question("How are the colors of this photo?", ("Faded", "Natural", "Oversaturated")),
    Question("How is the contrast of this photo?", ("Too low", "Just fine", "Too high")),
    Question("How clear is this photo?", ("Blurry", "Moderate", "Clear")),
)
"""In the style of LLVisionQA; the last four are the model's view of the measured attributes."""
VIEWS = {"brightness": USUAL[2], "colourfulness": USUAL[3], "contrast": USUAL[4], "sharpness": USUAL[5]}
"""Attribute -> the question about it."""


@dataclass(frozen=True)
class Answer:
    """How a question was answered."""

    question: Question
    chosen: str | None
    probabilities: tuple[float, ...] = ()
    """Of each option in the question's own order; empty where the model only writes."""
    text: str = ""
    """What it wrote, where it was asked to."""
    reason: str = ""
    """Why no option was chosen."""


def put(asking: Asking, picture: Picture, questions: Sequence[Question]) -> tuple[Answer, ...]:
    """Answers to questions: by the letters' logits, or as it writes them where it reports none."""
    weighs = "words" in asking.model.wants
    samples = [
        Sample(str(place), (picture.path,), question=one.text, options=one.options)
        for place, one in enumerate(questions)
    ]
    how = perception.Perception(mode="letter-logits" if weighs else "free")
    _, given = asking.answer(perception.plan(samples, asking.model.wants, how))
    responses = {ask.sample: response for ask, response in given}
    read = _by_letters if weighs else _by_text
    return tuple(read(one, sample, responses[sample.id]) for one, sample in zip(questions, samples, strict=True))


def _by_letters(question: Question, sample: Sample, response: Response) -> Answer:
    if response.failure is not None:
        return Answer(question, None, reason=response.failure)
    shuffled = perception.shuffle_options(sample, perception.Perception.seed)
    weights = [response.logits.get(prompts.letter(place)) for place in range(len(shuffled.options))]
    if None in weights:
        return Answer(question, None, reason="not every option was weighed")
    score = perception.score_letters(shuffled, response)
    chosen = None if score.order is None else shuffled.options[int(score.order)]
    chances = dict(zip(shuffled.options, softmax(weights).tolist(), strict=True))
    shares = tuple(chances[one] for one in question.options)
    return Answer(question, chosen, shares, reason="" if chosen else score.reason or "")


def _by_text(question: Question, sample: Sample, response: Response) -> Answer:
    if response.failure is not None:
        return Answer(question, None, reason=response.failure)
    shuffled = perception.shuffle_options(sample, perception.Perception.seed).options
    chosen = parse_option(response.text or "", shuffled)
    said = None if chosen.value is None else shuffled[chosen.value]
    return Answer(question, said, text=response.text or "", reason=chosen.reason or "")


def own_question(text: str, options: str) -> Question | None:
    """A visitor's own question, its options one a line; None where there is none.

    Raises:
        UserError: It has too few options, too many, repeated ones, or is too long.
    """
    text, listed = text.strip(), [line.strip() for line in options.splitlines() if line.strip()]
    if not text and not listed:
        return None
    if not text:
        raise UserError("there are options without a question; write the question too")
    if not 2 <= len(set(listed)) == len(listed) <= MOST_OPTIONS:
        raise UserError(f"a question needs 2 to {MOST_OPTIONS} different options, one a line")
    if max(map(len, [text, *listed])) > LONGEST:
        raise UserError(f"the question and each option may have {LONGEST} characters at most")
    return Question(text, tuple(listed))
