"""A3, assessment: a quality score from the logits of opposite words at the answer position.

Q-Bench, Secs. 2.4 and A.2.3, https://arxiv.org/abs/2309.14181. Eq. 1 is the softmax of "good" and "poor"; the
published figures divide the logits by 100 first, which the equation leaves out. Eq. 4 sums the logits of synonyms.
Beside it stand the ways of later scorers, which are never ranked with it: five level words, and a number in text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scipy.special import expit

from qbench import prompts
from qbench.parsing import parse_rating
from qbench.records import Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks import asking
from qbench.tasks.task import Answered, Chosen, Outcome, Plan, Task, need
from qbench.tasks.words import (
    CLIP_IQA_WORDS,
    CLIP_WORDS,
    DEFAULT_WORDS,
    KNOWN_PAIRS,
    LEVELS,
    TABLE_11,
    WEIGHTS,
    WordPair,
    expected_level,
)

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
LOWEST, HIGHEST = 1, 5
"""The scale of a number in text, and of five levels."""

NAME = "assessment"
MODES: Mapping[str, Want] = {"words": "words", "score": "score", "rating": "text", "levels": "words"}
STYLES: Mapping[str, tuple[str, ...]] = {
    "levels": tuple(prompts.LEVEL_QUESTIONS),
    "rating": tuple(prompts.NUMBER_QUESTIONS),
}
"""Wordings of the modes that have several, the usual one first."""
WEIGHED: Mapping[str, tuple[str, ...]] = {"words": ("words",), "prefill": ("words", "levels")}
"""What a person chooses about an answer that is not written -> where it counts; encoders begin no answer."""
SCORING: Mapping[str, str] = {"levels": "five levels", "rating": "number in text"}
"""What records call a way of scoring that is not the papers' own."""


def plan(samples: Sequence[Sample], chosen: Chosen) -> Plan:
    """Ask about every image once; all words of all pairs come from the same forward pass."""
    responses = yield from asking.ask_each(samples, lambda _, pictures: quality_prompt(pictures[0], chosen))
    asked_for = () if chosen.words == CLIP_WORDS else TABLE_11
    outcome = parse(list(zip(samples, responses, strict=True)), chosen, asked_for)
    weighed = MODES[chosen.mode] == "words"
    notes = dict(Counter(response.note for response in responses if response.note and weighed))
    said = {"prompt": chosen.mode, **_stated(chosen), **outcome.protocol, **({"notes": notes} if notes else {})}
    return replace(outcome, protocol=said)


def _stated(asked: Chosen) -> dict[str, Any]:
    """What a record says about how the model was asked, where that is not the paper's way."""
    said: dict[str, Any] = {}
    if asked.style:
        said = {"scoring": SCORING[asked.mode], "style": asked.style}
    if asked.mode == "rating":
        said |= {"scale": f"{LOWEST} to {HIGHEST}", "max_tokens": prompts.NUMBER_QUESTIONS[asked.style].max_tokens}
    if asked.mode == "words" and asked.other_words:
        said["other_words"] = True
    return {**said, **({"prefill": asked.prefill} if asked.prefill != prompts.RATE_PREFILL else {})}


def parse(answered: Sequence[Answered], chosen: Chosen, asked_for: Iterable[WordPair] = ()) -> Outcome:
    """What answers come to: without a mode by words where answers weigh some, else by the score that they give."""
    by_words = any(response.logits for _, response in answered)
    chosen = chosen if chosen.mode else replace(chosen, mode="words" if by_words else "score")
    scores = {"quality": [score_answer(sample, response, chosen) for sample, response in answered]}
    if chosen.mode == "levels":
        return Outcome(scores, protocol={"levels": list(LEVELS), "weights": list(WEIGHTS), "temperature": 1})
    if chosen.mode != "words":
        return Outcome(scores)
    words = chosen.words
    return Outcome(
        scores,
        variants=score_variants(answered, words),
        absent=unscored_words(answered, words, asked_for),
        protocol={
            "strategy": "softmax",
            "temperature": TEMPERATURE,
            "words": {"positive": list(words.positive), "negative": list(words.negative)},
        },
    )


def score_answer(sample: Sample, response: Response, chosen: Chosen) -> Score:
    """The score of one answer, by the mode in which it was asked for."""
    if chosen.mode == "levels":
        return score_levels(sample, response)
    return score_logits(sample, response, chosen.words) if chosen.mode == "words" else score_given(sample, response)


def quality_prompt(picture: Picture, asked: Chosen) -> Prompt:
    """The prompt of one image in a mode; the words of every other pair are asked for too, at no cost."""
    if asked.mode == "score":
        return Prompt("score", (picture,))
    if asked.mode == "rating":
        question = prompts.NUMBER_QUESTIONS[asked.style]
        return Prompt("text", (picture, question.text), system=question.system, max_tokens=question.max_tokens)
    if asked.mode == "levels":
        parts = prompts.LEVEL_QUESTIONS[asked.style](picture)
        return Prompt("words", parts, words=LEVELS, prefill=asked.prefill)
    if asked.words == CLIP_WORDS:
        return Prompt("words", (picture,), words=(*CLIP_WORDS.words, *CLIP_IQA_WORDS.words))
    synonyms = (word for pair in TABLE_11 for word in pair.words)
    words = tuple(dict.fromkeys([*asked.words.words, *synonyms]))
    return Prompt("words", (picture, prompts.RATE), words=words, prefill=asked.prefill)


def score_given(sample: Sample, response: Response) -> Score:
    """The score that a model gave, or the number that it wrote."""
    if response.failure is not None:
        return _score(sample, None, reason=f"failed: {response.failure}")
    if response.score is not None:
        return _score(sample, response.score)
    text = response.text or ""
    rating = parse_rating(text, LOWEST, HIGHEST)
    only_thoughts = rating.reason == "empty" and text.strip()
    return _score(sample, rating.value, reason="no answer after its thoughts" if only_thoughts else rating.reason)


def _score(sample: Sample, value: float | None, **more: Any) -> Score:
    return Score(sample.id, value, truth=human_score(sample), groups=sample.groups, **more)


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

    Pairs whose words were `asked_for` are missed even where no answer has them.
    """
    shared, held = _reported(asked, set.intersection), _reported(asked, set.union)
    pairs = [pair for pair in dict.fromkeys([*asked_for, *ensembles(held)]) if pair != words]
    incomplete = [pair.label for pair in pairs if not shared.issuperset(pair.words)]
    single = sorted(held.difference(words.words, *(pair.words for pair in pairs)))
    known = {word for pair in KNOWN_PAIRS for word in pair.words}
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
    return [pair for pair in KNOWN_PAIRS if known.issuperset(pair.words)]


def score_logits(
    sample: Sample, response: Response, words: WordPair = DEFAULT_WORDS, strategy: str = DEFAULT_STRATEGY
) -> Score:
    """Eq. 1 or Eq. 4 for one image; ranks are taken on the logit difference itself."""

    def worth(logits: Mapping[str, float]) -> tuple[float, float]:
        difference = sum(map(logits.__getitem__, words.positive)) - sum(map(logits.__getitem__, words.negative))
        value = STRATEGIES[strategy](difference)
        return value, value if strategy == "argmax" else difference

    return _score_weights(sample, response, words.words, worth)


def score_levels(sample: Sample, response: Response) -> Score:
    """The mean level of one image, from 1 to 5."""
    return _score_weights(sample, response, LEVELS, lambda logits: (expected_level(logits), None))


def _score_weights(
    sample: Sample,
    response: Response,
    words: Sequence[str],
    worth: Callable[[Mapping[str, float]], tuple[float, float | None]],
) -> Score:
    """What the logits of these words are worth, and what ranks are taken on where that is another number."""
    if response.failure is not None:
        return _score(sample, None, reason=f"failed: {response.failure}")
    if missing := [word for word in words if word not in response.logits]:
        return _score(sample, None, reason=f"no logit of {missing[0]!r} was reported")
    value, order = worth(response.logits)
    return _score(sample, value, order=order)


def human_score(sample: Sample) -> float | None:
    """The human score turned so that higher is better."""
    if sample.human is None:
        return None
    return -sample.human if sample.lower_is_better else sample.human


TASK = Task(
    name=NAME,
    title="Quality score (A3)",
    sentence="A3: a model's quality scores compared with those of the dataset (Q-Bench)",
    modes=MODES,
    encoder_modes=("words",),
    check=need("a human score (gt_score)", lambda sample: sample.human is not None and bool(sample.images)),
    styles=STYLES,
    options=frozenset({"mode", "prefill", "style", "words"}),
    option_modes=WEIGHED,
    plan=plan,
    result="quality",
    metric="srcc",
    parse=parse,
    scored_again=True,
    running="srcc",
    reader=lambda sample, _ask, response, chosen: score_answer(sample, response, chosen),
    rates_images=True,
)
