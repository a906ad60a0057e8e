"""A3, assessment: a quality score from the logits of opposite words at the answer position.

Q-Bench, Sec. 2.4 and Appendix A.1, https://arxiv.org/abs/2309.14181. Eq. 1 is the softmax of "good" and "poor"; the
published figures divide the logits by 100 first, which the equation leaves out. Eq. 4 sums the logits of synonyms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from scipy.special import expit

from qbench import prompts
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.parsing import parse_rating
from qbench.records import Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks import Ask, Outcome, Plan


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


CLIP_WORDS = WordPair((prompts.CLIP_GOOD,), (prompts.CLIP_POOR,))
"""For encoders: captions instead of words (Eq. 2)."""

Mode = Literal["words", "score", "rating"]
_NEEDS: dict[Mode, Want] = {"words": "words", "score": "score", "rating": "text"}


@dataclass(frozen=True)
class Assessment:
    """How to get a quality score: from word logits, from a model that scores, or from a number it writes."""

    mode: Mode | None = None
    """None takes the first of the modes above that the model can do."""
    words: WordPair = DEFAULT_WORDS


def plan(samples: Sequence[Sample], wants: frozenset[Want], options: Assessment) -> Plan:
    """Ask about every image once; all words of all pairs come from the same forward pass."""
    mode = options.mode or next((one for one in get_args(Mode) if _NEEDS[one] in wants), None)
    if mode is None or _NEEDS[mode] not in wants:
        needed = " or ".join(_NEEDS.values()) if mode is None else _NEEDS[mode]
        raise UserError(f"assessment asks a model for {needed}, and this one offers only {', '.join(sorted(wants))}")
    words = CLIP_WORDS if is_encoder(wants) else options.words
    responses = yield [
        Ask(sample.id, quality_prompt(open_picture(Path(sample.images[0])), mode, words)) for sample in samples
    ]
    asked = list(zip(samples, responses, strict=True))
    if mode != "words":
        scores = [_score_of(sample, response, mode) for sample, response in asked]
        return Outcome(scores={"quality": scores}, protocol={"prompt": mode})
    return Outcome(
        scores={"quality": [score_logits(sample, response, words) for sample, response in asked]},
        variants=score_variants(asked, words),
        protocol={"prompt": mode, **words_protocol(words)},
    )


def is_encoder(wants: frozenset[Want]) -> bool:
    """Encoders weigh captions of the whole image; they have no answer to begin."""
    return "embedding" in wants and "text" not in wants


def quality_prompt(picture: Picture, mode: Mode, words: WordPair) -> Prompt:
    """The prompt of one image; for the default words their synonyms are asked for too, at no cost."""
    if mode == "score":
        return Prompt("score", (picture,))
    if mode == "rating":
        return Prompt("text", (picture, prompts.RATE_NUMBER), max_tokens=16)
    if words == CLIP_WORDS:
        return Prompt("words", (picture,), words=words.words)
    synonyms = (word for pair in ANTONYMS for word in pair.words)
    asked = tuple(dict.fromkeys([*words.words, *synonyms]))
    return Prompt("words", (picture, prompts.RATE), words=asked, prefill=prompts.RATE_PREFILL)


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
    """The same logits under the other strategies, and under every word pair they hold."""
    answered = [set(response.logits) for _, response in asked if response.logits]
    shared = set.intersection(*answered) if answered else set()

    def scored(pair: WordPair, strategy: str) -> list[Score]:
        return [score_logits(sample, response, pair, strategy) for sample, response in asked]

    variants: dict[str, dict[str, Sequence[Score]]] = {
        "strategy": {one: scored(words, one) for one in STRATEGIES if one != DEFAULT_STRATEGY}
    }
    if pairs := [pair for pair in ensembles(shared) if pair != words]:
        variants["words"] = {pair.label: scored(pair, DEFAULT_STRATEGY) for pair in pairs}
    return variants


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
