"""Preferring Yes: accuracy on questions whose answer is Yes and on those whose answer is No.

Q-Bench (arXiv 2309.14181), Table 8; d' and criterion as in `qbench.stats.bias`, from the accuracies and the numbers of
questions that the records state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.boards.questions import QUESTION_ACCURACY
from leaderboard.store import Recorded
from leaderboard.tables.cells import Cell, Row
from leaderboard.tables.columns import Address, Board, Column, ColumnChoice, Metric
from leaderboard.tables.models import FindModel, group_by_model
from leaderboard.tables.table import Table, build_table
from leaderboard.tables.terms import TERMS
from qbench.models.catalogue import ModelFacts
from qbench.stats.bias import yes_no_bias

DPRIME = Metric("dprime", "d′", TERMS["d′"], decimals=2)
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
    table: Table


def find_yes_no(records: Iterable[Recorded], find_model: FindModel) -> list[YesNoFinding]:
    """One finding for each set of questions that anybody has results on."""
    with_both = [record for record in records if {"yes_accuracy", "no_accuracy"} <= record.result.metrics.keys()]
    asked = {(record.result.dataset, record.result.split) for record in with_both}
    models = group_by_model(with_both, find_model)
    found = []
    for questions in QUESTION_SETS:
        if (questions.dataset, questions.split) in asked:
            table = build_table(models, _board(questions), ColumnChoice())
            habits = tuple(_habit(table, row) for name, row in table.ranked.items() if name in table.ranks["mean"])
            found += [YesNoFinding(questions, habits, table)] if habits else []
    return found


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
