"""Comparing by numbers: nearness of embeddings, or scores of single images. The order shown cannot matter.

Sec. 2.2 and App. C, https://arxiv.org/abs/2412.10594: the alternative of highest cosine with the reference is chosen,
the odd one is the image outside the nearest pair, and quality and attributes are measured in two ways, both reported:
nearness to one caption ("naive"), or to the first of two opposite ones after their softmax ("clip-iqa"; at whatever
temperature, it orders images by the difference of the two cosines). The paper prints the way that does better on the
test data; here the one that is the result is named beforehand. Every distinct image and text is asked about once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qbench import prompts
from qbench.records import Ask, Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks.asking import open_pictures
from qbench.tasks.choice import Choice, Cosine, Item, highest, score_choice
from qbench.tasks.task import Outcome, Plan

Vector = NDArray[np.float64]
Pictures = tuple[Picture, ...]

APPROACHES = ("naive", "clip-iqa")


def plan_embeddings(choice: Choice, samples: Sequence[Sample], approach: str) -> Plan:
    """Embed every image and text, then compare cosines."""
    pictures, broken = open_pictures(samples)
    items = {sample.id: _items(choice, sample, pictures[sample.id]) for sample in samples if sample.id in pictures}
    responses = yield from ask_once("embedding", items)
    vectors, trouble = unit_vectors(responses)

    def cosine(item: Item, other: Item) -> float:
        return float(vectors[item] @ vectors[other])

    def scores_by(approach: str) -> list[Score]:
        def nearness(sample: Sample) -> list[float]:
            return _nearness(choice, approach, sample, pictures[sample.id], cosine)

        return _choose(samples, items, broken, trouble, nearness)

    protocol = {"prompt": approach or "none", "answer": "embeddings", **name_vectors(responses)}
    if choice.measured is None:
        return Outcome(scores={"accuracy": scores_by("")}, presentations=len(samples), protocol=protocol)
    by_approach = {name: scores_by(name) for name in APPROACHES}
    return Outcome(
        scores={"accuracy": by_approach[approach]},
        variants={"approach": by_approach},
        presentations=len(samples),
        protocol=protocol,
    )


def plan_scores(samples: Sequence[Sample]) -> Plan:
    """Ask for one score of every image; the higher is the better, and has more of whatever attribute is asked about."""
    pictures, broken = open_pictures(samples)
    responses = yield from ask_once("score", pictures)
    values = {item: response.score for item, response in responses.items()}
    known = {item: value for item, value in values.items() if value is not None and math.isfinite(value)}
    trouble = {item: _why(responses[item], "no score") for item in responses if item not in known}
    scores = _choose(
        samples, pictures, broken, trouble, lambda sample: [known[picture] for picture in pictures[sample.id]]
    )
    protocol = {"prompt": "none", "answer": "scores"}
    return Outcome(scores={"accuracy": scores}, presentations=len(samples), protocol=protocol)


def ask_once(
    want: Want, items: Mapping[str, Iterable[Item]]
) -> Generator[Sequence[Ask], Sequence[Response], dict[Item, Response]]:
    """One response for each distinct image and text of the samples."""
    first_of: dict[Item, str] = {}
    for sample, parts in items.items():
        for part in parts:
            first_of.setdefault(part, sample)
    responses = yield [Ask(sample, Prompt(want, (item,))) for item, sample in first_of.items()]
    return dict(zip(first_of, responses, strict=True))


def unit_vectors(responses: Mapping[Item, Response]) -> tuple[dict[Item, Vector], dict[Item, str]]:
    """Embeddings at length 1; and of what has none, why."""
    vectors, trouble = {}, {}
    for item, response in responses.items():
        vector = np.array(response.embedding, dtype=float)
        length = float(np.linalg.norm(vector))
        if 0 < length < math.inf:
            vectors[item] = vector / length
        else:
            trouble[item] = _why(response, "an embedding without direction")
    return vectors, trouble


def name_vectors(responses: Mapping[Item, Response]) -> dict[str, str]:
    """What a record says its vectors are, where they are not those of an encoder."""
    notes = dict.fromkeys(response.note for response in responses.values() if response.note)
    return {"vectors": "; ".join(notes)} if notes else {}


def _why(response: Response, otherwise: str) -> str:
    return f"failed: {response.failure}" if response.failure is not None else otherwise


def _items(choice: Choice, sample: Sample, pictures: Pictures) -> tuple[Item, ...]:
    """All that is embedded for a sample."""
    if choice.measured is None:
        return *pictures, *sample.texts
    measured = choice.measured(sample)
    return *pictures, prompts.NAIVE_CAPTIONS[measured], *prompts.OPPOSITE_CAPTIONS[measured]


def _nearness(choice: Choice, approach: str, sample: Sample, pictures: Pictures, cosine: Cosine) -> list[float]:
    """How much speaks for each alternative."""
    if choice.nearness is not None:
        return choice.nearness(pictures, cosine)
    if choice.measured is None:
        against: Item = pictures[0] if sample.has_reference else sample.texts[0]
        alternatives: Sequence[Item] = sample.texts if choice.shape.texts else pictures[sample.has_reference :]
        return [cosine(against, each) for each in alternatives]
    measured = choice.measured(sample)
    if approach == "naive":
        return [cosine(prompts.NAIVE_CAPTIONS[measured], picture) for picture in pictures]
    more, less = prompts.OPPOSITE_CAPTIONS[measured]
    return [cosine(more, picture) - cosine(less, picture) for picture in pictures]


def _choose(
    samples: Sequence[Sample],
    items: Mapping[str, Iterable[Item]],
    broken: Mapping[str, str],
    trouble: Mapping[Item, str],
    values: Callable[[Sample], list[float]],
) -> list[Score]:
    """The alternative of highest value of each sample, where all that it takes is there."""
    scores = []
    for sample in samples:
        if sample.id in broken:
            scores.append(score_choice(sample, None, f"failed: {broken[sample.id]}"))
            continue
        reason = next((trouble[item] for item in items[sample.id] if item in trouble), None)
        chosen, reason = (None, reason) if reason else highest(values(sample))
        scores.append(score_choice(sample, chosen, reason))
    return scores
