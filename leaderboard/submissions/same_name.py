"""Figures that the boards have already under the name of an upload's model: they are said, and what the upload is to
them is asked.

Results of the same model measured again are a reproduction; a correction says that figures on the board are wrong;
those of another model need another name. Published figures stand whatever the answer is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from leaderboard.store import Recorded
from leaderboard.store.submission import Relation, may_change
from leaderboard.tables.cells import PRECEDENCE
from leaderboard.tables.columns import Board, Column
from leaderboard.tables.models import FindModel
from leaderboard.tables.table import Table
from qbench.errors import UserError
from qbench.records import Result
from qbench.rows import shorten

Answer = Literal["reproduction", "correction", "another model"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)


@dataclass(frozen=True)
class SameName:
    """A column in which the board has a figure under this name already."""

    board: Board
    column: Column
    on_board: float
    record: Recorded
    """Where the figure on the board comes from."""
    yours: float
    stays: bool
    """Whether the board goes on showing its own."""

    def to_json(self) -> dict[str, Any]:
        """For scripts."""
        source, entry = self.record.result.source, self.record.entry
        return {
            "column": self.column.key,
            "on_board": self.on_board,
            "yours": self.yours,
            "stays": self.stays,
            "kind": source.kind,
            "reference": source.cited,
            "by": entry.submission.identity if entry else source.by,
        }


def compare_same_name(before: Table, after: Table, model: str, added: Sequence[Recorded]) -> tuple[SameName, ...]:
    """The columns in which both the board and the added records have a figure of a model, in the board's order."""
    if model not in before.ranked:
        return ()
    on_board, row = before.ranked[model].cells, after.rows[model]
    yours: dict[str, tuple[float, bool]] = {}
    for origin in row.origins:
        if origin.record in added:
            yours |= {key: (row.cells[key].value, False) for key in origin.shown}
            yours |= {key: (value, True) for key, value in origin.passed_over.items()}
    return tuple(
        SameName(before.board, column, cell.value, cell.record, *yours[column.key])
        for column in before.columns
        if (cell := on_board.get(column.key)) and cell.record and column.key in yours
    )


def find_taken(present: Iterable[Recorded], added: Iterable[Result], find_model: FindModel) -> list[Recorded]:
    """Records on the same datasets, under a name that means the same model."""

    def place(result: Result) -> tuple[str, str, str | None, str]:
        facts = find_model(result.model)
        return result.task, result.dataset, result.split, facts.id if facts else result.model

    places = {place(result) for result in added}
    datasets = {result.dataset for result in added}
    return [record for record in present if record.result.dataset in datasets and place(record.result) in places]


def read_answer(answer: str, taken: Sequence[Recorded], corrects: str) -> Relation:
    """What a submission says about the figures that are there; empty where there are none.

    Args:
        answer: What its author chose; empty is the safe choice, a reproduction.
        taken: Records under the same name.
        corrects: Digest of the submission that it corrects, if any.

    Raises:
        UserError: No such answer, or another model under a name that is taken.
    """
    if answer not in ("", *ANSWERS):
        raise UserError(f"relation is {shorten(answer)}; choose {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}")
    if not taken:
        return ""
    if answer == "another model":
        name = taken[0].result.model
        raise UserError(f"{shorten(name)} is on the board already; give your model a name of its own")
    if answer == "correction" or (not answer and corrects):
        return "correction"
    return "reproduction"


def needs_review(relation: Relation, taken: Sequence[Recorded], added: Iterable[Result], identity: str | None) -> bool:
    """Whether the owner of the board decides first: a correction of figures that are not the author's own, or results
    that would be shown in place of what somebody else handed in."""
    others = [record for record in taken if record.entry is None or not may_change(record.entry, identity)]
    if relation == "correction":
        return bool(others)
    newest = min(PRECEDENCE.index(result.source.kind) for result in added)
    return any(record.entry and newest <= PRECEDENCE.index(record.result.source.kind) for record in others)
