"""Scores of UniSim-Bench's tasks -> estimates.

Beside `accuracy`, which is the authors' protocol, models that are asked get `accuracy_balanced` (over every order
shown, so that a habit of place gains nothing), `accuracy_joint` (right in every order) and `consistency` (the same
alternative in every order). Retrieval has the mean average precision of each level of the revisited protocol, and as
`retrieval_map` the mean of medium and hard, which is what the paper prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench.records import Estimate, Items, Metrics, Score
from qbench.stats import bias, bootstrap
from qbench.stats.correlation import Array
from qbench.stats.products import product
from qbench.summary import RESAMPLING_SEED, accuracy_by_group, share, summarise_accuracy, summarise_mean
from qbench.summary.items import items_of_mean, items_of_means

MAPS = ("map_easy", "map_medium", "map_hard")
_PRINTED = ("map_medium", "map_hard")
_PRIVATE = "the answers of this list are not public; the replies are kept for whoever has them"


def summarise_choices(scores: Mapping[str, Sequence[Score]]) -> dict[str, Estimate]:
    """Accuracy; with answers in several orders also what they say together. What has no usable answer is not right."""
    if "accuracy_balanced" not in scores:
        return {"accuracy": _accuracy(scores["accuracy"])}
    of_sample: dict[str, list[Score]] = {}
    for score in scores["accuracy_balanced"]:
        of_sample.setdefault(score.sample, []).append(score)
    joint = [replace(scores[0], value=float(all(each.value == 1 for each in scores))) for scores in of_sample.values()]
    answered = [scores for scores in of_sample.values() if all(_is_answer(each) for each in scores)]
    same = [
        replace(scores[0], value=float(scores[0].order is not None and len({each.order for each in scores}) == 1))
        for scores in answered
    ]
    return {
        "accuracy": _accuracy(scores["accuracy"]),
        "accuracy_balanced": _accuracy(scores["accuracy_balanced"]),
        "accuracy_joint": _accuracy(joint),
        "consistency": summarise_accuracy(same) if same else Estimate(None, n=0, note="no usable answers"),
        **_habit_of_two(scores["place"]),
    }


def groups_of_choices(
    scores: Mapping[str, Sequence[Score]], variants: Mapping[str, Mapping[str, Sequence[Score]]]
) -> dict[str, dict[str, Metrics]]:
    """Accuracies by group, by approach, and how often each place of three or more was chosen."""
    groups: dict[str, dict[str, Metrics]] = {
        grouping: {group: {"accuracy": _accuracy(members)} for group, members in ways.items()}
        for grouping, ways in variants.items()
    }
    for metric in ("accuracy", "accuracy_balanced"):
        for grouping, members in accuracy_by_group(_known(scores.get(metric, ()))).items():
            for group, found in members.items():
                place = groups.setdefault(grouping, {})
                place[group] = {**place.get(group, {}), metric: found["accuracy"]}
    return groups | _habits_of_more(scores.get("place", ()))


def _known(scores: Sequence[Score]) -> list[Score]:
    return [score for score in scores if score.truth is not None]


def _accuracy(scores: Sequence[Score]) -> Estimate:
    known = _known(scores)
    return summarise_accuracy(known) if known else Estimate(None, n=0, note=_PRIVATE)


def _is_answer(score: Score) -> bool:
    """A tie is an answer, though it favours nothing."""
    return score.order is not None or score.reason == "tie"


def _places(places: Sequence[Score]) -> dict[int, list[Score]]:
    """Usable answers by how many alternatives they chose from, which is how often each sample was shown."""
    shown: dict[str, int] = {}
    for score in places:
        shown[score.sample] = shown.get(score.sample, 0) + 1
    by_count: dict[int, list[Score]] = {}
    for score in places:
        if score.value is not None or score.reason == "tie":
            by_count.setdefault(shown[score.sample], []).append(score)
    return by_count


def _habit_of_two(places: Sequence[Score]) -> dict[str, Estimate]:
    """How often the first and the second of two were chosen, and neither."""
    of_two = _places(places).get(2, [])
    if not of_two:
        return {}
    values = np.array([np.nan if score.value is None else score.value for score in of_two])
    return bias.position_bias(values == 0, values == 1, _clusters(of_two))


def _habits_of_more(places: Sequence[Score]) -> dict[str, dict[str, Metrics]]:
    chosen: dict[str, Metrics] = {}
    for count, answers in sorted(_places(places).items()):
        for place in range(count if count > 2 else 0):
            there = np.array([float(answer.value == place) for answer in answers])
            chosen[f"{place + 1} of {count}"] = {"share": share(there, _clusters(answers))}
    return {"place": chosen} if chosen else {}


def _clusters(scores: Sequence[Score]) -> list[str]:
    return [score.sample if score.cluster is None else score.cluster for score in scores]


def summarise_retrieval(scores: Mapping[str, Sequence[Score]]) -> dict[str, Estimate]:
    """Mean average precision of each level over its queries, and the mean of medium and hard."""
    levels = {metric: summarise_mean(scores[metric]) for metric in MAPS}
    return {"retrieval_map": _medium_and_hard(scores, levels), **levels}


def items_of_retrieval(scores: Mapping[str, Sequence[Score]]) -> dict[str, Items]:
    """What each query adds to the mean of a level, and to the mean of medium and hard."""
    levels = items_of_means({metric: scores[metric] for metric in MAPS})
    if not set(_PRINTED) <= levels.keys():
        return levels
    return {"retrieval_map": items_of_mean({metric: levels[metric] for metric in _PRINTED}), **levels}


def _medium_and_hard(scores: Mapping[str, Sequence[Score]], levels: Metrics) -> Estimate:
    """The mean of two means over overlapping queries, which are resampled together."""
    values = [levels[metric].value for metric in _PRINTED]
    found = {score.sample: score for metric in _PRINTED for score in scores[metric] if score.value is not None}
    queries = list(found.values())
    clusters = _clusters(queries)
    units = len(set(clusters))
    if values[0] is None or values[1] is None:
        return Estimate(None, n=units, note="no query of the medium or of the hard level has a score")
    value = (values[0] + values[1]) / 2
    if units < 2:
        return Estimate(value, n=units, note="one query has no spread to make an interval from")
    precision = [{score.sample: score.value for score in scores[metric]} for metric in _PRINTED]
    table = np.array([[of_level.get(query.sample) for of_level in precision] for query in queries], dtype=float)
    known, there = np.nan_to_num(table), np.isfinite(table).astype(float)

    def mean_of_means(counts: Array) -> Array:
        with np.errstate(invalid="ignore"):  # a resample without any query of a level has no mean
            means: Array = np.mean(product(counts, known) / product(counts, there), axis=1)
        return means

    replicates = bootstrap.bootstrap(
        mean_of_means, len(queries), np.random.default_rng(RESAMPLING_SEED), clusters=clusters
    )
    return bootstrap.percentile(value, replicates, units)
