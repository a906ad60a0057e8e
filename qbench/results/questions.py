"""Multiple-choice questions -> records: accuracy, by group, and the bias towards Yes or No."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from qbench.records import Estimate, Items, Metrics, Result, Sample, Score
from qbench.results.items import items_of_mean, items_of_means, items_of_shares
from qbench.results.means import accuracy_by_group, count_unscored, summarise_accuracy, told_apart
from qbench.stats import bias
from qbench.tasks import Outcome

Options = Mapping[str, tuple[str, ...]]
"""Sample -> its options."""
_PRIVATE = "the answers of this split are not public; the replies are kept for whoever has them"


def build(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record. Where no right answer is known it holds no figure and says why."""
    scores = [score for score in outcome.scores["accuracy"] if score.is_known]
    if not scores:
        return [replace(base, metrics={"accuracy": Estimate(None, n=0, note=_PRIVATE)})]
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
