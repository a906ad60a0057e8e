"""Which choices of a model mean something: those that were right more often than guessing on photos of known damage.

`python -m tests.bench.photo_questions` asks the standard questions about demo photos and writes `calibration.json`. It
knows a model by the digest of its weights, so that other weights of the same name are not judged by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from leaderboard.live.questions import ATTRIBUTE_QUESTIONS, STANDARD_QUESTIONS, PhotoQuestion, QuestionAnswer
from qbench.stats.intervals import wilson
from qbench.tasks.lexicon import statements

FILE = Path(__file__).with_name("calibration.json")
STATED: Mapping[str, tuple[str, PhotoQuestion]] = {
    "quality": ("overall quality", STANDARD_QUESTIONS[0]),
    "brightness": ("brightness", ATTRIBUTE_QUESTIONS["brightness"]),
    "exposure": ("brightness", ATTRIBUTE_QUESTIONS["brightness"]),
    "colour": ("colourfulness", ATTRIBUTE_QUESTIONS["colourfulness"]),
    "contrast": ("contrast", ATTRIBUTE_QUESTIONS["contrast"]),
    "clarity": ("sharpness", ATTRIBUTE_QUESTIONS["sharpness"]),
}
"""What the lexicon finds in a sentence -> its name here, and the question that asks the same."""
Counts = Mapping[str, tuple[int, int]]
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
    kept, left_out = [], set()
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        stated = [STATED[attribute] for attribute, _ in statements(sentence) if attribute in STATED]
        if any(question in doubtful for _, question in stated):
            left_out |= {name for name, _ in stated}
        else:
            kept.append(sentence)
    return " ".join(kept), tuple(sorted(left_out))


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
    stored: dict[str, dict[str, dict[str, list[int]]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        weights: {
            question: {option: (right, chosen) for option, (right, chosen) in counts.items()}
            for question, counts in questions.items()
        }
        for weights, questions in stored.items()
    }
