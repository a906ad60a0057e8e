"""Answers that are right or wrong, and searches -> records.

Questions have accuracy, by group, and the bias towards Yes or No. Choices among alternatives have beside `accuracy`,
which is the protocol of UniSim-Bench's authors, `accuracy_balanced` where models are asked (over every order shown, so
that a habit of place gains nothing), `accuracy_joint` (right in every order) and `consistency` (the same alternative in
every order). Retrieval has the mean average precision of each level of the revisited protocol, and as `retrieval_map`
the mean of medium and hard, which is what the paper prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench.records import Estimate, Items, Metrics, Result, Sample, Score
from qbench.results.items import items_of_mean, items_of_means, items_of_shares
from qbench.results.means import (
    accuracy_by_group,
    clusters_of,
    count_unscored,
    resampled_mean,
    share,
    summarise_accuracy,
    summarise_mean,
    told_apart,
)
from qbench.stats import bias
from qbench.stats.correlation import Array
from qbench.tasks import Outcome

Scores = Mapping[str, Sequence[Score]]
"""Metric -> its scores, as a task leaves them behind."""
Options = Mapping[str, tuple[str, ...]]
"""Sample -> its options."""
MAPS = ("map_easy", "map_medium", "map_hard")
_SHARES = ("accuracy", "accuracy_balanced")
_PRINTED = ("map_medium", "map_hard")
_PRIVATE = "the answers of this {} are not public; the replies are kept for whoever has them"


def build_questions(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record. Where no right answer is known it holds no figure and says why."""
    scores = _known(outcome.scores["accuracy"])
    if not scores:
        return [replace(base, metrics={"accuracy": Estimate(None, n=0, note=_PRIVATE.format("split"))})]
    metrics: Metrics = {name: summarise_accuracy(each) for name, each in {**outcome.scores, "accuracy": scores}.items()}
    by_judge, of_parser = told_apart(outcome, scores, lambda read: {"accuracy": summarise_accuracy(read)})
    result = replace(
        base,
        metrics={**metrics, **summarise_yes_no(scores, outcome.options)},
        items={"accuracy": items_of_shares(scores), **items_of_yes_no(scores, outcome.options)},
        groups={**accuracy_by_group(scores), **of_parser},
        unscored=count_unscored(scores),
        protocol={**base.protocol, **by_judge, "unscored": "counted as not correct"},
    )
    return [result]


def summarise_yes_no(scores: Sequence[Score], options: Options) -> dict[str, Estimate]:
    """Yes/no bias over the questions whose two options are Yes and No; items without a usable answer are left out."""
    answers = _yes_no_answers(scores, options)
    return bias.yes_no_bias([says for *_, says in answers], [yes for _, yes, _ in answers]) if answers else {}


def items_of_yes_no(scores: Sequence[Score], options: Options) -> dict[str, Items]:
    """What each yes-or-no question adds to the accuracy where Yes is right, where No is, and to the mean of both."""
    right: dict[str, list[Score]] = {"yes_accuracy": [], "no_accuracy": []}
    for score, yes, says in _yes_no_answers(scores, options):
        right["yes_accuracy" if yes else "no_accuracy"].append(replace(score, value=float(says == yes)))
    found = items_of_means(right)
    return {**found, "debiased_accuracy": items_of_mean(found)} if len(found) == len(right) else found


def _yes_no_answers(scores: Sequence[Score], options: Options) -> list[tuple[Score, bool, bool]]:
    """Usable answers to questions whose two options are Yes and No: whether Yes is right, and whether it was said."""
    found: list[tuple[Score, bool, bool]] = []
    for score in scores:
        words = [option.strip().casefold() for option in options.get(score.sample, ())]
        if score.chosen is not None and score.right is not None and set(words) == {"yes", "no"}:
            found.append((score, words[score.right] == "yes", words[score.chosen] == "yes"))
    return found


def build_choices(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record; with answers in several orders also what they say together."""
    shown = outcome.scores.get("accuracy_balanced", outcome.scores["accuracy"])
    by_judge, _ = told_apart(outcome, shown, lambda _read: {})
    _, of_parser = told_apart(outcome, outcome.scores["accuracy"], lambda read: {"accuracy": _accuracy(read)})
    result = replace(
        base,
        metrics=summarise_choices(outcome.scores),
        items={name: items_of_shares(each) for name, each in outcome.scores.items() if name in _SHARES},
        groups={**groups_of_choices(outcome.scores, outcome.variants), **of_parser},
        unscored=count_unscored(_known(shown)),
        protocol={**base.protocol, **by_judge, "unscored": "counted as not correct"},
        status={
            **base.status,
            **({} if outcome.presentations is None else {"presented": outcome.presentations}),
        },
    )
    return [result]


def summarise_choices(scores: Scores) -> dict[str, Estimate]:
    """Accuracy; with answers in several orders also what they say together. What has no usable answer is not right."""
    if "accuracy_balanced" not in scores:
        return {"accuracy": _accuracy(scores["accuracy"])}
    of_sample: dict[str, list[Score]] = {}
    for score in scores["accuracy_balanced"]:
        of_sample.setdefault(score.sample, []).append(score)
    joint = [replace(each[0], value=float(all(score.value == 1 for score in each))) for each in of_sample.values()]
    same = [
        replace(each[0], value=float(each[0].chosen is not None and len({score.chosen for score in each}) == 1))
        for each in of_sample.values()
        if all(score.chosen is not None or score.reason == "tie" for score in each)  # a tie is an answer
    ]
    return {
        "accuracy": _accuracy(scores["accuracy"]),
        "accuracy_balanced": _accuracy(scores["accuracy_balanced"]),
        "accuracy_joint": _accuracy(joint),
        "consistency": summarise_accuracy(same) if same else Estimate(None, n=0, note="no usable answers"),
        **_habit_of_two(scores["place"]),
    }


def groups_of_choices(scores: Scores, variants: Mapping[str, Scores]) -> dict[str, dict[str, Metrics]]:
    """Accuracies by group, by approach, and how often each place of three or more was chosen."""
    groups: dict[str, dict[str, Metrics]] = {
        grouping: {group: {"accuracy": _accuracy(members)} for group, members in ways.items()}
        for grouping, ways in variants.items()
    }
    for metric in _SHARES:
        for grouping, members in accuracy_by_group(_known(scores.get(metric, ()))).items():
            place = groups.setdefault(grouping, {})
            for group, found in members.items():
                place[group] = {**place.get(group, {}), metric: found["accuracy"]}
    return groups | _habits_of_more(scores.get("place", ()))


def _known(scores: Iterable[Score]) -> list[Score]:
    return [score for score in scores if score.is_known]


def _accuracy(scores: Sequence[Score]) -> Estimate:
    known = _known(scores)
    return summarise_accuracy(known) if known else Estimate(None, n=0, note=_PRIVATE.format("list"))


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
    return bias.position_bias(values == 0, values == 1, clusters_of(of_two))


def _habits_of_more(places: Sequence[Score]) -> dict[str, dict[str, Metrics]]:
    chosen: dict[str, Metrics] = {}
    for count, answers in sorted(_places(places).items()):
        for place in range(count if count > 2 else 0):
            there = np.array([float(answer.value == place) for answer in answers])
            chosen[f"{place + 1} of {count}"] = {"share": share(there, clusters_of(answers))}
    return {"place": chosen} if chosen else {}


def build_retrieval(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record: mean average precision of each level."""
    metrics, items = summarise_retrieval(outcome.scores), items_of_retrieval(outcome.scores)
    return [replace(base, metrics=metrics, items=items, unscored=count_unscored(outcome.scores["embedded"]))]


def summarise_retrieval(scores: Scores) -> dict[str, Estimate]:
    """Mean average precision of each level over its queries, and the mean of medium and hard."""
    levels = {metric: summarise_mean(scores[metric]) for metric in MAPS}
    return {"retrieval_map": _medium_and_hard(scores, levels), **levels}


def items_of_retrieval(scores: Scores) -> dict[str, Items]:
    """What each query adds to the mean of a level, and to the mean of medium and hard."""
    levels = items_of_means({metric: scores[metric] for metric in MAPS})
    if not set(_PRINTED) <= levels.keys():
        return levels
    return {"retrieval_map": items_of_mean({metric: levels[metric] for metric in _PRINTED}), **levels}


def _medium_and_hard(scores: Scores, levels: Metrics) -> Estimate:
    """The mean of two means over overlapping queries, which are resampled together."""
    values = [levels[metric].value for metric in _PRINTED]
    found = {score.sample: score for metric in _PRINTED for score in scores[metric] if score.value is not None}
    clusters = clusters_of(found.values())
    if values[0] is None or values[1] is None:
        note = "no query of the medium or of the hard level has a score"
        return Estimate(None, n=len(set(clusters)), note=note)
    precision = [{score.sample: score.value for score in scores[metric]} for metric in _PRINTED]
    table = np.array([[of_level.get(query) for of_level in precision] for query in found], dtype=float)
    known, there = np.nan_to_num(table), np.isfinite(table).astype(float)

    def mean_of_means(counts: Array) -> Array:
        with np.errstate(invalid="ignore"):  # a resample without any query of a level has no mean
            means: Array = np.mean((counts @ known) / (counts @ there), axis=1)
        return means

    return resampled_mean((values[0] + values[1]) / 2, mean_of_means, clusters, "query")
