"""Records of multiple-choice questions: accuracy, by group, and the bias towards Yes or No."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qbench import summary
from qbench.records import Estimate, Result, Sample
from qbench.results.read_by_judge import count_read_by_judge, group_of_parser
from qbench.summary.items import items_of_shares, items_of_yes_no
from qbench.tasks import Outcome


def build(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record. Where no right answer is known it holds no figure and says why."""
    scores = [score for score in outcome.scores["accuracy"] if score.truth is not None]
    if not scores:
        note = "the answers of this split are not public; the replies are kept for whoever has them"
        return [replace(base, metrics={"accuracy": Estimate(None, n=0, note=note)})]
    others = {
        name: summary.summarise_accuracy(list(members))
        for name, members in outcome.scores.items()
        if name != "accuracy"
    }
    result = replace(
        base,
        metrics={
            "accuracy": summary.summarise_accuracy(scores),
            **others,
            **summary.summarise_yes_no(scores, outcome.options),
        },
        items={"accuracy": items_of_shares(scores), **items_of_yes_no(scores, outcome.options)},
        groups={
            **summary.accuracy_by_group(scores),
            **group_of_parser(outcome, scores, lambda read: {"accuracy": summary.summarise_accuracy(read)}),
        },
        unscored=summary.count_unscored(scores),
        protocol={**base.protocol, **count_read_by_judge(outcome, scores), "unscored": "counted as not correct"},
    )
    return [result]
