"""What nano-vlm is told about pictures: the tasks' own prompts with the answers that follow from what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qbench import prompts
from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.wording import Question, description, questions
from qbench.records import Picture, Prompt

PAIR_GAP = 0.04
"""Pairs whose qualities differ by less are not asked about."""
_WORDS: Sequence[tuple[str, str, float]] = (("good", "poor", 0.5), ("fine", "bad", 0.25), ("high", "low", 0.25))
"""Words for quality and how often each pair is said."""
_MOST_QUESTIONS = 5


@dataclass(frozen=True)
class Turn:
    """A prompt and its answer: a text, or how likely each of several words should be."""

    prompt: Prompt
    answer: str = ""
    words: tuple[tuple[str, float], ...] = ()


def about_one(picture: Picture, damage: Damage | None, quality: float, generator: np.random.Generator) -> list[Turn]:
    """Turns on a single picture; each stands alone."""
    asked = questions(damage, generator)
    chosen = generator.permutation(len(asked))[:_MOST_QUESTIONS]
    turns = [_question(picture, asked[int(place)], generator) for place in chosen]
    chances = [
        pair for good, poor, share in _WORDS for pair in ((good, share * quality), (poor, share * (1 - quality)))
    ]
    rate = Prompt("words", (picture, prompts.RATE), prefill=prompts.RATE_PREFILL)
    turns.append(Turn(rate, words=tuple(chances)))
    if generator.random() < 0.5:
        turns.append(Turn(Prompt("text", (picture, prompts.DESCRIBE)), description(damage, generator)))
    else:
        turns.append(Turn(Prompt("text", (picture, prompts.RATE_NUMBER)), str(1 + round(4 * quality))))
    return turns


def about_two(pictures: tuple[Picture, Picture], qualities: tuple[float, float]) -> list[Turn]:
    """Which of two looks better, in both papers' forms."""
    first = qualities[0] > qualities[1]
    spoken, letter = ("The first image.", "A") if first else ("The second image.", "B")
    answers = {"paper": spoken, "code": letter}
    return [Turn(Prompt("text", form(*pictures)), answers[style]) for style, form in prompts.COMPARISONS.items()]


def _question(picture: Picture, asked: Question, generator: np.random.Generator) -> Turn:
    order = generator.permutation(len(asked.options))
    options = [asked.options[int(place)] for place in order]
    right = options.index(asked.options[asked.answer])
    if generator.random() < 0.15:
        closed = prompts.close_set_answer(options[right])
        return Turn(Prompt("text", prompts.close_set([picture], asked.question)), closed)
    style = list(prompts.QUESTIONS)[int(generator.integers(len(prompts.QUESTIONS)))]
    parts = prompts.QUESTIONS[style]([picture], asked.question, options)
    answers: Mapping[str, str] = {"letter": prompts.letter(right)}
    return Turn(Prompt("text", parts), answers.get(style, f"{prompts.letter(right)}. {options[right]}"))
