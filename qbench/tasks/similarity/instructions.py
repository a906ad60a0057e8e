"""Comparing by asking a model that writes, with the instructions of Table 6, each alternative once in each place.

The authors ask in the order listed alone, read "A", "left" or a digit anywhere in the reply and count the rest as
the second answer (https://arxiv.org/abs/2412.10594 and its code). `accuracy` is that order's, read by `qbench.parsing`;
`accuracy_balanced` is over all orders, in which the alternatives move on by one place each time: both orders of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from qbench import prompts
from qbench.parsing import parse_numbered, parse_preference
from qbench.records import Picture, Prompt, Response, Sample, Score
from qbench.tasks import Ask, Outcome, Plan
from qbench.tasks.asking import open_pictures
from qbench.tasks.similarity.shapes import SHAPES, count_alternatives, highest, score_choice

_REPLY_TOKENS = 512
"""As in the released code."""
T = TypeVar("T")


def plan(task: str, samples: Sequence[Sample], style: str, *, by_letter: bool) -> Plan:
    """Ask about every sample in every order."""
    pictures, broken = open_pictures(samples)
    turns = [(one, turn) for one in samples for turn in range(count_alternatives(task, one))]
    asked = [(one, turn) for one, turn in turns if one.id in pictures]
    responses = yield [
        Ask(one.id, show(task, one, pictures[one.id], style, turn, by_letter=by_letter)) for one, turn in asked
    ]
    read = {
        (one.id, turn): read_choice(task, response, count_alternatives(task, one))
        for (one, turn), response in zip(asked, responses, strict=True)
    }
    places = [read.get((one.id, turn)) or (None, f"failed: {broken[one.id]}") for one, turn in turns]
    chosen = [
        score_choice(one, None if place is None else (place + turn) % count_alternatives(task, one), reason)
        for (one, turn), (place, reason) in zip(turns, places, strict=True)
    ]
    return Outcome(
        scores={
            "accuracy": [score for (_, turn), score in zip(turns, chosen, strict=True) if turn == 0],
            "accuracy_balanced": chosen,
            "place": [_placed(one, *place) for (one, _), place in zip(turns, places, strict=True)],
        },
        protocol={"prompt": style, "answer": "letter-logits" if by_letter else "text", "orders": "each place once"},
    )


def show(
    task: str, sample: Sample, pictures: Sequence[Picture], style: str, turn: int, *, by_letter: bool = False
) -> Prompt:
    """The prompt that begins with alternative number `turn`, the reference staying where it is."""
    shape = SHAPES[task]
    kept = 1 if shape.against == "image" else 0
    images = (*pictures[:kept], *_turned(pictures[kept:], turn))
    texts = _turned(sample.texts, turn) if shape.texts else sample.texts
    parts = prompts.similarity(task, style, images, texts, sample.groups.get("attribute", ""))
    if by_letter:
        return Prompt("words", parts, words=_letters(count_alternatives(task, sample)))
    return Prompt("text", parts, max_tokens=_REPLY_TOKENS)


def _turned(alternatives: Sequence[T], turn: int) -> tuple[T, ...]:
    return (*alternatives[turn:], *alternatives[:turn])


def _letters(count: int) -> tuple[str, ...]:
    return tuple(prompts.letter(place) for place in range(count))


def read_choice(task: str, response: Response, count: int) -> tuple[int | None, str | None]:
    """The place a reply names, or whose letter weighs most; or None, and why there is no answer."""
    if response.failure is not None:
        return None, f"failed: {response.failure}"
    if response.text is None:
        weights = [response.logits[letter] for letter in _letters(count) if letter in response.logits]
        return highest(weights) if len(weights) == count else (None, "a letter was not weighed")
    if task == "img-2afc":
        numbered = parse_numbered(response.text, count, start=2)
        return numbered.value, numbered.reason
    if count > 2:
        numbered = parse_numbered(response.text, count)
        return numbered.value, numbered.reason
    said = parse_preference(response.text)
    if said.value == "tie":
        return None, "tie"
    return None if said.value is None else ("first", "second").index(said.value), said.reason


def _placed(sample: Sample, place: int | None, reason: str | None) -> Score:
    """Which place was chosen, whatever stood there: what a habit shows in."""
    return Score(sample.id, None if place is None else float(place), reason=reason, cluster=sample.cluster)
