"""A1, perception: multiple-choice questions about low-level appearance.

Q-Bench, Sec. 2.2, https://arxiv.org/abs/2309.14181. A reply that names no option is unscored with its reason; the
accuracy counts it as not correct, because the model was asked and did not answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qbench import prompts
from qbench.parsing import parse_option
from qbench.records import Ask, Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks import asking
from qbench.tasks.asking import GRADED_BY, REASONS, ask_grades, ask_judge, read_judge
from qbench.tasks.choice import highest, score_choice
from qbench.tasks.task import Answered, Chosen, Outcome, Plan, Task, need

NAME = "perception"
MODES: Mapping[str, Want] = {"free": "text", "letter": "text", "close-set": "losses", "letter-logits": "words"}
"""Freely, for the letter only, by the likeliest option text, or by the likeliest letter."""
_SHUFFLED = "shuffled with seed {}"
"""How records state in words the order in which options were shown."""


def plan(samples: Sequence[Sample], chosen: Chosen) -> Plan:
    """Ask every question once; with a judge, have every reply graded, or those read that the parser cannot.

    Options are shuffled by the seed and the sample's id.
    """
    shuffled = [shuffle_options(sample, chosen.seed) for sample in samples]
    style = chosen.style or chosen.mode
    responses = yield from asking.ask_each(
        shuffled, lambda sample, pictures: make_prompt(sample, pictures, chosen.mode, style)
    )
    answered = list(zip(shuffled, responses, strict=True))
    parsed = parse(answered)
    asked = {"prompt": style, "options": _SHUFFLED.format(chosen.seed), "seed": chosen.seed}
    if not chosen.judged:
        return replace(parsed, protocol={**asked, **parsed.protocol})
    scores = parsed.scores["accuracy"]
    if chosen.unread:
        read = _with_places(parsed, answered, (yield from ask_judge(_unread(answered, scores))))
        return replace(read, protocol={**asked, **read.protocol})
    judged = yield from _judge(answered, scores)
    agreement = [
        replace(by_judge, value=float((by_parser.value or 0.0) == by_judge.value))
        for by_judge, by_parser in zip(judged, scores, strict=True)
        if by_judge.value is not None
    ]
    return Outcome(
        scores={"accuracy": judged, "parser_accuracy": scores, "judge_agreement": agreement},
        options=parsed.options,
        protocol={**asked, "graded_by": f"judge, majority of {prompts.JUDGE_ROUNDS} draws"},
    )


def parse(answered: Sequence[Answered]) -> Outcome:
    """What replies come to, or losses or logits, of questions with their options in the order they were shown."""
    return Outcome(
        scores={"accuracy": [score_response(sample, response) for sample, response in answered]},
        options={sample.id: sample.options for sample, _ in answered},
        protocol={"graded_by": "parser"},
    )


def find_seed(protocol: Mapping[str, Any]) -> int | None:
    """The seed that the options of a run were shuffled by; None where its record does not tell.

    Earlier records have it in words alone.
    """
    if type(seed := protocol.get("seed")) is int:
        return seed
    found = re.fullmatch(_SHUFFLED.format(r"(\d{1,18})"), str(protocol.get("options")))
    return int(found[1]) if found else None


def shuffle_options(sample: Sample, seed: int) -> Sample:
    """The sample with its options in an order that depends on the seed and its id alone."""
    order = list(range(len(sample.options)))
    random.Random(f"{seed}:{sample.id}").shuffle(order)  # noqa: S311 - an order, not a secret
    answer = None if sample.answer is None else order.index(sample.answer)
    return replace(sample, options=tuple(sample.options[place] for place in order), answer=answer)


def make_prompt(sample: Sample, pictures: Sequence[Picture], mode: str, style: str = "paper") -> Prompt:
    """The question with its options in the order of the sample; the style is that of free replies."""
    text = sample.question or ""
    if mode == "close-set":
        answers = tuple(prompts.close_set_answer(option) for option in sample.options)
        return Prompt("losses", prompts.close_set(pictures, text), words=answers)
    if mode == "letter-logits":
        letters = prompts.letters(len(sample.options))
        return Prompt("words", prompts.QUESTIONS["letter"](pictures, text, sample.options), words=letters)
    return Prompt("text", prompts.QUESTIONS[style](pictures, text, sample.options), max_tokens=256)


def score_response(sample: Sample, response: Response) -> Score:
    """1 where the right option was chosen, 0 where another was; None with the reason where none was.

    The option is that of lowest loss (close-set inference, A.2.1), or whose letter has the highest logit, or else the
    one that the reply names.
    """
    if response.failure is not None:
        return _scored(sample, None, f"failed: {response.failure}")
    if not (response.losses or response.logits):
        named = parse_option(response.text or "", sample.options, sample.question or "")
        return _scored(sample, named.value, named.reason)
    losses = [response.losses.get(prompts.close_set_answer(option)) for option in sample.options]
    weights = [None if loss is None else -loss for loss in losses]
    if not response.losses:
        weights = [response.logits.get(letter) for letter in prompts.letters(len(sample.options))]
    known = [weight for weight in weights if weight is not None]
    if len(known) < len(weights):
        return _scored(sample, None, "not every option was weighed")
    place, tie = highest(known)
    return _scored(sample, place, tie and "ambiguous")


def _scored(sample: Sample, chosen: int | None, reason: str | None) -> Score:
    cluster = sample.cluster or (sample.images[0] if sample.images else None)
    return replace(score_choice(sample, chosen, reason), cluster=cluster)


def _judge(
    answered: Sequence[tuple[Sample, Response]], parsed: Sequence[Score]
) -> Generator[Sequence[Ask], Sequence[Response], list[Score]]:
    """Majority of five gradings of every reply; what cannot be graded keeps its reason."""
    asked = {
        sample.id: (sample.id, _grading(sample, sample.options[sample.answer], response.text))
        for sample, response in answered
        if response.text and sample.answer is not None
    }
    votes = yield from ask_grades(asked, (0, 1))
    return [_verdict(score, votes[score.sample]) if score.sample in votes else score for score in parsed]


def read_as_judged(parsed: Outcome, answered: Sequence[Answered], said: Mapping[str, str]) -> Outcome:
    """What replies come to with a judge's readings of those that the parser leaves unread, by sample."""
    return _with_places(parsed, answered, read_judge(_unread(answered, parsed.scores["accuracy"]), said))


def _unread(answered: Sequence[Answered], parsed: Sequence[Score]) -> dict[str, Answered]:
    return {each[0].id: each for each, score in zip(answered, parsed, strict=True) if score.reason in REASONS}


def _with_places(parsed: Outcome, answered: Sequence[Answered], places: Mapping[str, int]) -> Outcome:
    read = [
        replace(_scored(sample, places[sample.id], None), by_judge=True) if sample.id in places else score
        for (sample, _), score in zip(answered, parsed.scores["accuracy"], strict=True)
    ]
    return replace(parsed, scores={"accuracy": read}, judge_reads=True, protocol={**parsed.protocol, **GRADED_BY})


def _grading(sample: Sample, correct: str, reply: str) -> Prompt:
    text = prompts.grade_answer(sample.question or "", sample.options, correct, reply)
    return Prompt("text", (text,), system=prompts.JUDGE_A1_SYSTEM, max_tokens=prompts.JUDGE_TOKENS)


def _verdict(score: Score, votes: Sequence[int]) -> Score:
    yes, no = votes.count(1), votes.count(0)
    if yes == no:
        reason = "the judge reached no majority" if votes else "the judge gave no usable grade"
        return replace(score, value=None, reason=reason)
    return replace(score, value=float(yes > no), reason=None)


def _read_answer(sample: Sample, ask: Ask, response: Response, chosen: Chosen) -> Score | None:
    return score_response(shuffle_options(sample, chosen.seed), response) if ask.of == "model" else None


TASK = Task(
    name=NAME,
    title="Questions about a photo (A1)",
    sentence="A1: multiple-choice questions about how an image looks (Q-Bench)",
    modes=MODES,
    check=need("options", lambda sample: bool(sample.options) and bool(sample.images)),
    styles={"free": ("paper", "answer", "llava")},
    options=frozenset({"judge", "mode", "seed", "style", "unread"}),
    plan=plan,
    result="questions",
    metric="accuracy",
    parse=lambda answered, _chosen: parse(answered),
    scored_again=True,
    running="accuracy",
    reader=_read_answer,
)
