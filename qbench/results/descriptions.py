"""Records of descriptions: the judge's mean ratings, their sum, and how often each rating was given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qbench import summary
from qbench.records import Estimate, Result, Sample
from qbench.summary.items import items_of_means
from qbench.tasks import Outcome
from qbench.tasks.description import DIMENSIONS


def build(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record; figures that nobody graded are absent with the reason."""
    metrics: dict[str, Estimate] = {name: Estimate(None, note=reason) for name, reason in outcome.absent.items()}
    metrics |= {name: summary.summarise_mean(each) for name, each in outcome.scores.items()}
    scores = dict(outcome.scores)
    if all(name in scores for name in DIMENSIONS):
        scores["sum"] = summary.add_scores([scores[name] for name in DIMENSIONS])
        metrics["sum"] = summary.summarise_sum(scores["sum"])
    groups = {
        name: {rating: {"share": summary.summarise_mean(scores)} for rating, scores in members.items()}
        for name, members in outcome.variants.items()
    }
    # A description that is missing lacks a score in every dimension, and is one sample all the same.
    unscored = {
        (score.sample, score.reason): score
        for scores in outcome.scores.values()
        for score in scores
        if score.value is None
    }
    result = replace(
        base,
        metrics=metrics,
        items=items_of_means(scores),
        groups=groups,
        unscored=summary.count_unscored(unscored.values()),
    )
    return [result]
