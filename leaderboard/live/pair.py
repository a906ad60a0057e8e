"""Which of two photos a model prefers, asked in both orders and in the forms of three papers.

2AFC prompting, https://arxiv.org/abs/2402.01162, Sec. III-A, and its released code; UniSim-Bench's instruction for
quality, https://arxiv.org/abs/2412.10594, Table 6. A model that scores images is asked for one score of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from scipy.special import ndtr, softmax

from leaderboard.live.quality import Quality, judge_quality
from leaderboard.live.service.jobs import Job, Publish
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live, LiveRunner
from qbench.errors import UserError
from qbench.models.builtin import BUILTIN
from qbench.parsing import Preference
from qbench.records import Picture, Response, Sample, Want
from qbench.tasks import TASKS, RunOptions, comparison
from qbench.tasks.similarity import choices
from qbench.tasks.task import is_encoder

PHOTO_NAMES = ("A", "B")
_ORDERS = (("A", "B"), ("B", "A"))
MOST_OTHERS = 5
"""Models that a visitor may have asked beside the chosen one."""


def quick_models(names: Sequence[str]) -> list[str]:
    """Those that come with the project and answer in a moment: they are asked beside the chosen one."""
    return [name for name in names if name in BUILTIN][:MOST_OTHERS]


@dataclass(frozen=True)
class PreferencePrompt:
    """One form of the question which photo is better."""

    label: str
    want: Want
    form: Literal["2afc", "unisim"]
    style: Literal["paper", "code"]


PREFERENCE_PROMPTS = (
    PreferencePrompt("2AFC code, letters weighed", "words", "2afc", "code"),
    PreferencePrompt("2AFC paper, written", "text", "2afc", "paper"),
    PreferencePrompt("2AFC code, written", "text", "2afc", "code"),
    PreferencePrompt("UniSim paper, letters weighed", "words", "unisim", "paper"),
    PreferencePrompt("UniSim code, letters weighed", "words", "unisim", "code"),
)
"""Papers' prompts as printed and as their code sends them. The first that a model can do gives the verdict."""


@dataclass(frozen=True)
class OrderedChoice:
    """What was chosen in one order of the two photos."""

    order: tuple[str, str]
    choice: Preference | None
    probability: float | None = None
    """Of the chosen letter against the other, where letters are weighed."""
    reply: str = ""
    """What the model wrote, or why there is no answer."""

    @property
    def prefers(self) -> str | None:
        """A, B, "tie", or None without an answer."""
        return {"first": self.order[0], "second": self.order[1], "tie": "tie", None: None}[self.choice]


@dataclass(frozen=True)
class BothOrders:
    """One form of the question, asked in both orders."""

    prompt: PreferencePrompt
    choices: tuple[OrderedChoice, OrderedChoice]

    @property
    def agrees(self) -> bool | None:
        """Whether both orders prefer the same photo; None where one of them has no answer."""
        first, second = (choice.prefers for choice in self.choices)
        return None if first is None or second is None else first == second

    @property
    def probability(self) -> float | None:
        """That A is better, as the mean over both orders; None where letters are not weighed in both."""
        shares = [
            choice.probability if choice.prefers == "A" else 1 - choice.probability
            for choice in self.choices
            if choice.probability is not None
        ]
        return sum(shares) / len(shares) if len(shares) == len(self.choices) else None


@dataclass(frozen=True)
class PairScores:
    """A score of each photo, which no order can change."""

    qualities: tuple[Quality, Quality]

    @property
    def prefers(self) -> str | None:
        """A, B, "tie", or None where one has no score."""
        first, second = (quality.order for quality in self.qualities)
        if first is None or second is None:
            return None
        return "tie" if first == second else "A" if first > second else "B"

    @property
    def probability(self) -> float | None:
        """That A is better, if the two scores' errors are independent; None where the model tells none."""
        first, second = self.qualities
        if first.value is None or second.value is None or first.error is None or second.error is None:
            return None
        return float(ndtr((first.value - second.value) / math.hypot(first.error, second.error)))


@dataclass(frozen=True)
class PairResult:
    """What is known of two photos so far."""

    model: str
    pictures: tuple[Picture, Picture]
    answers: tuple[BothOrders, ...] = ()
    scores: PairScores | None = None
    others: tuple[PairResult, ...] = ()
    """What other models say to the first form of the question that each can answer."""
    fault: str = ""
    """Why a model among the others was not asked."""

    @property
    def prefers(self) -> str | None:
        """A or B, "tie", or None where the model does not keep to one: by its scores, or its first answers."""
        if self.scores:
            return self.scores.prefers
        return self.answers[0].choices[0].prefers if self.answers and self.answers[0].agrees else None

    @property
    def probability(self) -> float | None:
        """That A is better, by the scores or the first answers; None where the model does not tell."""
        known = self.scores or (self.answers[0] if self.answers else None)
        return known.probability if known else None

    @property
    def places(self) -> tuple[int, int, int]:
        """How often the first photo was chosen, the second, and neither, over all askings with an answer."""
        choices = [ordered.choice for answer in self.answers for ordered in answer.choices]
        return choices.count("first"), choices.count("second"), choices.count("tie")


def compare_photos(
    runner: LiveRunner, name: str, pictures: tuple[Picture, Picture], most: int = len(PREFERENCE_PROMPTS)
) -> Iterator[PairResult]:
    """What is known after each form of the question that the model can answer, `most` of them.

    Raises:
        Cancelled: The work was cancelled.
        UserError: Both photos are the same, the model can do neither, or the time is used up.
    """
    if pictures[0].sha256 == pictures[1].sha256:
        raise UserError("both photos are the same file; choose two different ones")
    known, wants = PairResult(name, pictures), runner.model.wants
    forms = [] if is_encoder(wants) else [prompt for prompt in PREFERENCE_PROMPTS if prompt.want in wants][:most]
    if not forms:
        first, second = (judge_quality(runner, picture) for picture in pictures)
        yield replace(known, scores=PairScores((first, second)))
    for prompt in forms:
        known = replace(known, answers=(*known.answers, BothOrders(prompt, _ask(runner, prompt, pictures))))
        yield known


def pair_job(
    live: Live, visitor: Visitor, paths: tuple[str | None, str | None], name: str, others: Sequence[str] = ()
) -> Job[PairResult]:
    """The job of one comparison: both pictures, each form of the question, then what other models say.

    Names that come twice are asked once.
    """
    others = [other for other in dict.fromkeys(others) if other != name]

    def ask_other(work: Work, other: str, pictures: tuple[Picture, Picture]) -> PairResult:
        try:
            runner = live.runner(other, work)
            *_, known = compare_photos(runner, other, pictures, most=1)
        except UserError as fault:
            return PairResult(other, pictures, fault=str(fault))
        return known

    def job(work: Work, publish: Publish) -> PairResult:
        if not all(paths):
            raise UserError("a photo is missing; give both")
        if len(others) > MOST_OTHERS + 1:
            raise UserError(f"at most {MOST_OTHERS + 1} models are asked beside the first; {len(others)} were named")
        first, second = (live.uploads.take_in(Path(path), visitor) for path in paths if path)
        known = PairResult(name, (first, second))
        publish(known=known)
        for known in compare_photos(live.runner(name, work), name, (first, second)):
            publish(known=known)
        for other in others:
            publish(doing="asking the other models")
            known = replace(known, others=(*known.others, ask_other(work, other, (first, second))))
            publish(known=known)
        return known

    return job


def to_json(result: PairResult) -> dict[str, Any]:
    if result.fault:
        return {"model": result.model, "fault": result.fault}
    scores = result.scores
    return {
        "model": result.model,
        "sha256": [picture.sha256 for picture in result.pictures],
        "scores": scores and [quality.value for quality in scores.qualities],
        "prefers": result.prefers,
        "probability": result.probability,
        "asked": [
            {
                "form": answer.prompt.label,
                "agrees": answer.agrees,
                "orders": [
                    {
                        "order": choice.order,
                        "choice": choice.choice,
                        "probability": choice.probability,
                        "said": choice.reply,
                        "prefers": choice.prefers,
                    }
                    for choice in answer.choices
                ],
            }
            for answer in result.answers
        ],
        "places": dict(zip(("first", "second", "tie"), result.places, strict=True)),
        "others": [to_json(other) for other in result.others],
    }


def _ask(
    runner: LiveRunner, prompt: PreferencePrompt, pictures: tuple[Picture, Picture]
) -> tuple[OrderedChoice, OrderedChoice]:
    if prompt.form == "unisim":
        sample = Sample("AB", tuple(picture.path for picture in pictures), answer=0)
        options = RunOptions(mode="letter-logits", style=prompt.style)
        task = TASKS[choices.IQA_2AFC.name]
        _, answered = runner.run(task.plan([sample], task.choose(runner.model.wants, options)))
        responses = {order: response for order, (_, response) in zip(_ORDERS, answered, strict=True)}
    else:
        samples = [Sample(name, (picture.path,)) for name, picture in zip(PHOTO_NAMES, pictures, strict=True)]
        mode = "text" if prompt.want == "text" else "letter-logits"
        once = comparison.TASK.choose(runner.model.wants, RunOptions(rounds=1, mode=mode, style=prompt.style))
        _, answered = runner.run(comparison.plan(samples, once))
        responses = {ask.pair: response for ask, response in answered if ask.pair}
    first, second = (_choice(prompt, order, responses[order]) for order in _ORDERS)
    return first, second


def _choice(prompt: PreferencePrompt, order: tuple[str, str], response: Response) -> OrderedChoice:
    answer = comparison.read_choice(prompt.want, response)
    if response.failure is not None:
        return OrderedChoice(order, None, reply=response.failure)
    if answer.choice is None or prompt.want == "text":
        return OrderedChoice(order, answer.choice, reply=response.text or answer.reason or "")
    weights = softmax([response.logits["A"], response.logits["B"]])
    return OrderedChoice(order, answer.choice, float(max(weights)))
