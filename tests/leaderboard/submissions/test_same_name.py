"""Other results under the name of an upload's model: who is asked what, and who has to wait."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from leaderboard.store import Recorded, records_of
from leaderboard.store.submission import Entry
from leaderboard.submissions.same_name import find_taken, needs_review, read_answer
from qbench.errors import UserError
from qbench.models.catalogue import find_model
from qbench.records import Result, Source
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result

PAPER = records_of([result("qwen-vl", "koniq-10k")])


def handed_in(by: str | None, kind: Any = "self-reported") -> tuple[Recorded, ...]:
    made = replace(result("qwen-vl", "koniq-10k"), source=Source(kind))
    return records_of([made], Entry(submission(results=(made,), identity=by), "a" * 64, "accepted"))


def mine(kind: Any = "self-reported") -> list[Result]:
    return [replace(result("Qwen-VL (QwenLM)", "koniq-10k"), source=Source(kind))]


def test_a_name_is_taken_on_the_same_dataset_by_whatever_it_is_called() -> None:
    present = records_of([result("qwen-vl", "koniq-10k"), result("qwen-vl", "spaq"), result("other", "koniq-10k")])
    assert find_taken(present, mine(), find_model) == [present[0]]
    assert find_taken(present, [result("somebody-new", "koniq-10k")], find_model) == []
    assert find_taken(present, [replace(mine()[0], split="test")], find_model) == []


def test_what_is_not_answered_is_the_safe_answer_and_another_model_needs_another_name() -> None:
    for answer in ("reproduction", "correction"):
        assert read_answer(answer, PAPER, "") == answer
    assert read_answer("", PAPER, "") == "reproduction"
    assert read_answer("", PAPER, "a" * 64) == "correction"
    assert read_answer("reproduction", PAPER, "a" * 64) == "reproduction"
    with pytest.raises(UserError, match="'qwen-vl' is on the board already; give your model a name of its own"):
        read_answer("another model", PAPER, "")
    with pytest.raises(UserError, match="relation is 'x'; choose reproduction, correction or another model"):
        read_answer("x", (), "")


@pytest.mark.parametrize(
    ("relation", "taken", "kind", "waits"),
    [
        ("reproduction", PAPER, "rescored", False),  # is listed beside what the paper printed
        ("correction", PAPER, "rescored", True),
        ("reproduction", handed_in("ada"), "self-reported", False),  # her own
        ("correction", handed_in("ada"), "self-reported", False),
        ("reproduction", handed_in("bea"), "self-reported", True),  # would be shown in place of hers
        ("reproduction", handed_in("bea"), "rescored", True),
        ("reproduction", handed_in("bea", "rescored"), "self-reported", False),  # hers stays
        ("correction", handed_in("bea", "rescored"), "self-reported", True),
        ("reproduction", handed_in(None), "self-reported", True),
        ("", (), "self-reported", False),
    ],
)
def test_who_changes_what_others_gave_waits(relation: Any, taken: tuple[Recorded, ...], kind: str, waits: bool) -> None:
    assert needs_review(relation, taken, mine(kind), "ada") is waits
