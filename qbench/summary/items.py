"""Scores -> what single items add to a metric, so that two models can be compared on the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench.records import Items, Score
from qbench.summary import yes_no_answers


def items_of_shares(scores: Iterable[Score]) -> Items:
    """What each sample adds to a share of right answers; the mean of its answers where it was asked in several orders.

    An answer that is not usable counts as not right, as in the share itself.
    """
    values: dict[str, list[float]] = {}
    clusters: dict[str, str] = {}
    for score in scores:
        if score.truth is not None:
            values.setdefault(score.sample, []).append(score.value or 0.0)
            clusters[score.sample] = score.sample if score.cluster is None else score.cluster
    return Items(
        "mean",
        tuple(values),
        tuple(float(np.mean(each)) for each in values.values()),
        clusters=_unless_own(values, clusters),
    )


def items_of_yes_no(scores: Sequence[Score], options: Mapping[str, tuple[str, ...]]) -> dict[str, Items]:
    """What each yes-or-no question adds to the accuracy where Yes is right, where No is, and to the mean of both."""
    right: dict[str, list[Score]] = {"yes_accuracy": [], "no_accuracy": []}
    for score, yes, says in yes_no_answers(scores, options):
        right["yes_accuracy" if yes else "no_accuracy"].append(replace(score, value=float(says == yes)))
    found = items_of_means(right)
    return {**found, "debiased_accuracy": items_of_mean(found)} if len(found) == len(right) else found


def items_of_quality(scores: Iterable[Score], part: str | None = None) -> dict[str, Items]:
    """What each rated image adds to SRCC, KRCC and PLCC, with the part it is of where these are averaged over parts."""
    rated = [score for score in scores if score.value is not None and score.truth is not None]
    common = Items(
        "plcc",
        tuple(score.sample for score in rated),
        tuple(float(score.value or 0.0) for score in rated),
        tuple(float(score.truth or 0.0) for score in rated),
        tuple(score.groups[part] for score in rated) if part else (),
    )
    orders = tuple(float(score.rank_value or 0.0) for score in rated)
    return {
        "srcc": replace(common, statistic="srcc", values=orders),
        "krcc": replace(common, statistic="krcc", values=orders),
        "plcc": common,
    }


def items_of_means(scores: Mapping[str, Iterable[Score]]) -> dict[str, Items]:
    """What each sample adds to the mean of what could be scored, metric by metric; a mean of nothing has none."""
    made: dict[str, Items] = {}
    for metric, each in scores.items():
        of_sample = {score.sample: score for score in each}
        values = {name: score.value for name, score in of_sample.items() if score.value is not None}
        # Of every sample, so that two models have clusters alike, whichever of their answers could be scored.
        clusters = {name: score.cluster or name for name, score in of_sample.items()}
        own = len(set(clusters.values())) == len(clusters)
        if values:
            named = () if own else tuple(clusters[name] for name in values)
            made[metric] = Items("mean", tuple(values), tuple(values.values()), clusters=named)
    return made


def items_of_mean(parts: Mapping[str, Items]) -> Items:
    """Items of several means over the same samples as those of the mean of these means."""
    own = tuple(name for items in parts.values() for name in items.clusters or items.names)
    return replace(_joined(parts), clusters=own)


def join_parts(parts: Mapping[str, Mapping[str, Items]]) -> dict[str, Items]:
    """Items of several sets as the parts of one; a metric that one of them lacks is left out."""
    shared = set.intersection(*(set(items) for items in parts.values())) if parts else set()
    return {metric: _joined({name: items[metric] for name, items in parts.items()}) for metric in sorted(shared)}


def _joined(parts: Mapping[str, Items]) -> Items:
    return Items(
        next(iter(parts.values())).statistic,
        tuple(f"{part}\n{name}" for part, items in parts.items() for name in items.names),
        tuple(value for items in parts.values() for value in items.values),
        tuple(value for items in parts.values() for value in items.truth),
        tuple(part for part, items in parts.items() for _ in items.names),
    )


def _unless_own(values: Mapping[str, object], clusters: Mapping[str, str]) -> tuple[str, ...]:
    """Clusters of the items; none where each is its own."""
    named = tuple(clusters[name] for name in values)
    return named if len(set(named)) < len(named) else ()
