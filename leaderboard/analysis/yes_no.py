"""Preferring Yes: accuracy on questions whose answer is Yes and on those whose answer is No.

Q-Bench (arXiv 2309.14181), Table 8; d' and criterion as in `qbench.stats.bias`, from the accuracies and the numbers of
questions that the records state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.boards.qbench import QUESTION_ACCURACY
from leaderboard.store import Recorded
from leaderboard.tables.cells import Cell, Row
from leaderboard.tables.columns import Address, Board, Column, ColumnChoice, Metric
from leaderboard.tables.models import FindModel, group_by_model
from leaderboard.tables.table import Table, build_table
from leaderboard.tables.words import listed, ordinal, percent
from qbench.models.catalogue import ModelFacts
from qbench.records import Source
from qbench.stats.bias import yes_no_bias

DPRIME = Metric(
    "dprime",
    "d′",
    "How well the model separates the two kinds of question, whatever its habit; 0 means not at all.",
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


QUESTION_SETS = (
    QuestionSet("llvisionqa", "dev+test", "Q-Bench Table 8 (both halves)", (None, None)),
    QuestionSet("llvisionqa-dev", "dev", "LLVisionQA, dev half", ("question_type", "yes-or-no")),
    QuestionSet("llvisionqa-test", "test", "LLVisionQA, test half", ("question_type", "yes-or-no")),
)


@dataclass(frozen=True)
class YesNoHabit:
    """One model's answers to the two kinds of question."""

    model: ModelFacts
    yes: Cell
    no: Cell
    mean: Cell
    overall: Cell | None
    dprime: Cell | None
    criterion: Cell | None
    rank: int | None
    """By accuracy on all the questions."""
    rank_of_mean: int


@dataclass(frozen=True)
class YesNoFinding:
    """All models on one set of questions, best mean first."""

    questions: QuestionSet
    habits: tuple[YesNoHabit, ...]
    finding: str
    remarks: tuple[str, ...]
    sources: tuple[Source, ...]


def find_yes_no(records: Iterable[Recorded], find_model: FindModel) -> list[YesNoFinding]:
    """One finding for each set of questions that anybody has results on."""
    with_both = [record for record in records if {"yes_accuracy", "no_accuracy"} <= record.result.metrics.keys()]
    asked = {(record.result.dataset, record.result.split) for record in with_both}
    models = group_by_model(with_both, find_model)
    found = (
        _finding(questions, build_table(models, _board(questions), ColumnChoice()))
        for questions in QUESTION_SETS
        if (questions.dataset, questions.split) in asked
    )
    return [finding for finding in found if finding is not None]


def _board(questions: QuestionSet) -> Board:
    place = ("perception", questions.dataset, questions.split)

    def column(key: str, label: str, address: Address, mean_of: tuple[str, ...] = ()) -> Column:
        return Column(key, label, (key,), QUESTION_ACCURACY, address, mean_of)

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
        method="Yes and No",
        primary="mean",
    )


def _finding(questions: QuestionSet, table: Table) -> YesNoFinding | None:
    habits = tuple(_habit(table, row) for name, row in table.ranked.items() if name in table.ranks["mean"])
    if not habits:
        return None
    return YesNoFinding(
        questions=questions,
        habits=habits,
        finding=_sentence(habits),
        remarks=_remarks(table, habits),
        sources=table.sources(habit.model.id for habit in habits),
    )


def _habit(table: Table, row: Row) -> YesNoHabit:
    yes, no, mean = (row.cells[key] for key in ("yes", "no", "mean"))  # no mean without both
    rank = table.ranks["overall"].get(row.model.id)
    detected = _detect(yes, no)
    return YesNoHabit(
        model=row.model,
        yes=yes,
        no=no,
        mean=Cell(mean.value, detected["mean"].low, detected["mean"].high) if detected else mean,
        overall=row.cells.get("overall"),
        dprime=detected.get("dprime"),
        criterion=detected.get("criterion"),
        rank=rank and rank.rank,
        rank_of_mean=table.ranks["mean"][row.model.id].rank,
    )


def _detect(yes: Cell, no: Cell) -> dict[str, Cell]:
    """d' and criterion from two accuracies and the number of questions behind each; empty where those are unknown."""
    if not yes.n or not no.n or not 0 <= min(yes.value, no.value) <= max(yes.value, no.value) <= 1:
        return {}
    estimates = yes_no_bias(round(yes.value * yes.n), yes.n, no.n - round(no.value * no.n), no.n)
    names = {"dprime": "dprime", "criterion": "criterion", "debiased_accuracy": "mean"}
    return {
        name: Cell(estimate.value, estimate.low, estimate.high, estimate.n)
        for key, name in names.items()
        if (estimate := estimates[key]).value is not None
    }


def _sentence(habits: tuple[YesNoHabit, ...]) -> str:
    leaning = [habit for habit in habits if habit.yes.value > habit.no.value]
    how_many = f"All {len(habits)}" if len(leaning) == len(habits) else f"{len(leaning)} of {len(habits)}"
    worst = max(habits, key=lambda habit: abs(habit.yes.value - habit.no.value))
    first = (
        f"{how_many} models do better on questions whose answer is Yes than on those whose answer is No. "
        f"{worst.model.name} is the most one-sided: {percent(worst.yes.value)} right where the answer is Yes, "
        f"{percent(worst.no.value)} where it is No; guessing gives {percent(GUESSING)} on both."
    )
    moved = [(habit.rank_of_mean - habit.rank, habit) for habit in habits if habit.rank is not None]
    if not any(move for move, _ in moved):
        return first
    _, habit = max(moved, key=lambda item: (abs(item[0]), item[1].model.name))
    places = ordinal(habit.rank or 0), ordinal(habit.rank_of_mean)
    return (
        f"{first} {habit.model.name} is {places[0]} by accuracy on all questions, and {places[1]} by the mean of Yes "
        "and No."
    )


def _remarks(table: Table, habits: tuple[YesNoHabit, ...]) -> tuple[str, ...]:
    counted = sorted({(habit.yes.n, habit.no.n) for habit in habits if habit.dprime and habit.yes.n and habit.no.n})
    remarks = [
        "We compute d′ and the criterion from the accuracies, with "
        + listed(f"{yes:,} questions whose answer is Yes and {no:,} whose answer is No" for yes, no in counted)
        + "."
    ] * bool(counted)
    ranked = sorted((habit for habit in habits if habit.dprime), key=lambda habit: -(habit.dprime or Cell(0)).value)
    if ranked and ranked[0] is not habits[0]:
        remarks.append(
            f"{ranked[0].model.name} has the highest d′ but not the highest mean, because it prefers one of the "
            "two answers too often."
        )
    without = [habit.model.name for habit in habits if not habit.dprime]
    if without:
        remarks.append(f"No d′ for {listed(without)}: the results do not say how many questions there were.")
    remarks += [
        f"{row.model.name}, {column.label.lower()}: {cell.note.text}"
        for row in table.rows.values()
        for column in table.columns
        if (cell := row.cells.get(column.key)) and cell.note and cell.note.kind == "flag"
    ]
    return tuple(remarks)
