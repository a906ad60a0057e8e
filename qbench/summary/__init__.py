"""Scores -> estimates: the one place where tasks meet statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from qbench.records import Estimate, Score
from qbench.stats import bias, bootstrap, intervals
from qbench.stats.correlation import Array

RESAMPLING_SEED = 20231
"""Seeds every interval, so that scoring the same file twice prints the same digits."""


def mean_of_parts(estimates: Sequence[Estimate]) -> Estimate:
    """Unweighted mean of independent estimates; its interval from theirs by MOVER (Zou & Donner 2008)."""
    if len(estimates) == 1:
        return estimates[0]
    value = np.array([estimate.value for estimate in estimates], dtype=float)
    mean, n, method = float(value.mean()), sum(estimate.n or 0 for estimate in estimates), estimates[0].method
    low, high = (np.array([getattr(estimate, end) for estimate in estimates], dtype=float) for end in ("low", "high"))
    if np.isnan([low, high]).any():
        return Estimate(mean, n=n, method=method, note="one part has no interval")
    down, up = (float(np.linalg.norm(value - end)) / len(value) for end in (low, high))
    return Estimate(mean, mean - down, mean + up, n=n, method=method)


def summarise_benchmark(tasks: Mapping[str, Mapping[str, Estimate | None]]) -> dict[str, Estimate]:
    """The mean over each task's datasets, and as `overall` the mean over the tasks (UniSim, Table 1).

    Where a dataset has no value its task has no mean, and there is none over all; the note names what is missing.
    Intervals take datasets for independent.
    """
    means = {task: mean_of_all(datasets) for task, datasets in tasks.items()}
    return {**means, "overall": mean_of_all(means)}


def mean_of_all(parts: Mapping[str, Estimate | None]) -> Estimate:
    found = {name: part for name, part in parts.items() if part is not None and part.value is not None}
    if not found or len(found) < len(parts):
        return Estimate(None, n=0, note=f"no value of {', '.join(name for name in parts if name not in found)}")
    return mean_of_parts(list(found.values()))


def summarise_accuracy(scores: Sequence[Score]) -> Estimate:
    """Share of items answered right; an item without a usable answer counts as not right.

    Wilson's interval where every item is its own cluster, a bootstrap over clusters where they share images.
    """
    right = np.array([score.value or 0.0 for score in scores])
    return share(right, [score.sample if score.cluster is None else score.cluster for score in scores])


def share(right: Array, clusters: Sequence[Hashable]) -> Estimate:
    """Mean of zeros and ones: Wilson's interval where all are independent, a bootstrap over clusters where not."""
    if len(set(clusters)) == len(right):
        return intervals.wilson(float(right.sum()), len(right))
    return intervals.clustered_mean(right, clusters, lowest=0.0, highest=1.0)


def summarise_mean(scores: Sequence[Score]) -> Estimate:
    """Mean of what could be scored, resampled over images; absent where nothing could."""
    scored = [score for score in scores if score.value is not None]
    if not scored:
        reason = next((score.reason for score in scores if score.reason), "no items")
        return Estimate(None, n=0, note=reason)
    values = np.array([score.value for score in scored], dtype=float)
    clusters = [score.cluster or score.sample for score in scored]
    units = len(set(clusters))
    if units < 2:
        return Estimate(float(values.mean()), n=units, note="one image has no spread to make an interval from")
    rng = np.random.default_rng(RESAMPLING_SEED)
    replicates = bootstrap.bootstrap(bootstrap.mean_kernel(values), len(values), rng, clusters=clusters)
    return bootstrap.percentile(float(values.mean()), replicates, units)


def add_scores(parts: Sequence[Sequence[Score]]) -> list[Score]:
    """The sum of several scores of each image; images that lack one of them are left out."""
    by_part = [{score.sample: score for score in scores if score.value is not None} for scores in parts]
    whole = set.intersection(*(set(scores) for scores in by_part)) if by_part else set()
    return [
        Score(name, sum(scores[name].value or 0.0 for scores in by_part), cluster=by_part[0][name].cluster)
        for name in sorted(whole)
    ]


def summarise_sum(sums: Sequence[Score]) -> Estimate:
    """Mean over images of what `add_scores` gives."""
    return summarise_mean(sums) if sums else Estimate(None, n=0, note="no image has all of its parts")


def accuracy_by_group(scores: Sequence[Score]) -> dict[str, dict[str, dict[str, Estimate]]]:
    """Accuracy in every group of every grouping the scores carry."""
    groupings = sorted({grouping for score in scores for grouping in score.groups})
    return {
        grouping: {
            group: {"accuracy": summarise_accuracy(members)}
            for group, members in sorted(by_group(scores, grouping).items())
        }
        for grouping in groupings
    }


def yes_no_answers(scores: Sequence[Score], options: Mapping[str, tuple[str, ...]]) -> list[tuple[Score, bool, bool]]:
    """Usable answers to questions whose two options are Yes and No: whether Yes is right, and whether it was said."""
    found: list[tuple[Score, bool, bool]] = []
    for score in scores:
        words = [option.strip().casefold() for option in options.get(score.sample, ())]
        if score.order is not None and score.truth is not None and set(words) == {"yes", "no"}:
            found.append((score, words[int(score.truth)] == "yes", words[int(score.order)] == "yes"))
    return found


def summarise_yes_no(scores: Sequence[Score], options: Mapping[str, tuple[str, ...]]) -> dict[str, Estimate]:
    """Yes/no bias over the questions whose two options are Yes and No; items without a usable answer are left out."""
    answers = yes_no_answers(scores, options)
    return bias.yes_no_bias([says for *_, says in answers], [yes for _, yes, _ in answers]) if answers else {}


def count_unscored(scores: Iterable[Score]) -> dict[str, int]:
    """Reason -> number of items without a score."""
    return dict(Counter(score.reason or "no value" for score in scores if score.value is None))


def by_group(scores: Iterable[Score], grouping: str) -> dict[str, list[Score]]:
    """Group of a grouping -> its scores; those that are of none are left out."""
    groups: dict[str, list[Score]] = {}
    for score in scores:
        if grouping in score.groups:
            groups.setdefault(score.groups[grouping], []).append(score)
    return groups
