"""Descriptions that a judge grades -> records: the mean of each dimension, and of their sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qbench.records import Estimate, Result, Sample, Score
from qbench.results.items import items_of_means
from qbench.results.means import count_unscored, summarise_mean
from qbench.tasks import Outcome
from qbench.tasks.description import DIMENSIONS


def build(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record; figures that nobody graded are absent with the reason."""
    metrics: dict[str, Estimate] = {name: Estimate(None, note=reason) for name, reason in outcome.absent.items()}
    metrics |= {name: summarise_mean(each) for name, each in outcome.scores.items()}
    scores = dict(outcome.scores)
    if all(name in scores for name in DIMENSIONS):
        scores["sum"] = add_scores([scores[name] for name in DIMENSIONS])
        nothing = Estimate(None, n=0, note="no image has all of its parts")
        metrics["sum"] = summarise_mean(scores["sum"]) if scores["sum"] else nothing
    groups = {
        name: {rating: {"share": summarise_mean(scores)} for rating, scores in members.items()}
        for name, members in outcome.variants.items()
    }
    # A description that is missing lacks a score in every dimension, and is one sample all the same.
    unscored = {
        (score.sample, score.reason): score for each in outcome.scores.values() for score in each if score.value is None
    }
    counts = count_unscored(unscored.values())
    return [replace(base, metrics=metrics, items=items_of_means(scores), groups=groups, unscored=counts)]


def add_scores(parts: Sequence[Sequence[Score]]) -> list[Score]:
    """The sum of several scores of each image; images that lack one of them are left out."""
    by_part = [{score.sample: score for score in scores if score.value is not None} for scores in parts]
    whole = set.intersection(*(set(scores) for scores in by_part))
    return [
        Score(name, sum(scores[name].value or 0.0 for scores in by_part), cluster=by_part[0][name].cluster)
        for name in sorted(whole)
    ]
