"""A1, perception: multiple-choice questions about low-level appearance.

Q-Bench, Sec. 2.2, https://arxiv.org/abs/2309.14181. A reply that names no option is unscored with its reason; the
accuracy counts it as not correct, because the model was asked and did not answer.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from qbench import prompts
from qbench.errors import UserError
from qbench.parsing import parse_judge_score, parse_option
from qbench.records import Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks import Ask, Outcome, Plan
from qbench.tasks.asking import ask_each, choose_mode, is_encoder

Mode = Literal["free", "letter", "close-set", "letter-logits"]
Style = Literal["paper", "answer", "llava"]
_NEEDS: Mapping[Mode, Want] = {"free": "text", "letter": "text", "close-set": "losses", "letter-logits": "words"}


@dataclass(frozen=True)
class Perception:
    """How to ask: freely, for the letter only, by the likeliest option text, or by the likeliest letter."""

    mode: Mode | None = None
    """None takes the first of the modes above that the model can do."""
    seed: int = 0
    """Options are shuffled by this and the sample's id."""
    judge: bool = False
    """Let a judge model grade free replies, five rounds each, beside the parser."""
    style: Style = "paper"
    """Of `prompts.QUESTIONS`, for free replies."""


def plan(samples: Sequence[Sample], wants: frozenset[Want], options: Perception) -> Plan:
    """Ask every question once; with a judge, have every reply graded."""
    mode = choose_way(wants, options.mode)
    if options.judge and _NEEDS[mode] != "text":
        raise UserError(f"a judge grades replies, and perception by {mode} gets none; leave out the judge")
    if options.style != "paper" and mode != "free":
        raise UserError(f"perception by {mode} has a wording of its own; leave out --style {options.style}")
    shuffled = [shuffle_options(sample, options.seed) for sample in samples]
    style = options.style if mode == "free" else mode
    responses = yield from ask_each(shuffled, lambda sample, pictures: _prompt(sample, pictures, mode, style))
    answered = list(zip(shuffled, responses, strict=True))
    scores = [_SCORERS[mode](sample, response) for sample, response in answered]
    protocol = {"prompt": style, "options": f"shuffled with seed {options.seed}", "graded_by": "parser"}
    if not options.judge:
        return Outcome(scores={"accuracy": scores}, protocol=protocol)
    judged = yield from _judge(answered, scores)
    agreement = [
        replace(by_judge, value=float((by_parser.value or 0.0) == by_judge.value))
        for by_judge, by_parser in zip(judged, scores, strict=True)
        if by_judge.value is not None
    ]
    return Outcome(
        scores={"accuracy": judged, "parser_accuracy": scores, "judge_agreement": agreement},
        protocol={**protocol, "graded_by": f"judge, majority of {prompts.JUDGE_ROUNDS} draws"},
    )


def choose_way(wants: frozenset[Want], asked: Mode | None = None) -> Mode:
    """How a model that offers this is asked; see `choose_mode`."""
    return choose_mode("perception", _NEEDS, wants, asked, usable=frozenset() if is_encoder(wants) else wants)


def shuffle_options(sample: Sample, seed: int) -> Sample:
    """The sample with its options in an order that depends on the seed and its id alone."""
    order = list(range(len(sample.options)))
    random.Random(f"{seed}:{sample.id}").shuffle(order)  # noqa: S311 - an order, not a secret
    answer = None if sample.answer is None else order.index(sample.answer)
    return replace(sample, options=tuple(sample.options[place] for place in order), answer=answer)


def _prompt(sample: Sample, pictures: Sequence[Picture], mode: Mode, style: str) -> Prompt:
    text = sample.question or ""
    if mode == "close-set":
        answers = tuple(prompts.close_set_answer(option) for option in sample.options)
        return Prompt("losses", prompts.close_set(pictures, text), words=answers)
    if mode == "letter-logits":
        return Prompt("words", prompts.QUESTIONS["letter"](pictures, text, sample.options), words=_letters(sample))
    return Prompt("text", prompts.QUESTIONS[style](pictures, text, sample.options), max_tokens=256)


def _letters(sample: Sample) -> tuple[str, ...]:
    return tuple(prompts.letter(place) for place in range(len(sample.options)))


def score_reply(sample: Sample, response: Response) -> Score:
    """1 where the reply names the right option, 0 where it names another; None with the reason where it names none."""
    if response.failure is not None:
        return _scored(sample, None, f"failed: {response.failure}")
    chosen = parse_option(response.text or "", sample.options)
    return _scored(sample, chosen.value, chosen.reason)


def score_losses(sample: Sample, response: Response) -> Score:
    """The option of lowest loss is the answer (close-set inference, A.2.1)."""
    losses = [response.losses.get(prompts.close_set_answer(option)) for option in sample.options]
    return _score_weights(sample, response, [None if loss is None else -loss for loss in losses])


def score_letters(sample: Sample, response: Response) -> Score:
    """The letter of highest logit is the answer."""
    return _score_weights(sample, response, [response.logits.get(letter) for letter in _letters(sample)])


def score_response(sample: Sample, response: Response) -> Score:
    """The score of whatever was asked for: losses of the options, logits of their letters, or a reply."""
    score = score_losses if response.losses else score_letters if response.logits else score_reply
    return score(sample, response)


_SCORERS = {"free": score_reply, "letter": score_reply, "close-set": score_losses, "letter-logits": score_letters}


def _score_weights(sample: Sample, response: Response, weights: Sequence[float | None]) -> Score:
    if response.failure is not None:
        return _scored(sample, None, f"failed: {response.failure}")
    known = [weight for weight in weights if weight is not None]
    if len(known) < len(weights):
        return _scored(sample, None, "not every option was weighed")
    if known.count(max(known)) > 1:
        return _scored(sample, None, "ambiguous")
    return _scored(sample, known.index(max(known)), None)


def _scored(sample: Sample, chosen: int | None, reason: str | None) -> Score:
    right = None if chosen is None or sample.answer is None else float(chosen == sample.answer)
    return Score(
        sample.id,
        right,
        truth=None if sample.answer is None else float(sample.answer),
        order=None if chosen is None else float(chosen),
        reason=reason if right is None and reason else None if right is not None else "no known answer",
        cluster=sample.images[0] if sample.images else None,
        groups=sample.groups,
    )


def _judge(
    answered: Sequence[tuple[Sample, Response]], parsed: Sequence[Score]
) -> Generator[Sequence[Ask], Sequence[Response], list[Score]]:
    """Majority of five gradings of every reply; what cannot be graded keeps its reason."""
    asks = [
        Ask(sample.id, grading, of="judge")
        for sample, response in answered
        if response.text and sample.answer is not None
        for grading in _gradings(sample, sample.options[sample.answer], response.text)
    ]
    votes: dict[str, list[int]] = {ask.sample: [] for ask in asks}
    for ask, reply in zip(asks, (yield asks), strict=True):
        vote = parse_judge_score(reply.text or "", (0, 1))
        if vote.value is not None:
            votes[ask.sample].append(vote.value)
    return [_verdict(score, votes[score.sample]) if score.sample in votes else score for score in parsed]


def _gradings(sample: Sample, correct: str, reply: str) -> list[Prompt]:
    """Five draws of the judge's grade; counted from 1, since 0 is the answer without chance."""
    text = prompts.grade_answer(sample.question or "", sample.options, correct, reply)
    once = Prompt("text", (text,), system=prompts.JUDGE_A1_SYSTEM, max_tokens=prompts.JUDGE_TOKENS)
    return [replace(once, repeat=turn) for turn in range(1, prompts.JUDGE_ROUNDS + 1)]


def _verdict(score: Score, votes: Sequence[int]) -> Score:
    yes, no = votes.count(1), votes.count(0)
    if yes == no:
        reason = "the judge reached no majority" if votes else "the judge gave no usable grade"
        return replace(score, value=None, reason=reason)
    return replace(score, value=float(yes > no), reason=None)
