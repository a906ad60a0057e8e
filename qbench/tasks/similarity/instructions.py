"""Comparing by asking a model that writes, with the instructions of Table 6, each alternative once in each place.

The authors ask in the order listed alone, read "A", "left" or a digit anywhere in the reply and count the rest as
the second answer (https://arxiv.org/abs/2412.10594 and its code). `accuracy` is that order's, read by `qbench.parsing`;
`accuracy_balanced` is over all orders, in which the alternatives move on by one place each time: both orders of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from qbench import prompts
from qbench.records import Ask, Picture, Prompt, Response, Sample, Score
from qbench.tasks.asking import GRADED_BY, REASONS, ask_judge, open_pictures
from qbench.tasks.choice import Choice, Place, highest, read_place, score_choice
from qbench.tasks.task import Chosen, Outcome, Plan

_REPLY_TOKENS = 512
"""As in the released code."""
T = TypeVar("T")


def plan(choice: Choice, samples: Sequence[Sample], chosen: Chosen) -> Plan:
    """Ask about every sample in every order; a judge reads the replies that the parser leaves unread."""
    style, by_letter = chosen.style, chosen.mode == "letter-logits"
    pictures, broken = open_pictures(samples)
    count = choice.shape.count
    orders = [(sample, start) for sample in samples for start in range(count(sample))]
    asked = [(sample, start) for sample, start in orders if sample.id in pictures]
    shown = [show(choice, sample, pictures[sample.id], style, start, by_letter=by_letter) for sample, start in asked]
    responses = yield [Ask(sample.id, prompt) for (sample, _), prompt in zip(asked, shown, strict=True)]
    read = {}
    for (sample, start), response in zip(asked, responses, strict=True):
        question = prompts.similarity_question(choice.name, style, sample.groups.get("attribute", ""))
        read[sample.id, start] = read_choice(choice, response, count(sample), question)
    unread = {
        (sample.id, start): (
            replace(sample, question=_words(prompt), options=_alternatives(choice, sample, start)),
            response,
        )
        for (sample, start), prompt, response in zip(asked, shown, responses, strict=True)
        if chosen.judged and response.text and read[sample.id, start][1] in REASONS
    }
    by_judge = yield from ask_judge(unread)
    read |= {order: (place, None) for order, place in by_judge.items()}
    places = [read.get((sample.id, start)) or (None, f"failed: {broken[sample.id]}") for sample, start in orders]
    scored = [
        replace(
            score_choice(sample, None if place is None else (place + start) % count(sample), reason),
            by_judge=(sample.id, start) in by_judge,
        )
        for (sample, start), (place, reason) in zip(orders, places, strict=True)
    ]
    return Outcome(
        presentations=len(orders),
        judge_reads=chosen.judged,
        scores={
            "accuracy": [score for (_, start), score in zip(orders, scored, strict=True) if start == 0],
            "accuracy_balanced": scored,
            "place": [_score_place(sample, *place) for (sample, _), place in zip(orders, places, strict=True)],
        },
        protocol={
            "prompt": style,
            "answer": chosen.mode,
            "orders": "each place once",
            **(GRADED_BY if chosen.judged else {}),
        },
    )


def show(
    choice: Choice, sample: Sample, pictures: Sequence[Picture], style: str, start: int, *, by_letter: bool = False
) -> Prompt:
    """The prompt that begins with alternative number `start`, counted from 0; a reference stays where it is."""
    shape = choice.shape
    references = 1 if shape.against == "image" else 0
    images = (*pictures[:references], *_starting_with(start, pictures[references:]))
    texts = _starting_with(start, sample.texts) if shape.texts else sample.texts
    parts = prompts.similarity(choice.name, style, images, texts, sample.groups.get("attribute", ""))
    if by_letter:
        return Prompt("words", parts, words=prompts.letters(shape.count(sample)))
    return Prompt("text", parts, max_tokens=_REPLY_TOKENS)


def _alternatives(choice: Choice, sample: Sample, start: int) -> tuple[str, ...]:
    """What the alternatives are called that begin with number `start`: their captions, or images by number."""
    if choice.shape.texts:
        return _starting_with(start, sample.texts)
    return tuple(f"Image {choice.shape.first_number + place}" for place in range(choice.shape.count(sample)))


def _words(prompt: Prompt) -> str:
    """What a prompt asks, with a word for each image."""
    return " ".join(" ".join("<image>" if isinstance(part, Picture) else part for part in prompt.parts).split())


def _starting_with(start: int, alternatives: Sequence[T]) -> tuple[T, ...]:
    return (*alternatives[start:], *alternatives[:start])


def read_choice(choice: Choice, response: Response, count: int, question: str = "") -> Place:
    """The place a reply names, or whose letter weighs most; or None, and why there is no answer."""
    if response.failure is not None:
        return None, f"failed: {response.failure}"
    if response.text is None:
        weights = [response.logits[letter] for letter in prompts.letters(count) if letter in response.logits]
        return highest(weights) if len(weights) == count else (None, "a letter was not weighed")
    return read_place(response.text, count, question, choice.shape.first_number)


def _score_place(sample: Sample, place: int | None, reason: str | None) -> Score:
    """Which place was chosen, whatever stood there: what a habit shows in."""
    return Score(sample.id, None if place is None else float(place), reason=reason, cluster=sample.cluster)
