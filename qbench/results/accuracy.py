"""Answers that are right or wrong, and searches -> records.

Questions have accuracy, by group, and the bias towards Yes or No. Choices among alternatives have beside `accuracy`,
which is the protocol of UniSim-Bench's authors, `accuracy_balanced` where models are asked (over every order shown, so
that a habit of place gains nothing), `accuracy_joint` (right in every order) and `consistency` (the same alternative in
every order). Retrieval has the mean average precision of each level of the revisited protocol, and as `retrieval_map`
the mean of medium and hard, which is what the paper prints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench.records import Estimate, Items, Metrics, Result, Sample, Score
from qbench.results.items import items_of_mean, items_of_means, items_of_shares, kernel_of
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
    every = outcome.scores["accuracy"]
    scores = _known(every)
    if not scores:
        nothing = Estimate(None, n=0, note=_PRIVATE.format("split"))
        by_judge, _ = told_apart(outcome, every, lambda _read: {})
        return [replace(base, metrics={"accuracy": nothing}, protocol={**base.protocol, **by_judge})]
    metrics: Metrics = {name: summarise_accuracy(each) for name, each in {**outcome.scores, "accuracy": scores}.items()}
    by_judge, of_parser = told_apart(outcome, scores, lambda read: {"accuracy": summarise_accuracy(read)})
    yes_no, yes_no_items = summarise_yes_no(scores, outcome.options)
    result = replace(
        base,
        metrics={**metrics, **yes_no},
        items={"accuracy": items_of_shares(scores), **yes_no_items},
        groups={**accuracy_by_group({"accuracy": scores}), **of_parser},
        unscored=count_unscored(scores),
        protocol={**base.protocol, **by_judge, "unscored": "counted as not correct"},
    )
    return [result]


def summarise_yes_no(scores: Sequence[Score], options: Options) -> tuple[dict[str, Estimate], dict[str, Items]]:
    """Yes/no bias over answered questions whose two options are Yes and No, and what each adds to its accuracies."""
    right: dict[str, list[Score]] = {"yes_accuracy": [], "no_accuracy": []}
    for score in scores:
        words = [option.strip().casefold() for option in options.get(score.sample, ())]
        if score.chosen is not None and score.right is not None and set(words) == {"yes", "no"}:
            kind = "yes_accuracy" if words[score.right] == "yes" else "no_accuracy"
            right[kind].append(replace(score, value=float(words[score.chosen] == words[score.right])))
    items = items_of_means(right)
    if not items:
        return {}, {}
    on_yes, on_no = ([score.value or 0.0 for score in each] for each in right.values())
    metrics = bias.yes_no_bias(int(sum(on_yes)), len(on_yes), len(on_no) - int(sum(on_no)), len(on_no))
    return metrics, {**items, "debiased_accuracy": items_of_mean(items)} if len(items) == len(right) else items


def build_choices(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record; with answers in several orders also what they say together."""
    shown = outcome.scores.get("accuracy_balanced", outcome.scores["accuracy"])
    by_judge, _ = told_apart(outcome, shown, lambda _read: {})
    _, of_parser = told_apart(outcome, outcome.scores["accuracy"], lambda read: {"accuracy": _accuracy(read)})
    known = {name: _known(outcome.scores.get(name, ())) for name in _SHARES}
    ways = {
        grouping: {group: {"accuracy": _accuracy(members)} for group, members in each.items()}
        for grouping, each in outcome.variants.items()
    }
    result = replace(
        base,
        metrics=summarise_choices(outcome.scores),
        items={name: items_of_shares(each) for name, each in outcome.scores.items() if name in _SHARES},
        groups={**ways, **accuracy_by_group(known), **habits_of_more(outcome.scores.get("place", ())), **of_parser},
        unscored=count_unscored(_known(shown)),
        protocol={**base.protocol, **by_judge, "unscored": "counted as not correct"},
        status={**base.status, **({} if outcome.presentations is None else {"presented": outcome.presentations})},
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


def _known(scores: Iterable[Score]) -> list[Score]:
    return [score for score in scores if score.is_known]


def _accuracy(scores: Sequence[Score]) -> Estimate:
    known = _known(scores)
    return summarise_accuracy(known) if known else Estimate(None, n=0, note=_PRIVATE.format("list"))


def _places(places: Sequence[Score]) -> dict[int, list[Score]]:
    """Usable answers by how many alternatives they chose from, which is how often each sample was shown."""
    shown = Counter(score.sample for score in places)
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


def habits_of_more(places: Sequence[Score]) -> dict[str, dict[str, Metrics]]:
    """How often each place of three or more was chosen."""
    chosen: dict[str, Metrics] = {}
    for count, answers in sorted(_places(places).items()):
        for place in range(count if count > 2 else 0):
            there = np.array([float(answer.value == place) for answer in answers])
            chosen[f"{place + 1} of {count}"] = {"share": share(there, clusters_of(answers))}
    return {"place": chosen} if chosen else {}


def build_retrieval(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record: mean average precision of each level, and the mean of medium and hard."""
    metrics, items = summarise_retrieval(outcome.scores)
    return [replace(base, metrics=metrics, items=items, unscored=count_unscored(outcome.scores["embedded"]))]


def summarise_retrieval(scores: Scores) -> tuple[dict[str, Estimate], dict[str, Items]]:
    """Mean average precision of each level over its queries, and of medium and hard; and what each query adds."""
    levels = {metric: summarise_mean(scores[metric]) for metric in MAPS}
    items = items_of_means({metric: scores[metric] for metric in MAPS})
    if not set(_PRINTED) <= items.keys():
        note = "no query of the medium or of the hard level has a score"
        absent = Estimate(None, n=max(levels[metric].n or 0 for metric in _PRINTED), note=note)
        return {"retrieval_map": absent, **levels}, items
    both = items_of_mean({metric: items[metric] for metric in _PRINTED})  # of queries in common, resampled together
    value = sum(levels[metric].value or 0.0 for metric in _PRINTED) / len(_PRINTED)
    mean = resampled_mean(value, kernel_of(both), both.clusters, "query")
    return {"retrieval_map": mean, **levels}, {"retrieval_map": both, **items}
