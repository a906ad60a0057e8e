"""A3, assessment: a quality score from the logits of opposite words at the answer position.

Q-Bench, Secs. 2.4 and A.2.3, https://arxiv.org/abs/2309.14181. Eq. 1 is the softmax of "good" and "poor"; the
published figures divide the logits by 100 first, which the equation leaves out. Eq. 4 sums the logits of synonyms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import expit

from qbench import prompts
from qbench.parsing import parse_rating
from qbench.records import Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks import Outcome, Plan
from qbench.tasks.asking import ask_each, choose_mode, is_encoder


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
CLIP_WORDS = WordPair((prompts.CLIP_GOOD,), (prompts.CLIP_POOR,))
CLIP_IQA_WORDS = WordPair((prompts.CLIP_IQA_GOOD,), (prompts.CLIP_IQA_BAD,))
"""For encoders: captions instead of words (Eq. 2), and those of CLIP-IQA."""

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
_RATING_TOKENS = 64

Mode = Literal["words", "score", "rating"]
_NEEDS: Mapping[Mode, Want] = {"words": "words", "score": "score", "rating": "text"}


@dataclass(frozen=True)
class Assessment:
    """How to get a quality score: from word logits, from a model that scores, or from a number it writes."""

    mode: Mode | None = None
    """None takes the first of the modes above that the model can do."""
    words: WordPair = DEFAULT_WORDS
    """The model's most frequent answers (A.2.3); encoders weigh captions instead."""
    prefill: str = prompts.RATE_PREFILL
    """Beginning of the answer, after which the words are weighed."""


def plan(samples: Sequence[Sample], wants: frozenset[Want], options: Assessment) -> Plan:
    """Ask about every image once; all words of all pairs come from the same forward pass."""
    mode = choose_way(wants, options.mode)
    words = CLIP_WORDS if is_encoder(wants) else options.words
    responses = yield from ask_each(
        samples, lambda _, pictures: quality_prompt(pictures[0], mode, words, options.prefill)
    )
    asked = list(zip(samples, responses, strict=True))
    if mode != "words":
        scores = [_score_of(sample, response, mode) for sample, response in asked]
        return Outcome(scores={"quality": scores}, protocol={"prompt": mode})
    variants = score_variants(asked, words)
    left_out = [pair.label for pair in TABLE_11 if pair != words and pair.label not in variants.get("words", {})]
    notes = dict(Counter(response.note for response in responses if response.note))
    return Outcome(
        scores={"quality": [score_logits(sample, response, words) for sample, response in asked]},
        variants=variants,
        absent={} if words == CLIP_WORDS else dict.fromkeys(left_out, "not every answer reports all of these words"),
        protocol={"prompt": mode, **words_protocol(words), **({"notes": notes} if notes else {})},
    )


def choose_way(wants: frozenset[Want], asked: Mode | None = None) -> Mode:
    """How a model that offers this is asked; see `choose_mode`."""
    return choose_mode("assessment", _NEEDS, wants, asked)


def quality_prompt(picture: Picture, mode: Mode, words: WordPair, prefill: str = prompts.RATE_PREFILL) -> Prompt:
    """The prompt of one image; the words of every other pair are asked for too, at no cost."""
    if mode == "score":
        return Prompt("score", (picture,))
    if mode == "rating":
        return Prompt("text", (picture, prompts.RATE_NUMBER), max_tokens=_RATING_TOKENS)
    if words == CLIP_WORDS:
        return Prompt("words", (picture,), words=(*words.words, *CLIP_IQA_WORDS.words))
    synonyms = (word for pair in TABLE_11 for word in pair.words)
    asked = tuple(dict.fromkeys([*words.words, *synonyms]))
    return Prompt("words", (picture, prompts.RATE), words=asked, prefill=prefill)


def words_protocol(words: WordPair) -> dict[str, object]:
    """How word logits became scores, as records state it."""
    return {
        "strategy": "softmax",
        "temperature": TEMPERATURE,
        "words": {"positive": list(words.positive), "negative": list(words.negative)},
    }


def _score_of(sample: Sample, response: Response, mode: Mode) -> Score:
    if response.failure is not None:
        return _unscored(sample, f"failed: {response.failure}")
    if mode == "score":
        return score_number(sample, response)
    rating = parse_rating(response.text or "")
    if rating.value is None:
        return _unscored(sample, rating.reason or "")
    return Score(sample.id, rating.value, truth=human_score(sample), groups=sample.groups)


def _unscored(sample: Sample, reason: str) -> Score:
    return Score(sample.id, None, truth=human_score(sample), reason=reason, groups=sample.groups)


def score_variants(asked: Sequence[tuple[Sample, Response]], words: WordPair) -> dict[str, dict[str, Sequence[Score]]]:
    """The same logits under the other strategies, and under every word pair that all answers hold."""
    answered = [set(response.logits) for _, response in asked if response.failure is None]
    shared = set.intersection(*answered) if answered else set()

    def scored(pair: WordPair, strategy: str) -> list[Score]:
        return [score_logits(sample, response, pair, strategy) for sample, response in asked]

    variants: dict[str, dict[str, Sequence[Score]]] = {
        "strategy": {one: scored(words, one) for one in STRATEGIES if one != DEFAULT_STRATEGY}
    }
    if pairs := [pair for pair in ensembles(shared) if pair != words]:
        # CLIP-IQA is the softmax of CLIP's own logits.
        variants["words"] = {
            pair.label: scored(pair, "softmax-t1" if pair == CLIP_IQA_WORDS else DEFAULT_STRATEGY) for pair in pairs
        }
    return variants


def ensembles(words: Iterable[str]) -> list[WordPair]:
    """The pairs and ensembles of Table 11, and CLIP-IQA's captions, as far as their logits are at hand."""
    known = set(words)
    return [pair for pair in (*TABLE_11, CLIP_IQA_WORDS) if known.issuperset(pair.words)]


def score_logits(
    sample: Sample, response: Response, words: WordPair = DEFAULT_WORDS, strategy: str = DEFAULT_STRATEGY
) -> Score:
    """Eq. 1 or Eq. 4 for one image; ranks are taken on the logit difference itself."""
    if response.failure is not None:
        return _unscored(sample, f"failed: {response.failure}")
    missing = [word for word in words.words if word not in response.logits]
    if missing:
        return _unscored(sample, f"no logit of {missing[0]!r} was reported")
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
