"""A1, perception: multiple-choice questions about low-level appearance.

Q-Bench, Sec. 2.2, https://arxiv.org/abs/2309.14181. A reply that names no option is unscored with its reason; the
accuracy counts it as not correct, because the model was asked and did not answer.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from qbench import prompts
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.parsing import parse_judge_score, parse_option
from qbench.records import Prompt, Response, Sample, Score, Want
from qbench.tasks import Ask, Outcome, Plan

Mode = Literal["free", "letter", "close-set", "letter-logits"]
_NEEDS: dict[Mode, Want] = {"free": "text", "letter": "text", "close-set": "losses", "letter-logits": "words"}


@dataclass(frozen=True)
class Perception:
    """How to ask: freely, for the letter only, by the likeliest option text, or by the likeliest letter."""

    mode: Mode | None = None
    """None takes the first of the modes above that the model can do."""
    seed: int = 0
    """Options are shuffled by this and the sample's id."""
    judge: bool = False
    """Let a judge model grade free replies, five rounds each, beside the parser."""


def plan(samples: Sequence[Sample], wants: frozenset[Want], options: Perception) -> Plan:
    """Ask every question once; with a judge, have every reply graded."""
    mode = options.mode or next((one for one in get_args(Mode) if _NEEDS[one] in wants), None)
    if mode is None or _NEEDS[mode] not in wants:
        needed = " or ".join(sorted(set(_NEEDS.values()) if mode is None else {_NEEDS[mode]}))
        raise UserError(f"perception asks a model for {needed}, and this one offers only {', '.join(sorted(wants))}")
    shuffled = [shuffle_options(sample, options.seed) for sample in samples]
    responses = yield [Ask(sample.id, _prompt(sample, mode)) for sample in shuffled]
    scores = [_score(sample, response, mode) for sample, response in zip(shuffled, responses, strict=True)]
    protocol = {"prompt": mode, "options": f"shuffled with seed {options.seed}", "graded_by": "parser"}
    if not options.judge:
        return Outcome(scores={"accuracy": scores}, protocol=protocol)
    judged = yield from _judge(shuffled, responses)
    agreement = [
        replace(by_judge, value=float((by_parser.value or 0.0) == by_judge.value))
        for by_judge, by_parser in zip(judged, scores, strict=True)
        if by_judge.value is not None
    ]
    return Outcome(
        scores={"accuracy": judged, "parser_accuracy": scores, "judge_agreement": agreement},
        protocol={**protocol, "graded_by": f"judge, majority of {prompts.JUDGE_ROUNDS}"},
    )


def shuffle_options(sample: Sample, seed: int) -> Sample:
    """The sample with its options in an order that depends on the seed and its id alone."""
    order = list(range(len(sample.options)))
    random.Random(f"{seed}:{sample.id}").shuffle(order)  # noqa: S311 - an order, not a secret
    answer = None if sample.answer is None else order.index(sample.answer)
    return replace(sample, options=tuple(sample.options[place] for place in order), answer=answer)


def _prompt(sample: Sample, mode: Mode) -> Prompt:
    pictures = [open_picture(Path(image)) for image in sample.images]
    parts = prompts.question(pictures, sample.question or "", sample.options)
    if mode == "close-set":
        return Prompt("losses", (*parts, prompts.CLOSE_SET_ANSWER), words=sample.options)
    if mode == "letter-logits":
        letters = tuple(prompts.letter(place) for place in range(len(sample.options)))
        return Prompt("words", (*parts, prompts.DIRECT_LETTER), words=letters)
    return Prompt("text", (*parts, prompts.DIRECT_LETTER) if mode == "letter" else parts, max_tokens=256)


def _score(sample: Sample, response: Response, mode: Mode) -> Score:
    if response.failure is not None or mode in ("free", "letter"):
        return score_reply(sample, response)
    weights = (
        [-response.losses[option] for option in sample.options]
        if mode == "close-set"
        else [response.logits.get(prompts.letter(place)) for place in range(len(sample.options))]
    )
    known = [weight for weight in weights if weight is not None]
    if len(known) < len(weights) or known.count(max(known)) > 1:
        reason = "a letter's logit was not reported" if len(known) < len(weights) else "ambiguous"
        return _scored(sample, None, reason)
    return _scored(sample, known.index(max(known)), None)


def score_reply(sample: Sample, response: Response) -> Score:
    """1 where the reply names the right option, 0 where it names another; None with the reason where it names none."""
    if response.failure is not None:
        return _scored(sample, None, f"failed: {response.failure}")
    chosen = parse_option(response.text or "", sample.options)
    return _scored(sample, chosen.value, chosen.reason)


def _scored(sample: Sample, chosen: int | None, reason: str | None) -> Score:
    return Score(
        sample.id,
        None if chosen is None else float(chosen == sample.answer),
        truth=None if sample.answer is None else float(sample.answer),
        order=None if chosen is None else float(chosen),
        reason=reason,
        cluster=sample.images[0] if sample.images else None,
        groups=sample.groups,
    )


def _judge(
    samples: Sequence[Sample], responses: Sequence[Response]
) -> Generator[Sequence[Ask], Sequence[Response], list[Score]]:
    """Majority of five gradings of every reply; what cannot be graded keeps its reason."""
    graded = [
        (sample, response)
        for sample, response in zip(samples, responses, strict=True)
        if response.text and sample.answer is not None
    ]
    votes = yield [
        Ask(
            sample.id,
            Prompt("text", (_grading(sample, response.text or ""),), system=prompts.JUDGE_A1_SYSTEM, repeat=turn),
            of="judge",
        )
        for sample, response in graded
        for turn in range(prompts.JUDGE_ROUNDS)
    ]
    counted: dict[str, list[int]] = {}
    for vote in votes:
        parsed = parse_judge_score(vote.text or "", (0, 1))
        if parsed.value is not None:
            counted.setdefault(vote.sample, []).append(parsed.value)
    return [_verdict(sample, counted.get(sample.id, [])) for sample in samples]


def _grading(sample: Sample, answer: str) -> str:
    correct = sample.options[sample.answer] if sample.answer is not None else ""
    return prompts.grade_answer(sample.question or "", sample.options, correct, answer)


def _verdict(sample: Sample, votes: Sequence[int]) -> Score:
    yes, no = votes.count(1), votes.count(0)
    base = _scored(sample, None, "the judge reached no majority" if votes else "the judge gave no usable grade")
    return base if yes == no else replace(base, value=float(yes > no), reason=None)
