"""Preferring Yes: accuracy on questions whose answer is Yes and on those whose answer is No.

Q-Bench (arXiv 2309.14181), Table 8; d' and criterion as in `qbench.stats.bias`, from the accuracies and the numbers of
questions that the records state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leaderboard.boards.qbench import ACCURACY
from leaderboard.cells import FindModel
from leaderboard.columns import Address, Board, Choice, Column, Metric, MetricView, Part
from leaderboard.differences import Figure
from leaderboard.table import Table, build_table
from leaderboard.words import count, listed, ordinal, percent
from qbench.models.catalogue import ModelFacts
from qbench.records import Result, Source
from qbench.stats.bias import yes_no_counted

DPRIME = Metric(
    "dprime",
    "d′",
    "How well the model tells the two kinds of question apart, whatever its habit; 0 is not at all.",
    decimals=2,
)
CRITERION = Metric(
    "criterion",
    "Criterion",
    "The habit: below zero the model leans to Yes, above zero to No.",
    decimals=2,
    direction="neither",
)
GUESSING = 0.5


@dataclass(frozen=True)
class QuestionSet:
    """Yes/no questions that models were asked."""

    dataset: str
    split: str
    label: str
    overall: tuple[str | None, str | None]
    """Group that holds the accuracy on all of them."""


SETS = (
    QuestionSet("llvisionqa", "dev+test", "Q-Bench Table 8 (both halves)", (None, None)),
    QuestionSet("llvisionqa-dev", "dev", "LLVisionQA, dev half", ("question_type", "yes-or-no")),
    QuestionSet("llvisionqa-test", "test", "LLVisionQA, test half", ("question_type", "yes-or-no")),
)


@dataclass(frozen=True)
class Habit:
    """One model's answers to the two kinds of question."""

    model: ModelFacts
    yes: Figure
    no: Figure
    mean: Figure
    overall: Figure | None
    dprime: Figure | None
    criterion: Figure | None
    rank: int | None
    """By accuracy on all the questions."""
    rank_of_mean: int


@dataclass(frozen=True)
class YesNo:
    """All models on one set of questions, best mean first."""

    questions: QuestionSet
    habits: tuple[Habit, ...]
    finding: str
    remarks: tuple[str, ...]
    sources: tuple[Source, ...]


def yes_no(results: Iterable[Result], find_model: FindModel) -> list[YesNo]:
    """One finding for each set of questions that anybody has results on."""
    told_apart = [result for result in results if {"yes_accuracy", "no_accuracy"} <= result.metrics.keys()]
    asked = {(result.dataset, result.split) for result in told_apart}
    found = (
        _finding(one, build_table(told_apart, _board(one), Choice(), find_model))
        for one in SETS
        if (one.dataset, one.split) in asked
    )
    return [one for one in found if one is not None]


def _board(questions: QuestionSet) -> Board:
    place = ("perception", questions.dataset, questions.split)

    def column(key: str, label: str, address: Address, mean_of: tuple[str, ...] = ()) -> Column:
        return Column(key, label, (key,), ACCURACY, address, mean_of)

    columns = (
        column("mean", "Mean of both", Address(*place, "debiased_accuracy"), ("yes", "no")),
        column("overall", "All questions", Address(*place, "accuracy", *questions.overall)),
        column("yes", "Answer Yes", Address(*place, "yes_accuracy")),
        column("no", "Answer No", Address(*place, "no_accuracy")),
    )
    return Board(
        key="yes-no",
        title="Yes and No",
        sentence=questions.label,
        columns=columns,
        parts=tuple(Part(one.key, one.label) for one in columns),
        views=(MetricView("all", "All", (ACCURACY.key,)),),
        method="Yes and No",
        primary="mean",
    )


def _finding(questions: QuestionSet, table: Table) -> YesNo | None:
    habits = tuple(_habit(table, str(name)) for name in table.ranks["mean"].rank.dropna().sort_values().index)
    if not habits:
        return None
    return YesNo(
        questions=questions,
        habits=habits,
        finding=_sentence(habits),
        remarks=_remarks(table, habits),
        sources=tuple(origin.result.source for one in habits for origin in table.origins[one.model.id] if origin.shown),
    )


def _habit(table: Table, name: str) -> Habit:
    frames = table.ranked

    def figure(key: str) -> Figure | None:
        value, low, high, n = (
            None if np.isnan(one) else float(one)
            for one in (frame[key].to_dict()[name] for frame in (frames.value, frames.low, frames.high, frames.count))
        )
        return None if value is None else Figure(value, low, high, None if n is None else int(n))

    def rank(key: str) -> int | None:
        return table.ranks[key].rank.to_dict().get(name) if figure(key) else None

    yes, no, mean = figure("yes"), figure("no"), figure("mean")
    assert yes is not None and no is not None and mean is not None  # no mean without both
    detected = _detect(yes, no)
    return Habit(
        model=table.models[name],
        yes=yes,
        no=no,
        mean=Figure(mean.value, detected["mean"].low, detected["mean"].high) if detected else mean,
        overall=figure("overall"),
        dprime=detected.get("dprime"),
        criterion=detected.get("criterion"),
        rank=rank("overall"),
        rank_of_mean=rank("mean") or 0,
    )


def _detect(yes: Figure, no: Figure) -> dict[str, Figure]:
    """d' and criterion from two accuracies and the number of questions behind each; empty where those are unknown."""
    if not yes.n or not no.n or not 0 <= min(yes.value, no.value) <= max(yes.value, no.value) <= 1:
        return {}
    estimates = yes_no_counted(round(yes.value * yes.n), yes.n, no.n - round(no.value * no.n), no.n)
    names = {"dprime": "dprime", "criterion": "criterion", "debiased_accuracy": "mean"}
    return {
        name: Figure(one.value, one.low, one.high, one.n)
        for key, name in names.items()
        if (one := estimates[key]).value is not None
    }


def _sentence(habits: tuple[Habit, ...]) -> str:
    leaning = [one for one in habits if one.yes.value > one.no.value]
    how_many = f"All {len(habits)}" if len(leaning) == len(habits) else f"{len(leaning)} of {len(habits)}"
    worst = max(habits, key=lambda one: abs(one.yes.value - one.no.value))
    first = (
        f"{how_many} models do better on questions whose answer is Yes than on those whose answer is No. "
        f"{worst.model.name} is the most one-sided: {percent(worst.yes.value)} right where the answer is Yes, "
        f"{percent(worst.no.value)} where it is No; guessing gives {percent(GUESSING)} on both."
    )
    moved = [(one.rank_of_mean - one.rank, one) for one in habits if one.rank is not None]
    if not any(move for move, _ in moved):
        return first
    move, one = max(moved, key=lambda item: (abs(item[0]), item[1].model.name))
    verb = "falls" if move > 0 else "rises"
    return f"{first} Ranked by the mean of both, {one.model.name} {verb} from {_places(one)}."


def _places(one: Habit) -> str:
    return f"{ordinal(one.rank or 0)} to {ordinal(one.rank_of_mean)} place"


def _remarks(table: Table, habits: tuple[Habit, ...]) -> tuple[str, ...]:
    counted = sorted({(one.yes.n, one.no.n) for one in habits if one.dprime and one.yes.n and one.no.n})
    remarks = [
        "d′ and the criterion are computed from the accuracies, taking "
        + listed(f"{yes:,} questions answered Yes and {no:,} answered No" for yes, no in counted)
        + ", the numbers given with the results."
    ] * bool(counted)
    ranked = sorted((one for one in habits if one.dprime), key=lambda one: -(one.dprime or Figure(0)).value)
    if ranked and ranked[0] is not habits[0]:
        remarks.append(
            f"{ranked[0].model.name} has the highest d′, though not the highest mean: it tells the two kinds of "
            "question apart as well as any other model, but its habit costs it right answers."
        )
    without = [one.model.name for one in habits if not one.dprime]
    if without:
        remarks.append(f"No d′ for {listed(without)}: the results do not say how many questions there were.")
    labels = {column.key: column.label for column in table.columns}
    remarks += [
        f"{table.models[name].name}, {labels[key].lower()}: {note.text}"
        for (name, key), note in table.notes.items()
        if name in table.models and note.kind == "flag"
    ]
    return tuple(remarks)


def describe(finding: YesNo) -> str:
    """The chart in words."""
    shown = (
        f"{one.model.name}: {percent(one.yes.value, 2)} on Yes, {percent(one.no.value, 2)} on No"
        for one in finding.habits
    )
    return f"{count(len(finding.habits), 'model')}, best mean first. {'; '.join(shown)}."
