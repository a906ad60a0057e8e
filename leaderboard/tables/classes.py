"""What class a result belongs to: how its model was trained, and how it was asked.

Scores of image quality come in classes that are never ranked together: zero-shot by the odds of two words, which is the
protocol of Q-Bench; zero-shot by five level words; zero-shot by a number in text; trained on people's ratings; metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qbench.models.catalogue import ModelFacts
from qbench.records import Result
from qbench.tasks import assessment

TWO_WORDS = "zero-shot-two-words"
FIVE_LEVELS = "zero-shot-five-levels"
NUMBER_IN_TEXT = "zero-shot-number-in-text"
OTHERWISE = "zero-shot-otherwise"
"""Where the source does not say how."""
TRAINED = "trained-on-ratings"
NO_REFERENCE = "metric-no-reference"
FULL_REFERENCE = "metric-full-reference"

OPINION_UNAWARE = ("niqe", "ilniqe")
"""Metrics made from undistorted photos alone (NIQE, Mittal 2013; ILNIQE, Zhang 2015)."""

GENERAL = "training on quality not mentioned"
TUNED = "tuned for low-level vision"
ON_RATINGS = "trained on ratings"
OF_KIND = {"encoder": "encoder", "metric": "learned metric", "classical": "hand-made metric"}
METRIC_KINDS = ("metric", "classical")

ASKED: Mapping[str, Mapping[str, str]] = {
    "scoring": {
        "two words": "odds of two words",
        "five levels": "odds of five words",
        "number in text": "a number written as text",
        "not stated": "not stated",
    },
    "choice": {"option of lowest perplexity": "the most probable option"},
    "strategy": {"softmax": "odds of two words"},
    "answer": {
        "scores": "a score",
        "text": "an answer in text",
        "letter-logits": "logits of letters",
        "embeddings": "nearness of embeddings",
    },
    "prompt": {
        "choose among the options": "options to choose from",
        "describe in detail": "describe in detail",
        "score": "a score",
        "rating": "a number written as text",
        "levels": "odds of five words",
        "words": "odds of two words",
    },
}
"""Field of a protocol -> its value -> in words; of several fields the first here tells."""


def classed_protocol(result: Result, model: ModelFacts) -> Mapping[str, Any]:
    """The protocol of a result, with the class of scores of image quality where the record leaves it out.

    Metrics that learnt from nobody's ratings have seen none of them, also where a record does not say so.
    """
    protocol = result.protocol
    if result.task != assessment.NAME:
        return protocol
    found = _score_class(protocol, model)
    unseen = model.id in OPINION_UNAWARE or (model.kind == "classical" and protocol.get("prompt") == "score")
    if not unseen and (found is None or found == protocol.get("class")):
        return protocol
    return {**({"trained_on": False} if unseen else {}), **protocol, **({"class": found} if found else {})}


def _score_class(protocol: Mapping[str, Any], model: ModelFacts) -> str | None:
    stated: str | None = protocol.get("class")
    if stated == OTHERWISE:
        return _BY_SCORING.get(str(protocol.get("scoring")), OTHERWISE)
    if stated in (NO_REFERENCE, FULL_REFERENCE) and model.kind == "model":
        return TRAINED  # a toolbox lists multimodal scorers among its metrics
    if stated is not None:
        return stated
    if model.kind in METRIC_KINDS:
        return NO_REFERENCE
    by_prompt = {"score": TRAINED, "rating": NUMBER_IN_TEXT, "words": TWO_WORDS, "levels": FIVE_LEVELS}
    return by_prompt.get(str(protocol.get("prompt"))) or (TWO_WORDS if "strategy" in protocol else None)


_BY_SCORING = {"five levels": FIVE_LEVELS, "number in text": NUMBER_IN_TEXT}


def model_class(model: ModelFacts, protocol: Mapping[str, Any], training: Iterable[str]) -> str:
    """The class of a row in words, for people to filter by."""
    if model.kind in OF_KIND:
        return OF_KIND[model.kind]
    if protocol.get("class") in (TRAINED, NO_REFERENCE, FULL_REFERENCE):
        return ON_RATINGS
    return TUNED if tuple(training) else GENERAL


def how_asked(protocol: Mapping[str, Any]) -> str | None:
    """How the model was asked, in words; None where the record does not say."""
    for field, words in ASKED.items():
        value = protocol.get(field)
        if isinstance(value, str) and value in words:
            return words[value]
    return None
