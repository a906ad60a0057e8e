"""A3, assessment: a quality score from the logits of opposite words at the answer position.

Q-Bench, Sec. 2.4 and Appendix A.1, https://arxiv.org/abs/2309.14181. Eq. 1 is the softmax of "good" and "poor"; the
published figures divide the logits by 100 first, which the equation leaves out. Eq. 4 sums the logits of synonyms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scipy.special import expit

from qbench.records import Response, Sample, Score


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
ANTONYMS = (DEFAULT_WORDS, WordPair(("fine",), ("bad",)), WordPair(("high",), ("low",)))
"""The pairs of Table 11, from which its ensembles are made."""

TEMPERATURE = 100
"""What the published figures divide logits by."""

STRATEGIES: Mapping[str, Callable[[float], float]] = {
    "softmax-t100": lambda difference: float(expit(difference / TEMPERATURE)),
    "softmax-t1": lambda difference: float(expit(difference)),
    "argmax": lambda difference: float(difference > 0),
}
"""Logit difference -> score. The first is what Q-Bench's tables used, the second Eq. 1 as printed, the third the
ablation of Table 9."""

DEFAULT_STRATEGY = "softmax-t100"


def ensembles(words: Iterable[str]) -> list[WordPair]:
    """Every antonym pair whose logits are at hand and, where there are several, all of them together."""
    known = set(words)
    pairs = [pair for pair in ANTONYMS if known.issuperset(pair.words)]
    if len(pairs) > 1:
        pairs.append(
            WordPair(
                tuple(word for pair in pairs for word in pair.positive),
                tuple(word for pair in pairs for word in pair.negative),
            )
        )
    return pairs


def score_logits(
    sample: Sample, response: Response, words: WordPair = DEFAULT_WORDS, strategy: str = DEFAULT_STRATEGY
) -> Score:
    """Eq. 1 or Eq. 4 for one image; ranks are taken on the logit difference itself."""
    difference = sum(response.logits[word] for word in words.positive) - sum(
        response.logits[word] for word in words.negative
    )
    value = STRATEGIES[strategy](difference)
    return Score(
        sample.id,
        value,
        truth=human_score(sample),
        order=value if strategy == "argmax" else difference,
        groups=sample.groups,
    )


def score_number(sample: Sample, response: Response) -> Score:
    """A score the model gave directly."""
    return Score(sample.id, response.score, truth=human_score(sample), groups=sample.groups)


def human_score(sample: Sample) -> float | None:
    """The human score turned so that higher is better."""
    if sample.human is None:
        return None
    return -sample.human if sample.lower_is_better else sample.human
