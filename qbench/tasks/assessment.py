"""A3, assessment: a quality score from the logits of opposite words at the answer position.

Q-Bench, Secs. 2.4 and A.2.3, https://arxiv.org/abs/2309.14181. Eq. 1 is the softmax of "good" and "poor"; the
published figures divide the logits by 100 first, which the equation leaves out. Eq. 4 sums the logits of synonyms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scipy.special import expit

from qbench import prompts
from qbench.parsing import parse_rating
from qbench.records import Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks import asking
from qbench.tasks.plan import Ask, Outcome, Plan
from qbench.tasks.task import Answered, AnswerReader, Setup, Task, need, one_of


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
_PAIRS = (*TABLE_11, EXCELLENT_POOR, CLIP_IQA_WORDS)
"""What answers are also scored by, as far as they report the words."""

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
NAME = "assessment"
MODES: Mapping[Mode, Want] = {"words": "words", "score": "score", "rating": "text"}


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
    mode = choose_mode(wants, options.mode)
    words = CLIP_WORDS if asking.is_encoder(wants) else options.words
    responses = yield from asking.ask_each(
        samples, lambda _, pictures: quality_prompt(pictures[0], mode, words, options.prefill)
    )
    answered = list(zip(samples, responses, strict=True))
    if mode != "words":
        return replace(parse(answered, None), protocol={"prompt": mode})
    outcome = parse(answered, words, asked_for=() if words == CLIP_WORDS else TABLE_11)
    notes = dict(Counter(response.note for response in responses if response.note))
    return replace(outcome, protocol={"prompt": mode, **outcome.protocol, **({"notes": notes} if notes else {})})


def parse(answered: Sequence[Answered], words: WordPair | None, asked_for: Iterable[WordPair] = ()) -> Outcome:
    """What answers come to.

    Args:
        answered: Images and what came back.
        words: Whose logits the score is; None where the model gave a score, or wrote one.
        asked_for: See `left_out`.
    """
    if words is None:
        return Outcome(scores={"quality": [score_given(sample, response) for sample, response in answered]})
    return Outcome(
        scores={"quality": [score_logits(sample, response, words) for sample, response in answered]},
        variants=score_variants(answered, words),
        absent=unscored_words(answered, words, asked_for),
        protocol={
            "strategy": "softmax",
            "temperature": TEMPERATURE,
            "words": {"positive": list(words.positive), "negative": list(words.negative)},
        },
    )


def choose_mode(wants: frozenset[Want], asked: Mode | None = None) -> Mode:
    """How a model that offers this is asked; see `asking.choose_mode`."""
    return asking.choose_mode(NAME, MODES, wants, asked)


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


def score_given(sample: Sample, response: Response) -> Score:
    """The score that a model gave, or the number that it wrote."""
    if response.failure is not None:
        return _unscored(sample, f"failed: {response.failure}")
    if response.score is not None:
        return Score(sample.id, response.score, truth=human_score(sample), groups=sample.groups)
    rating = parse_rating(response.text or "")
    if rating.value is None:
        return _unscored(sample, rating.reason or "")
    return Score(sample.id, rating.value, truth=human_score(sample), groups=sample.groups)


def _unscored(sample: Sample, reason: str) -> Score:
    return Score(sample.id, None, truth=human_score(sample), reason=reason, groups=sample.groups)


def score_variants(asked: Sequence[tuple[Sample, Response]], words: WordPair) -> dict[str, dict[str, Sequence[Score]]]:
    """The same logits under the other strategies, and under every word pair that all answers hold."""
    shared = _reported(asked, set.intersection)

    def scored(pair: WordPair, strategy: str) -> list[Score]:
        return [score_logits(sample, response, pair, strategy) for sample, response in asked]

    variants: dict[str, dict[str, Sequence[Score]]] = {
        "strategy": {strategy: scored(words, strategy) for strategy in STRATEGIES if strategy != DEFAULT_STRATEGY}
    }
    if pairs := [pair for pair in ensembles(shared) if pair != words]:
        # CLIP-IQA is the softmax of CLIP's own logits.
        variants["words"] = {
            pair.label: scored(pair, "softmax-t1" if pair == CLIP_IQA_WORDS else DEFAULT_STRATEGY) for pair in pairs
        }
    return variants


def unscored_words(
    asked: Sequence[tuple[Sample, Response]], words: WordPair, asked_for: Iterable[WordPair] = ()
) -> dict[str, str]:
    """Pairs and words that the answers hold and that are not scored -> why.

    Args:
        asked: Samples with their answers.
        words: The pair that the model is scored by.
        asked_for: Pairs whose words were asked for, so that they are missed even where no answer has them.
    """
    shared, held = _reported(asked, set.intersection), _reported(asked, set.union)
    pairs = [pair for pair in dict.fromkeys([*asked_for, *ensembles(held)]) if pair != words]
    incomplete = [pair.label for pair in pairs if not shared.issuperset(pair.words)]
    single = sorted(held.difference(words.words, *(pair.words for pair in pairs)))
    known = {word for pair in _PAIRS for word in pair.words}
    return {
        **dict.fromkeys(incomplete, "not every answer reports all of these words"),
        **{
            word: "no answer reports the other word of its pair"
            if word in known
            else "no pair of the papers has this word"
            for word in single
        },
    }


def _reported(asked: Sequence[tuple[Sample, Response]], combine: Callable[..., set[str]]) -> set[str]:
    """Words whose logits the answers that came report."""
    answered = [set(response.logits) for _, response in asked if response.failure is None]
    return combine(*answered) if answered else set()


def ensembles(words: Iterable[str]) -> list[WordPair]:
    """The pairs and ensembles of the papers, and CLIP-IQA's captions, as far as these words make them."""
    known = set(words)
    return [pair for pair in _PAIRS if known.issuperset(pair.words)]


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


def human_score(sample: Sample) -> float | None:
    """The human score turned so that higher is better."""
    if sample.human is None:
        return None
    return -sample.human if sample.lower_is_better else sample.human


def _words(setup: Setup) -> WordPair:
    return WordPair(**setup.words) if setup.words else DEFAULT_WORDS


def _parse_given(answered: Sequence[Answered], setup: Setup) -> Outcome:
    return parse(answered, _words(setup) if any(response.logits for _, response in answered) else None)


def _chosen(setup: Setup) -> Assessment:
    return Assessment(one_of(setup.options.mode, Mode), _words(setup))


def _reader(samples: Sequence[Sample], setup: Setup) -> AnswerReader:
    by_id = {sample.id: sample for sample in samples}
    chosen = _chosen(setup)
    words = CLIP_WORDS if asking.is_encoder(setup.wants) else chosen.words
    mode = choose_mode(setup.wants, chosen.mode)

    def read(ask: Ask, response: Response) -> Score:
        sample = by_id[ask.sample]
        return score_logits(sample, response, words) if mode == "words" else score_given(sample, response)

    return read


TASK = Task(
    name=NAME,
    sentence="A3: quality scores against people's (Q-Bench)",
    modes=MODES,
    choose_mode=choose_mode,
    check=need("a human score (gt_score)", lambda sample: sample.human is not None and bool(sample.images)),
    options=frozenset({"mode"}),
    plan=lambda samples, setup: plan(samples, setup.wants, _chosen(setup)),
    result="quality",
    metric="srcc",
    parse=_parse_given,
    scored_again=True,
    running="srcc",
    reader=_reader,
    rates_images=True,
)
