"""Words that a quality score is made from: pairs of the papers, captions for encoders, a person's own; and five levels.

Five levels: Q-Align, Sec. 3.3, https://arxiv.org/abs/2312.17090, and Q-ReAlign: the mean of the levels, weighted by how
likely the model finds the word of each. Their released code weighs the levels 1 to 0 in steps of a quarter, which is
this score less 1, over 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from qbench import prompts
from qbench.errors import UserError


@dataclass(frozen=True)
class WordPair:
    """Words for good and words for bad; more than one of each is Eq. 4's ensemble."""

    positive: tuple[str, ...]
    negative: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{'+'.join(self.positive)}/{'+'.join(self.negative)}"

    @property
    def words(self) -> tuple[str, ...]:
        return self.positive + self.negative


DEFAULT_WORDS = WordPair(("good",), ("poor",))
TABLE_11 = (
    DEFAULT_WORDS,
    WordPair(("fine",), ("bad",)),
    WordPair(("high",), ("low",)),
    WordPair(("good", "high"), ("poor", "low")),
    WordPair(("good", "fine"), ("poor", "bad")),
    WordPair(("good", "high", "fine"), ("poor", "low", "bad")),
)
"""The pairs and ensembles of Table 11."""
EXCELLENT_POOR = WordPair(("excellent",), ("poor",))
"""Released beside good and poor for Qwen-VL, whose figures in the paper rest on good and poor."""
CLIP_WORDS = WordPair((prompts.CLIP_GOOD,), (prompts.CLIP_POOR,))
CLIP_IQA_WORDS = WordPair((prompts.CLIP_IQA_GOOD,), (prompts.CLIP_IQA_BAD,))
"""For encoders: captions instead of words (Eq. 2), and those of CLIP-IQA."""
KNOWN_PAIRS = (*TABLE_11, EXCELLENT_POOR, CLIP_IQA_WORDS)
"""What answers are also scored by, as far as they report the words."""
LEVELS = ("excellent", "good", "fair", "poor", "bad")
WEIGHTS = (5, 4, 3, 2, 1)
LONGEST = 200
"""Characters of a pair as a person writes it."""


def parse_words(text: str) -> WordPair:
    """The pair that a person wrote as "good/poor", or with synonyms as "good+fine/poor+bad"; UserError for none."""
    sides = [tuple(word.strip() for word in side.split("+")) for side in text.split("/")]
    words = [word for side in sides for word in side]
    if len(sides) != 2 or not all(words) or len(set(words)) < len(words) or len(text) > LONGEST:
        raise UserError(f"--words {text[:LONGEST]!r} is no pair such as good/poor or good+fine/poor+bad")
    return WordPair(*sides)


def expected_level(logits: Mapping[str, float]) -> float:
    """The mean of the weights under the softmax of the five words' logits, from 1 to 5."""
    return float(softmax([logits[level] for level in LEVELS]) @ np.array(WEIGHTS, dtype=float))
