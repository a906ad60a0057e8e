"""From a report and a form to the store: who is believed, and who waits."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from leaderboard.boards import all_boards
from leaderboard.snapshot import Snapshot
from leaderboard.store import Recorded, records_of
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry
from leaderboard.submissions import form
from leaderboard.submissions.check import check
from leaderboard.submissions.form import FormError, SubmissionForm, other_scripts, read_form, store_submission
from leaderboard.submissions.report import Report
from leaderboard.submissions.same_name import find_taken, needs_review, read_answer
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions
from leaderboard.tables.columns import EVERYTHING
from leaderboard.tables.models import model_finder
from qbench.datasets import data_root
from qbench.errors import UserError
from qbench.models.catalogue import find_model
from qbench.records import Result, Source
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result

EXAMPLE = Path(__file__).resolve().parents[3] / "assets" / "examples" / "result.json"
NOON = datetime(2026, 5, 31, 12, tzinfo=timezone.utc)
FORM = SubmissionForm(
    "my-model", "Lab", "https://example.org", "7B", "open", "as printed", "KonIQ-10k, SPAQ", "ada@example.org"
)


def report() -> Report:
    return check(EXAMPLE, "my-model", ScoringOptions(AnswerKeys(Path("/nonexistent"))))


def test_all_that_is_wrong_is_said_at_once_under_the_names_on_the_page() -> None:
    expected = {
        "model": "Model is empty",
        "organisation": "remove its control characters",
        "link": "Link is 'javascript:alert(1)'",
        "parameters": "write billions, such as 7",
        "weights": "choose open or closed",
        "prompts": "4001 characters",
        "contact": "201 characters",
    }
    wrong = SubmissionForm(" ", "a\x00", "javascript:alert(1)", "lots", "perhaps", "x" * 4001, contact="x" * 201)
    with pytest.raises(FormError) as caught:
        read_form(wrong)
    said = caught.value.by_field
    assert list(said) == list(expected)
    for name, problem in said.items():
        assert problem.lower().startswith(name) and expected[name] in problem
    with pytest.raises(UserError, match="write billions"):
        read_form(replace(FORM, parameters="1e9"))


@pytest.mark.parametrize("unseen", ["\u200b", "\u3164", "\u2063", "\u034f", "\u061c", "\ufe0f", "\U000e0041"])
def test_names_that_look_the_same_are_the_same(unseen: str) -> None:
    assert read_form(replace(FORM, model=f" Foo{unseen}Net")).model == "FooNet"


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("GP\u03a4-4V", ["Greek"]),
        ("F\u043e\u043eNet", ["Cyrillic"]),
        ("\u13c0\u13e2\u13a2-4\u13d9", ["Cherokee"]),
        ("\u901a\u7528-VL", ["Cjk"]),
        ("Mod\u00e8le-7B", []),
        ("\uff27\uff30\uff34-4V", []),  # wide letters, which nobody takes for others
    ],
)
def test_a_name_with_letters_that_are_not_latin_waits_for_the_owner(
    tmp_path: Path, name: str, scripts: list[str]
) -> None:
    assert other_scripts(name) == scripts
    rescored = check(EXAMPLE.parent / "run.zip", "my-model", ScoringOptions(AnswerKeys(data_root())))
    made = store_submission(Store(tmp_path), rescored, replace(FORM, model=name), "ada", clock=lambda: NOON)
    assert made.entry.status == ("pending" if scripts else "accepted")


def test_on_ones_own_machine_it_is_on_the_board_with_what_its_author_said(tmp_path: Path) -> None:
    store = Store(tmp_path)
    receipt = store_submission(store, report(), FORM, "ada", trusted=True, clock=lambda: NOON)
    [result] = store.load().results
    assert receipt.entry.status == "accepted"
    assert (result.source.by, result.source.at, result.source.url) == ("ada", "2026-05-31", "https://example.org")
    assert "ada@example.org" not in json.dumps(receipt.entry.submission.to_json())
    named = model_finder(find_model, store.load().entries)
    made = named("my-model")
    assert made is not None
    assert (made.name, made.organisation, made.parameters, made.open) == ("my-model", "Lab", 7.0, True)
    kept = receipt.entry.submission.metadata
    said = ["my-model", "Lab", "https://example.org", "7", "open", "as printed", "KonIQ-10k, SPAQ", ""]
    assert (form.form_values(kept), form.form_values(replace(kept, open=False))[4]) == (said, "closed")
    assert named("Qwen-VL") == find_model("Qwen-VL")
    assert named("somebody-elses") is None
    assert "trained_on" not in result.protocol  # of other datasets
    store = Store(tmp_path / "other")
    trained = replace(FORM, trained_on=f"my own photos, {result.dataset.upper()}")
    store_submission(store, report(), trained, "ada", trusted=True)
    assert [result.protocol.get("trained_on") for result in store.load().results] == [True]


def test_figures_that_nobody_scored_again_wait_though_their_author_is_known(tmp_path: Path) -> None:
    """Or a log-in would be enough for a made-up figure at the top."""
    store = Store(tmp_path)
    receipt = store_submission(store, report(), FORM, "ada")
    assert (receipt.entry.status, store.load().results) == ("pending", ())
    [claimed] = report().results
    scored = replace(report(), results=(replace(claimed, source=replace(claimed.source, kind="rescored")),))
    assert store_submission(store, scored, FORM, "ada").entry.status == "accepted"


@pytest.mark.parametrize("path", sorted(EXAMPLE.parent.iterdir()), ids=lambda path: path.name)
def test_every_example_that_is_handed_in_is_seen_on_a_board(tmp_path: Path, path: Path) -> None:
    """As a row, or, since most examples are a part of their dataset, under the table."""
    store, report = Store(tmp_path), check(path, "my-model", ScoringOptions(AnswerKeys(tmp_path / "none")))
    kinds = {result.source.kind for result in report.results}
    assert kinds == ({"rescored"} if path.name == "run.zip" else {"self-reported"})  # demo sets are on every server
    store_submission(store, report, FORM, "ada", trusted=True)
    loaded = store.load()
    seen = Snapshot(loaded, all_boards(), model_finder(find_model, loaded.entries))
    tables = [seen.table(board.key, EVERYTHING) for board in seen.boards]
    rows = [table.rows["my-model"].origins for table in tables if "my-model" in table.ranked]
    partial = [row for board in seen.boards for row in seen.unranked(board.key).partial]
    assert rows or partial
    assert {row.model for row in partial} <= {"my-model"}
    assert all(origin.record in loaded.records and origin.record.entry for origins in rows for origin in origins)


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
