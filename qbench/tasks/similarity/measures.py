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
from qbench.records import Picture, Prompt, Response, Sample, Score, Want
from qbench.tasks import Ask, Outcome, Plan
from qbench.tasks.asking import open_pictures
from qbench.tasks.similarity.shapes import highest, score_choice

Item = str | Picture
Vector = NDArray[np.float64]
Pictures = tuple[Picture, ...]

CAPTIONED = ("iqa-2afc", "attributes")
"""Tasks in which single images are measured: by their scores, or against captions of ours."""
IMAGES_ALONE = ("img-2afc", "odd-one-out", "retrieval")
"""Tasks in which images are compared with images, and with no text."""
APPROACHES = ("naive", "clip-iqa")


def plan_embeddings(task: str, samples: Sequence[Sample], approach: str) -> Plan:
    """Embed every image and text, then compare cosines."""
    pictures, broken = open_pictures(samples)
    items = {one.id: _items(task, one, pictures[one.id]) for one in samples if one.id in pictures}
    responses = yield from ask_once("embedding", items)
    vectors, trouble = unit_vectors(responses)

    def scores(way: str) -> list[Score]:
        def nearness(sample: Sample) -> list[float]:
            return _nearness(task, way, sample, pictures[sample.id], lambda a, b: float(vectors[a] @ vectors[b]))

        return _choose(samples, items, broken, trouble, nearness)

    protocol = {"prompt": approach or "none", "answer": "embeddings", **name_vectors(responses)}
    if task not in CAPTIONED:
        return Outcome(scores={"accuracy": scores("")}, protocol=protocol)
    by_approach = {way: scores(way) for way in APPROACHES}
    return Outcome({"accuracy": by_approach[approach]}, variants={"approach": by_approach}, protocol=protocol)


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
    return Outcome({"accuracy": scores}, protocol={"prompt": "none", "answer": "scores"})


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


def _items(task: str, sample: Sample, pictures: Pictures) -> tuple[Item, ...]:
    """All that is embedded for a sample."""
    if task not in CAPTIONED:
        return *pictures, *sample.texts
    wanted = _wanted(task, sample)
    return *pictures, prompts.NAIVE_CAPTIONS[wanted], *prompts.OPPOSITE_CAPTIONS[wanted]


def _wanted(task: str, sample: Sample) -> str:
    return sample.groups["attribute"] if task == "attributes" else "quality"


def _nearness(
    task: str, approach: str, sample: Sample, pictures: Pictures, cosine: Callable[[Item, Item], float]
) -> list[float]:
    """How much speaks for each alternative."""
    if task == "img-2afc":
        return [cosine(pictures[0], one) for one in pictures[1:]]
    if task == "it-2afc":
        return [cosine(sample.texts[0], one) for one in pictures]
    if task == "text-2afc":
        return [cosine(pictures[0], one) for one in sample.texts]
    if task == "odd-one-out":
        one, two, three = pictures
        return [cosine(two, three), cosine(one, three), cosine(one, two)]
    wanted = _wanted(task, sample)
    if approach == "naive":
        return [cosine(prompts.NAIVE_CAPTIONS[wanted], one) for one in pictures]
    more, less = prompts.OPPOSITE_CAPTIONS[wanted]
    return [cosine(more, one) - cosine(less, one) for one in pictures]


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
