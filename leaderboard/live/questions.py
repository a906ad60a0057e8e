"""Questions about one photo, each asked in every cyclic order of its options; for the Probe page.

They are asked as A1 asks them by letter logits (lmms-eval's form), or in writing where a model reports no logits; see
`qbench.tasks.perception` for the sections. Models favour places in a list, so that one order alone says little: with
every cyclic order each option stands once in each place, and the mean over the orders favours none.

Which choices of a model mean something `calibration.json` tells: those that were right more often than guessing on demo
photos of known damage. `python -m tools.photo_questions` asks about these and writes it. It knows a model by the
digest of its weights, so that other weights of the same name are not judged by it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

from leaderboard.live.service.live import LiveRunner
from qbench import prompts
from qbench.errors import UserError
from qbench.parsing import parse_option
from qbench.records import Picture, Response, Sample, Want
from qbench.stats.intervals import wilson
from qbench.tasks import Ask, perception
from qbench.tasks.task import is_encoder

MOST_OPTIONS, LONGEST_TEXT = 10, 300
"""Options of a visitor's own question, and characters of it and of each option."""
_SAME = 1e-9
"""Probabilities this near to each other are equal."""


@dataclass(frozen=True)
class PhotoQuestion:
    """A question with options to choose from."""

    text: str
    options: tuple[str, ...]


STANDARD_QUESTIONS = (
    PhotoQuestion(
        "How strongly is this photo distorted?", ("Not distorted", "Moderately distorted", "Severely distorted")
    ),
    PhotoQuestion("What kind of distortion is in this photo?", ("No distortion", "Blur", "Noise", "JPEG artifacts")),
    PhotoQuestion("How is the lighting of this photo?", ("Too dark", "Just fine", "Too bright")),
    PhotoQuestion("How are the colors of this photo?", ("Faded", "Natural", "Oversaturated")),
    PhotoQuestion("How is the contrast of this photo?", ("Too low", "Just fine", "Too high")),
    PhotoQuestion("How clear is this photo?", ("Blurry", "Moderate", "Clear")),
)
"""In the style of LLVisionQA; the last four are the model's view of the measured attributes."""
ATTRIBUTE_QUESTIONS = dict(
    zip(("brightness", "colourfulness", "contrast", "sharpness"), STANDARD_QUESTIONS[2:], strict=True)
)


@dataclass(frozen=True)
class OrderedAnswer:
    """The answer in one order of the options."""

    options: tuple[str, ...]
    """As they were shown."""
    chosen: str | None
    probabilities: tuple[float, ...] = ()
    """Of each option in the question's own order; empty where the model only writes."""
    text: str = ""
    """What it wrote, where it was asked to."""
    reason: str = ""
    """Why no option was chosen."""


@dataclass(frozen=True)
class QuestionAnswer:
    """How a question was answered over all cyclic orders of its options."""

    question: PhotoQuestion
    orders: tuple[OrderedAnswer, ...]
    """The question's own order first."""
    chosen: str | None = None
    """The option that is likeliest over all orders, or named in most of them."""
    reason: str = ""
    """Why no option was chosen."""
    doubt: str = ""
    """Why the option that it chose is not said."""

    @property
    def weighed(self) -> bool:
        """Whether there are probabilities, in each order."""
        return all(order.probabilities for order in self.orders)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """Mean over the orders, of each option in the question's own order; empty where the model only writes."""
        return tuple(self._table.mean(axis=0).tolist()) if self.weighed else ()

    @property
    def low(self) -> tuple[float, ...]:
        """The lowest probability that each option has in any order."""
        return tuple(self._table.min(axis=0).tolist()) if self.weighed else ()

    @property
    def high(self) -> tuple[float, ...]:
        """The highest probability that each option has in any order."""
        return tuple(self._table.max(axis=0).tolist()) if self.weighed else ()

    @property
    def by_place(self) -> tuple[float, ...]:
        """Mean probability of whatever stands first, second, ...: all alike for a model without a position habit."""
        if not self.weighed:
            return ()
        shown = [
            [order.probabilities[self.question.options.index(option)] for option in order.options]
            for order in self.orders
        ]
        return tuple(np.mean(shown, axis=0).tolist())

    @property
    def votes(self) -> int:
        """In how many orders the chosen option was chosen."""
        return sum(order.chosen == self.chosen for order in self.orders) if self.chosen else 0

    @property
    def text(self) -> str:
        """What was written in the question's own order."""
        return self.orders[0].text

    @property
    def _table(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        return np.array([order.probabilities for order in self.orders])


def ask_questions(
    runner: LiveRunner, picture: Picture, questions: Sequence[PhotoQuestion]
) -> tuple[QuestionAnswer, ...]:
    """Answers by the letters' logits, or as the model writes them where it reports none.

    An answer depends on the picture, the model and the question alone.
    """
    weighs = "words" in runner.model.wants
    shown = [
        (place, _sample(question, picture, start))
        for place, question in enumerate(questions)
        for start in range(len(question.options))
    ]

    def plan() -> Generator[Sequence[Ask], Sequence[Response], Sequence[Response]]:
        mode = "letter-logits" if weighs else "free"
        return (yield [Ask(sample.id, perception.make_prompt(sample, (picture,), mode)) for _, sample in shown])

    responses, _ = runner.run(plan())
    orders: list[list[OrderedAnswer]] = [[] for _ in questions]
    for (place, sample), response in zip(shown, responses, strict=True):
        orders[place].append(_read(questions[place], sample, response, weighs=weighs))
    return tuple(_conclude(question, tuple(each)) for question, each in zip(questions, orders, strict=True))


def _sample(question: PhotoQuestion, picture: Picture, start: int) -> Sample:
    """The question with the option at `start` first and the others after it, round to the one before it."""
    options = question.options[start:] + question.options[:start]
    return Sample(f"{question.text} {start}", (picture.path,), question=question.text, options=options)


def _read(question: PhotoQuestion, sample: Sample, response: Response, *, weighs: bool) -> OrderedAnswer:
    if response.failure is not None:
        return OrderedAnswer(sample.options, None, reason=response.failure)
    if not weighs:
        named = parse_option(response.text or "", sample.options, sample.question or "")
        chosen = None if named.value is None else sample.options[named.value]
        return OrderedAnswer(sample.options, chosen, text=response.text or "", reason=named.reason or "")
    logits = [response.logits.get(prompts.letter(place)) for place in range(len(sample.options))]
    if None in logits:
        return OrderedAnswer(sample.options, None, reason="not every option was weighed")
    by_option = dict(zip(sample.options, softmax(logits).tolist(), strict=True))
    probabilities = tuple(by_option[option] for option in question.options)
    chosen = _likeliest(question, probabilities)
    return OrderedAnswer(sample.options, chosen, probabilities, reason="" if chosen else "ambiguous")


def _likeliest(question: PhotoQuestion, probabilities: Sequence[float]) -> str | None:
    """The option of highest probability; None where two share it."""
    best = max(probabilities)
    leading = [
        option
        for option, probability in zip(question.options, probabilities, strict=True)
        if probability > best - _SAME
    ]
    return leading[0] if len(leading) == 1 else None


def _conclude(question: PhotoQuestion, orders: tuple[OrderedAnswer, ...]) -> QuestionAnswer:
    answer = QuestionAnswer(question, orders)
    votes = Counter(order.chosen for order in orders if order.chosen is not None).most_common(2)
    if answer.weighed:
        chosen, reason = _likeliest(question, answer.probabilities), "ambiguous"
    elif any(order.probabilities for order in orders) or not votes:
        chosen, reason = None, next(order.reason for order in orders if order.reason)
    else:
        tied = len(votes) > 1 and votes[0][1] == votes[1][1]
        chosen, reason = None if tied else votes[0][0], "its answer follows the order of the options"
    return QuestionAnswer(question, orders, chosen, "" if chosen else reason)


def can_answer(wants: frozenset[Want] | None) -> bool:
    """Whether a model that can be asked for this can be asked a question; so can one of which that is not known yet."""
    return wants is None or (bool(wants & {"text", "words"}) and not is_encoder(wants))


def own_question(text: str, options: str) -> PhotoQuestion | None:
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
    if max(map(len, [text, *listed])) > LONGEST_TEXT:
        raise UserError(f"the question and each option may have {LONGEST_TEXT} characters at most")
    return PhotoQuestion(text, tuple(listed))


FILE = Path(__file__).with_name("calibration.json")
STATED: Mapping[str, tuple[str, PhotoQuestion]] = {
    "overall quality": ("quality", STANDARD_QUESTIONS[0]),
    "brightness": (
        r"bright|dark|dim(ly)?\b|gloomy|backlit|(well )?lit\b|light|illumination|(over|under|well )?expos|washed|blown",
        ATTRIBUTE_QUESTIONS["brightness"],
    ),
    "colourfulness": (
        "colou?r|(de)?saturat|vivid|vibrant|monoton|dull|faded|muted|pale|subdued",
        ATTRIBUTE_QUESTIONS["colourfulness"],
    ),
    "contrast": ("contrast", ATTRIBUTE_QUESTIONS["contrast"]),
    "sharpness": (
        "(un)?clear|clarity|(un)?sharp|crisp|detail|(un)?focus|resolution|(in)?distinct|blur|haz|fuzzy|texture",
        ATTRIBUTE_QUESTIONS["sharpness"],
    ),
}
"""What a sentence may be about -> how words that say so begin, and the question that asks the same."""
POLES: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "brightness": (("Just fine", "bright|well lit"), ("Too dark", "dark|dim|gloomy|backlit")),
    "colourfulness": (("Natural", "vivid|vibrant|colou?rful"), ("Faded", "faded|dull|muted|pale|monoton")),
    "contrast": (("Just fine", "(high|good) contrast"), ("Too low", "(low|poor) contrast")),
    "sharpness": (("Clear", "clear|sharp|crisp|in focus"), ("Blurry", "blur|unclear|unsharp|out of focus|fuzzy")),
}
"""Attribute -> each of two opposite options, and how words that say the same begin."""
_DENIED = re.compile(r"\b(not?|never|without|lack(s|ing)?|less|free)\b|n['’]t\b", re.IGNORECASE)
Counts = Mapping[str, Sequence[int]]
"""Option -> how often it was right, and how often it was chosen."""


def without_doubtful(answer: QuestionAnswer, identity: Mapping[str, Any]) -> QuestionAnswer:
    """The answer, without its choice where that did not beat chance; as it is where the model was not calibrated."""
    counts = _calibration().get(str(identity.get("checkpoint")), {}).get(answer.question.text)
    if counts is None or answer.chosen is None:
        return answer
    doubt = doubt_of(answer.chosen, counts, 1 / len(answer.question.options))
    return replace(answer, chosen=None, reason=doubt, doubt=doubt) if doubt else answer


def without_doubtful_sentences(text: str, answers: Sequence[QuestionAnswer]) -> tuple[str, tuple[str, ...]]:
    """A description without its sentences about anything that an answer is in doubt of, and what those were about."""
    doubtful = {answer.question for answer in answers if answer.doubt}
    kept, left_out = [], set[str]()
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        about = {name for name, (words, _) in STATED.items() if re.search(rf"\b({words})", sentence, re.IGNORECASE)}
        if any(STATED[name][1] in doubtful for name in about):
            left_out |= about
        else:
            kept.append(sentence)
    return " ".join(kept), tuple(sorted(left_out))


def contradicted(text: str, answers: Sequence[QuestionAnswer]) -> list[str]:
    """Attributes of which a description says only the opposite of a choice; sentences that deny are passed over."""
    sentences = [sentence for sentence in re.split(r"[.!?;\n]", text) if not _DENIED.search(sentence)]
    chosen = {answer.question: answer.chosen for answer in answers if not answer.doubt}
    found = []
    for attribute, poles in POLES.items():
        said = [any(re.search(rf"\b({words})", each, re.IGNORECASE) for each in sentences) for _, words in poles]
        option = chosen.get(ATTRIBUTE_QUESTIONS[attribute])
        if sum(said) == 1 and option == poles[said.index(False)][0]:
            found.append(attribute)
    return found


def doubt_of(option: str, counts: Counts, chance: float) -> str:
    """Why a choice says nothing; empty where it was right more often than chance, at 95 %."""
    right, chosen = counts.get(option, (0, 0))
    if not chosen:
        return f"Can’t tell: it never chose “{option}” on {sum(count for _, count in counts.values())} demo photos"
    low = wilson(right, chosen).low
    if low is not None and low > chance:
        return ""
    return (
        f"Can’t tell: on demo photos of known damage it chose “{option}” {chosen} times and was right {right} times, "
        "no better than guessing"
    )


@cache
def _calibration() -> Mapping[str, Mapping[str, Counts]]:
    """Digest of weights -> question -> counts."""
    stored: dict[str, dict[str, Counts]] = json.loads(FILE.read_text(encoding="utf-8"))
    return stored
