"""A multiple-choice question about a photo, and what questions of all kinds share.

Style and groups are those of LLVisionQA (Q-Bench, Sec. 2.2, https://arxiv.org/abs/2309.14181).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from qbench.datasets.demo.damage import PLACES, place_in_words

QuestionType = Literal["yes-or-no", "what", "how"]
Concern = Literal["distortion", "other"]
Context = Literal["global", "in-context"]

YES_NO = ("Yes", "No")
STRONG = 3.5
"""From this level on it settles what an attribute of the photo is like."""
WRONG_OPTIONS = 3


@dataclass(frozen=True)
class DemoQuestion:
    """One multiple-choice question; the task shuffles the options."""

    question: str
    options: tuple[str, ...]
    answer: int
    question_type: QuestionType
    concern: Concern
    context: Context = "global"

    @property
    def group(self) -> str:
        """Concern and context as LLVisionQA joins them."""
        return f"in-context-{self.concern}" if self.context == "in-context" else self.concern


def part_options(place: str, generator: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """The place as an option, and all options: with it three others, in random order."""
    others = generator.permutation([other for other in PLACES if other != place])[:WRONG_OPTIONS]
    options = generator.permutation([place, *others])
    return capitalised(place_in_words(place)), tuple(capitalised(place_in_words(str(option))) for option in options)


def capitalised(text: str) -> str:
    """The text with a capital first letter and all others as they were."""
    return text[0].upper() + text[1:]
