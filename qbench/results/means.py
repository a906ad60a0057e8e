"""Scores -> shares and means with their intervals, of all scores and by group; and what a judge read of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from qbench.records import Estimate, Metrics, Presented, Score
from qbench.stats import bootstrap, intervals
from qbench.stats.correlation import Array
from qbench.stats.intervals import mean_of_parts
from qbench.tasks import Outcome

ReadT = TypeVar("ReadT", Score, Presented)
RESAMPLING_SEED = 20231
"""Seeds every interval, so that scoring the same file twice prints the same digits."""


def mean_of_all(parts: Mapping[str, Estimate | None]) -> Estimate:
    """`mean_of_parts` where every part has a value; else absent, and the note names those without.

    The interval takes the parts for independent.
    """
    found = {name: part for name, part in parts.items() if part is not None and part.value is not None}
    if not found or len(found) < len(parts):
        return Estimate(None, n=0, note=f"no value of {', '.join(name for name in parts if name not in found)}")
    return mean_of_parts(list(found.values()))


def summarise_accuracy(scores: Sequence[Score]) -> Estimate:
    """Share of items answered right; an item without a usable answer counts as not right."""
    return share(np.array([score.value or 0.0 for score in scores]), clusters_of(scores))


def share(right: Array, clusters: Sequence[str | int]) -> Estimate:
    """Mean of zeros and ones: Wilson's interval where all are independent, over clusters where not."""
    if len(set(clusters)) == len(right):
        return intervals.wilson(float(right.sum()), len(right))
    return intervals.clustered_mean(right, np.array(clusters))


def summarise_mean(scores: Sequence[Score]) -> Estimate:
    """Mean of what could be scored, resampled over images; absent where nothing could."""
    scored = [score for score in scores if score.value is not None]
    if not scored:
        return Estimate(None, n=0, note=next((score.reason for score in scores if score.reason), "no items"))
    values = np.array([score.value for score in scored], dtype=float)
    return resampled_mean(float(values.mean()), bootstrap.mean_kernel(values), clusters_of(scored), "image")


def resampled_mean(value: float, kernel: bootstrap.Kernel, clusters: Sequence[str], of: str) -> Estimate:
    """A mean with its interval from resamples of the clusters; of only one there is none."""
    units = len(set(clusters))
    if units < 2:
        return Estimate(value, n=units, note=f"one {of} has no spread to make an interval from")
    rng = np.random.default_rng(RESAMPLING_SEED)
    return bootstrap.percentile(value, bootstrap.bootstrap(kernel, len(clusters), rng, clusters=clusters), units)


def clusters_of(scores: Iterable[Score]) -> list[str]:
    """The cluster of each score, which is its sample where it has none."""
    return [score.sample if score.cluster is None else score.cluster for score in scores]


def accuracy_by_group(scores: Mapping[str, Sequence[Score]]) -> dict[str, dict[str, Metrics]]:
    """Every grouping that scores carry -> group -> metric -> accuracy of its scores."""
    found: dict[str, dict[str, dict[str, Estimate]]] = {}
    for metric, each in scores.items():
        for grouping in sorted({grouping for score in each for grouping in score.groups}):
            for group, members in sorted(by_group(each, grouping).items()):
                found.setdefault(grouping, {}).setdefault(group, {})[metric] = summarise_accuracy(members)
    return {grouping: dict(groups) for grouping, groups in found.items()}


def by_group(scores: Iterable[Score], grouping: str) -> dict[str, list[Score]]:
    """Group of a grouping -> its scores; those that are of none are left out."""
    groups: dict[str, list[Score]] = {}
    for score in scores:
        if grouping in score.groups:
            groups.setdefault(score.groups[grouping], []).append(score)
    return groups


def count_unscored(scores: Iterable[Score]) -> dict[str, int]:
    """Reason -> number of items without a score."""
    return dict(Counter(score.reason or "no value" for score in scores if score.value is None))


def told_apart(
    outcome: Outcome, read: Sequence[ReadT], summarise: Callable[[list[ReadT]], Metrics]
) -> tuple[dict[str, Any], dict[str, Mapping[str, Metrics]]]:
    """For the protocol how many replies a judge read that the parser left unread; for the groups the figures without.

    Nothing where no judge was asked.
    """
    if not outcome.judge_reads:
        return {}, {}
    compared = bool(read) and isinstance(read[0], Presented)
    nothing: dict[str, Any] = dict.fromkeys(("choice",) if compared else ("value", "chosen"))
    alone = [replace(each, **nothing) if each.by_judge else each for each in read]
    counted = {"replies": sum(each.by_judge for each in read), "of": len(read)}
    return {"read_by_judge": counted}, {"read_by": {"parser alone": summarise(alone)}}
