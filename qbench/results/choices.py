"""Records of choices among alternatives, and of retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qbench import summary
from qbench.records import Result, Sample
from qbench.results.read_by_judge import count_read_by_judge, group_of_parser
from qbench.summary import similarity as similarity_summary
from qbench.summary.items import items_of_shares
from qbench.tasks import Outcome

_SHARES = ("accuracy", "accuracy_balanced")


def build(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record; with answers in several orders also what they say together."""
    shown = outcome.scores.get("accuracy_balanced", outcome.scores["accuracy"])
    result = replace(
        base,
        metrics=similarity_summary.summarise_choices(outcome.scores),
        items={name: items_of_shares(each) for name, each in outcome.scores.items() if name in _SHARES},
        groups={
            **similarity_summary.groups_of_choices(outcome.scores, outcome.variants),
            **group_of_parser(
                outcome,
                outcome.scores["accuracy"],
                lambda read: similarity_summary.summarise_choices({"accuracy": read}),
            ),
        },
        unscored=summary.count_unscored(score for score in shown if score.truth is not None),
        protocol={**base.protocol, **count_read_by_judge(outcome, shown), "unscored": "counted as not correct"},
        status={
            **base.status,
            **({} if outcome.presentations is None else {"presented": outcome.presentations}),
        },
    )
    return [result]


def build_retrieval(outcome: Outcome, base: Result, _samples: Sequence[Sample]) -> list[Result]:
    """One record: mean average precision of each level."""
    result = replace(
        base,
        metrics=similarity_summary.summarise_retrieval(outcome.scores),
        items=similarity_summary.items_of_retrieval(outcome.scores),
        unscored=summary.count_unscored(outcome.scores["embedded"]),
    )
    return [result]
