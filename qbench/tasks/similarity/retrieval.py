"""Searching images by nearness to a query, measured by the revisited Oxford and Paris protocol.

UniSim, Sec. 3.1 and App. B, https://arxiv.org/abs/2412.10594; levels and average precision of Radenovic et al.,
"Revisiting Oxford and Paris", https://arxiv.org/abs/1803.11285, Sec. 3.3. Every image is embedded once, whole: queries
are not cropped, as in UniSim's code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from qbench.errors import DataError
from qbench.records import Sample, Score
from qbench.tasks.asking import open_pictures
from qbench.tasks.similarity.measures import Vector, ask_once, name_vectors, unit_vectors
from qbench.tasks.task import Chosen, Outcome, Plan, Task, need

Level = tuple[tuple[str, ...], tuple[str, ...]]
DIFFICULTIES: Mapping[str, Level] = {
    "map_easy": (("easy",), ("hard", "junk")),
    "map_medium": (("easy", "hard"), ("junk",)),
    "map_hard": (("hard",), ("easy", "junk")),
}
"""Metric -> what counts as found, and what is left out as if it were not there."""
_DIGITS = 12
"""Cosines equal so far are equal: a copy of an image must not overtake it by rounding."""


def plan(samples: Sequence[Sample], _chosen: Chosen) -> Plan:
    """Embed every image, then rank the images to search by their cosine with each query.

    An image to search that cannot be embedded is never found; one that a limited run leaves out is not looked for. A
    query has no score at a level where nothing is to be found, as in the protocol, or where it cannot be embedded.
    """
    searched = [sample for sample in samples if not sample.relevance]
    listed = {sample.id for sample in searched}
    queries = [
        replace(sample, relevance={kind: tuple(listed.intersection(ids)) for kind, ids in sample.relevance.items()})
        for sample in samples
        if sample.relevance
    ]
    if not queries or not searched:
        raise DataError(
            f"retrieval needs queries and images to search; of {len(samples):,} samples {len(queries):,} are queries"
        )
    pictures, broken = open_pictures(samples)
    responses = yield from ask_once("embedding", pictures)
    vectors, trouble = unit_vectors(responses)
    why = {name: f"failed: {reason}" for name, reason in broken.items()}
    why |= {name: trouble[path] for name, (path,) in pictures.items() if path in trouble}
    vector_of = {name: vectors[path] for name, (path,) in pictures.items() if path in vectors}
    found = [sample.id for sample in searched if sample.id in vector_of]
    table = np.array([vector_of[name] for name in found])
    nearness = {query.id: table @ vector_of[query.id] for query in queries if found and query.id in vector_of}
    scores = {
        metric: [_score(query, level, found, nearness.get(query.id), why.get(query.id)) for query in queries]
        for metric, level in DIFFICULTIES.items()
    }
    return Outcome(
        scores={
            **{metric: [score for score in each if score is not None] for metric, each in scores.items()},
            "embedded": [
                Score(sample.id, None if sample.id in why else 1.0, reason=why.get(sample.id)) for sample in samples
            ],
        },
        protocol={"prompt": "none", "answer": "embeddings", "queries": "whole images", **name_vectors(responses)},
    )


def _score(
    query: Sample, level: Level, searched: Sequence[str], nearness: Vector | None, reason: str | None
) -> Score | None:
    """Average precision of one query at one level; None where the level has nothing to find."""
    positive, ignored = ({name for kind in kinds for name in query.relevance.get(kind, ())} for kinds in level)
    if not positive:
        return None
    if nearness is None:
        return Score(query.id, None, reason=reason or "no image could be searched", cluster=query.cluster)
    kept = np.array([name not in ignored for name in searched])
    right = np.array([name in positive for name in searched])
    return Score(query.id, average_precision(nearness[kept], right[kept], len(positive)), cluster=query.cluster)


def average_precision(cosines: ArrayLike, positive: ArrayLike, to_find: int) -> float:
    """Area under the precision-recall curve by trapezoids, as the protocol's own code has it.

    Args:
        cosines: Nearness of each image to the query; of images equally near, irrelevant ones come first.
        positive: Whether each is to be found.
        to_find: How many are to be found, those that could not be ranked included.
    """
    near, right = np.round(np.asarray(cosines, float), _DIGITS), np.asarray(positive, bool)
    places = np.flatnonzero(right[np.lexsort((right, -near))])
    order = np.arange(len(places))
    before = np.where(places == 0, 1.0, order / np.maximum(places, 1))
    return float(np.sum(before + (order + 1) / (places + 1)) / (2 * to_find))


TASK = Task(
    name="retrieval",
    title="Pictures of the same thing",
    sentence="images of the same thing found among many (UniSim-Bench)",
    modes={"embeddings": "embedding"},
    encoder_modes=("embeddings",),
    check=need("one image and nothing else", lambda one: len(one.images) == 1 and not (one.has_reference or one.texts)),
    options=frozenset({"mode"}),
    plan=plan,
    result="searches",
    metric="retrieval_map",
)
