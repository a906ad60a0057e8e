"""An upload is scored once and shown where it would stand; what its author does with it later, and others do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.boards import all_boards
from leaderboard.snapshot import Snapshot
from leaderboard.store.local import Store
from leaderboard.submissions.form import SubmissionForm
from leaderboard.submissions.preview import Placing, find_placings
from leaderboard.submissions.receipts import digest_code, state_of, view_of
from leaderboard.submissions.report import Report
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions, score_upload
from leaderboard.submissions.service import SubmissionService, receipt_json
from leaderboard.tables.columns import Address, Column, Metric, MetricView, Part
from qbench.errors import UserError
from qbench.models.catalogue import find_model
from qbench.records import Estimate, Result, Source
from tests.leaderboard.handed_in import decide
from tests.leaderboard.made import board, snapshot
from tests.leaderboard.published import published
from tests.leaderboard.submissions.test_check import EXAMPLES

SCORES = EXAMPLES / "scores.koniq.csv"


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were scored, once for each time."""
    files: list[Path] = []

    def count(file: Path, options: ScoringOptions) -> Report:
        files.append(file)
        return score_upload(file, options)

    monkeypatch.setattr("leaderboard.submissions.check.score_apart", count)
    return files


@pytest.fixture
def submissions(tmp_path: Path) -> SubmissionService:
    store = Store(tmp_path / "store")
    keys = AnswerKeys(tmp_path / "keys")
    return SubmissionService(store, keys, lambda: Snapshot(store.load(), all_boards(), find_model), author="ada")


def test_a_file_is_scored_once_from_the_first_look_to_the_store(
    submissions: SubmissionService, scored: list[Path]
) -> None:
    looked = submissions.check(SCORES, "", "")
    named = submissions.check(SCORES, "", "my-model")
    receipt = submissions.submit(SCORES, "", SubmissionForm("my-model"), None)
    assert scored == [SCORES]
    [stored] = receipt.entry.submission.results
    assert (looked.report.results[0].model, stored.model) == ("your-model", "my-model")
    for report in (looked.report, named.report):
        assert report.results[0].metrics == stored.metrics


def test_a_wrong_form_is_told_before_anything_is_scored(submissions: SubmissionService, scored: list[Path]) -> None:
    with pytest.raises(UserError, match="write billions"):
        submissions.submit(SCORES, "", SubmissionForm("my-model", parameters="lots"), None)
    assert scored == []


def test_figures_under_a_name_that_the_board_has_are_told_beside_its_own(tmp_path: Path) -> None:
    """Qwen-VL on LLVisionQA dev: the paper printed 59.40 %, the file reports 61.271 %."""
    made = SubmissionService(Store(tmp_path / "store"), AnswerKeys(tmp_path / "keys"), published, author="ada")
    checked = made.check(EXAMPLES / "20260101_120000_results.json", "", "Qwen-VL")
    [placing] = checked.placings
    [known] = placing.same_name
    assert (placing.board.key, round(placing.value, 5)) == ("perception-dev", 0.61271)
    assert (round(known.on_board, 4), round(known.yours, 5), known.stays) == (0.5940, 0.61271, True)
    told = checked.to_json()
    assert (told["name_taken"], checked.taken) == (True, "Qwen-VL")
    assert round(told["preview"][0]["value"], 5) == 0.61271
    [both] = told["preview"][0]["under_the_same_name"]
    assert (both["kind"], both["on_board"], both["yours"]) == ("paper", known.on_board, known.yours)
    told = made.check(EXAMPLES / "20260101_120000_results.json", "", "somebody-new").to_json()
    assert (told["name_taken"], told["preview"][0]["under_the_same_name"]) == (False, [])


@pytest.mark.parametrize("name", ["my\u200b model", " my  model", "my\nmodel"])
def test_a_name_that_another_has_handed_in_is_that_however_it_is_written(
    submissions: SubmissionService, name: str
) -> None:
    """Or its results would stand beside theirs under what reads as the same name, without a question to the owner."""
    first = submissions.submit(EXAMPLES / "run.zip", "", SubmissionForm("my model"), "ada").entry
    assert submissions.check(EXAMPLES / "run.zip", "", name).taken == "my model"
    with pytest.raises(UserError, match="give your model a name of its own"):
        submissions.submit(EXAMPLES / "run.zip", "", SubmissionForm(name, relation="another model"), "eve")
    assert {result.model for result in first.submission.results} == {"my model"}


def test_a_full_disk_is_said_in_one_sentence(submissions: SubmissionService, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("leaderboard.store.files.os.fsync", full)
        with pytest.raises(UserError, match=r"could not keep it \(No space left on device\) and kept nothing"):
            submissions.submit(SCORES, "", SubmissionForm("my-model"), None)
    assert submissions.store.load().entries == ()
    assert submissions.submit(SCORES, "", SubmissionForm("my-model"), None).entry.status == "accepted"


SHARE = Metric("accuracy", "Accuracy", "Share.", unit="%", decimals=2, proportion=True)
PLACE = ("perception", "quiz", None, "accuracy")
BOARD = board(
    key="quiz",
    columns=(
        Column("overall", "Overall", ("overall",), SHARE, Address(*PLACE)),
        Column("how", "How", ("overall",), SHARE, Address(*PLACE, "question_type", "how")),
    ),
    parts=(Part("overall", "Overall"),),
    views=(MetricView("accuracy", "Accuracy", ("accuracy",)),),
    primary="overall",
    protocol={"limit": ()},
)


def result(model: str, value: float, n: int | None = 1000, kind: Any = "paper", **changes: Any) -> Result:
    estimate = Estimate(value, n=n)
    return Result("perception", "quiz", model, {"accuracy": estimate}, Source(kind), **changes)


PRESENT = [result("best", 0.8), result("near", 0.62), result("far", 0.3), result("printed", 0.1, None)]


def place(*added: Result, present: Iterable[Result] = PRESENT) -> list[Placing]:
    return find_placings(snapshot(present, BOARD), added)


def test_the_row_its_rank_and_its_neighbours() -> None:
    [row] = place(result("new", 0.6, kind="self-reported"))
    assert (row.rank, row.models, row.unranked) == (3, 5, "")
    assert (row.to_json()["rank"], row.to_json()["why_no_rank"]) == (3, None)
    assert (row.above and row.above.name, row.below and row.below.name) == ("near", "far")
    assert [neighbour.name for neighbour in row.alike] == ["near"]
    assert row.untested == 1
    assert (row.best, row.worst) == (2, 4)  # near may be below it, and nobody knows about the printed figure


def test_a_published_figure_stands_and_the_row_says_so() -> None:
    [row] = place(result("best", 0.9, kind="rescored"))
    assert (row.filled, row.passed_over, row.value) == ((), ("overall",), 0.9)
    [known] = row.same_name
    assert (known.column.key, known.on_board, known.yours, known.stays) == ("overall", 0.8, 0.9, True)
    assert known.record.result.source.kind == "paper"
    assert (row.rank, row.models, row.below and row.below.name) == (1, 5, "best")  # as a row of its own would stand
    assert row.unranked == "the figures that were published under this name stay"


def test_an_older_figure_of_the_same_kind_gives_way_and_both_are_told() -> None:
    """Uploads have no date yet: they are the newest once they are handed in."""
    older = replace(result("mine", 0.5), source=Source("self-reported", at="2026-01-01"))
    newer = result("mine", 0.7, kind="self-reported")
    [row] = place(newer, present=[*PRESENT, older])
    assert (row.filled, row.passed_over, row.value, row.rank) == (("overall",), (), 0.7, 2)
    [known] = row.same_name
    assert (known.on_board, known.yours, known.stays) == (0.5, 0.7, False)


def test_without_the_ranking_figure_there_is_no_rank() -> None:
    groups = {"question_type": {"how": {"accuracy": Estimate(0.5, n=100)}}}
    only = Result("perception", "quiz", "new", {}, Source("self-reported"), groups=groups)
    [row] = place(only)
    assert (row.column.key, row.rank, row.unranked) == ("how", 1, "Overall is not filled")
    told = row.to_json()
    assert (told["rank"], told["place_in_column"], told["why_no_rank"]) == (None, 1, "Overall is not filled")


def test_neighbours_are_those_by_the_column_on_show() -> None:
    """The board ranks high above low; by the one column that the new row fills it is the other way round."""

    def how(model: str, value: float, **overall: Estimate) -> Result:
        groups = {"question_type": {"how": {"accuracy": Estimate(value, n=100)}}}
        return Result("perception", "quiz", model, overall, Source("paper"), groups=groups)

    present = [how("high", 0.2, accuracy=Estimate(0.8)), how("low", 0.9, accuracy=Estimate(0.3))]
    [row] = place(how("new", 0.5), present=present)
    assert (row.rank, row.above and row.above.name, row.below and row.below.name) == (2, "low", "high")


FIRST, MENDED, SCORED = (EXAMPLES / name for name in ("result.json", "scores.koniq.csv", "run.zip"))
FORM = SubmissionForm("My model", organisation="Lab")


@pytest.fixture
def service(tmp_path: Path) -> SubmissionService:
    return SubmissionService(Store(tmp_path / "store"), AnswerKeys(tmp_path / "keys"), published, author=None)


def states(service: SubmissionService) -> dict[str, str]:
    return {entry.digest: state_of(entry) for entry in service.store.load().entries}


def test_who_has_no_account_gets_a_code_and_withdraws_with_it(service: SubmissionService) -> None:
    handed = service.submit(FIRST, "", FORM, None)
    name, code = handed.entry.digest, handed.code
    assert handed.entry.submission.code_digest == digest_code(code)
    assert len(code) * 4 >= 128  # bits: hexadecimal
    told = receipt_json(handed, "http://here/")
    assert (told["receipt"], told["code"]) == (f"http://here/?tab=submit&receipt={name}", code)
    for wrong in ("", code[:-1], code.upper(), handed.entry.submission.code_digest, name):
        with pytest.raises(UserError, match="the code"):
            service.receipts.withdraw(name, None, wrong)
    with pytest.raises(UserError, match="log in with the account"):
        service.receipts.withdraw(name, "somebody", "")
    assert states(service) == {name: "waiting"}
    assert state_of(service.receipts.withdraw(name, None, f" {code}\n")) == "withdrawn"
    with pytest.raises(UserError, match="is withdrawn already"):
        service.receipts.withdraw(name, None, code)


def test_who_loses_the_answer_sends_the_same_again_with_a_code_of_their_own(service: SubmissionService) -> None:
    own = "3f" * 16
    lost = service.submit(FIRST, "", FORM, None, own_code=own)
    again = service.submit(FIRST, "", FORM, None, own_code=f" {own} ")
    assert (again.entry.digest, again.code, again.duplicate) == (lost.entry.digest, own, True)
    assert service.submit(FIRST, "", FORM, None, own_code="4e" * 16).code == ""
    assert service.submit(FIRST, "", FORM, None).code == ""
    with pytest.raises(UserError, match="at least 32 characters"):
        service.submit(FIRST, "", FORM, None, own_code="s" * 31)
    assert state_of(service.receipts.withdraw(f"http://here/?tab=submit&receipt={again.entry.digest}", None, own)) == (
        "withdrawn"
    )


def test_an_account_changes_its_own_and_nobody_elses(service: SubmissionService) -> None:
    name = service.submit(SCORED, "", FORM, "ada").entry.digest
    with pytest.raises(UserError, match="log in with the account"):
        service.receipts.withdraw(name, "bob", "")
    assert states(service) == {name: "on the board"}
    assert state_of(service.receipts.withdraw(name, "ada", "")) == "withdrawn"


@pytest.mark.parametrize("account", [None, "ada"])
def test_a_correction_takes_the_place_of_what_waits(service: SubmissionService, account: str | None) -> None:
    handed = service.submit(FIRST, "", FORM, account)
    corrects = replace(FORM, corrects=handed.entry.digest, code="" if account else handed.code)
    second = service.submit(MENDED, "", corrects, account)
    assert states(service) == {handed.entry.digest: "corrected", second.entry.digest: "waiting"}
    assert second.entry.submission.supersedes == handed.entry.digest
    assert (second.code == handed.code) == (account is None)  # one code to keep
    again = service.submit(MENDED, "", corrects, account)  # as after a lost answer
    assert (again.duplicate, again.code) == (True, "" if account else handed.code)
    assert len(states(service)) == 2


def test_without_proof_a_correction_waits_beside_what_it_corrects(service: SubmissionService) -> None:
    name = service.submit(FIRST, "", FORM, None).entry.digest
    with pytest.raises(UserError, match="not the code of this submission"):
        service.submit(MENDED, "", replace(FORM, corrects=name, code="0" * 32), None)
    other = service.submit(MENDED, "", replace(FORM, corrects=name), None).entry
    assert states(service) == {name: "waiting", other.digest: "waiting"}


def test_a_correction_of_what_is_on_the_board_waits_and_changes_nothing_until_then(service: SubmissionService) -> None:
    handed = service.submit(FIRST, "", FORM, None)
    decide(service.store, handed.entry.digest, "accepted", "ola")
    second = service.submit(MENDED, "", replace(FORM, corrects=handed.entry.digest, code=handed.code), None).entry
    assert states(service) == {handed.entry.digest: "on the board", second.digest: "waiting"}
    decide(service.store, second.digest, "accepted", "ola")
    assert states(service) == {handed.entry.digest: "corrected", second.digest: "on the board"}


def test_the_reason_of_the_owner_is_told_and_no_other(service: SubmissionService) -> None:
    first, second = (service.submit(file, "", FORM, None).entry for file in (FIRST, MENDED))
    declined = decide(service.store, first.digest, "declined", "ola", "no such model")
    seen = view_of(declined, None)
    assert (seen.state, seen.reason) == ("declined", "no such model")
    gone = service.store.withdraw(second.digest, by="somebody", reason="look at example.org")
    seen = view_of(gone, None)
    assert (seen.state, seen.reason) == ("withdrawn", "")


def test_nothing_opens_a_submission_from_before_there_were_codes(service: SubmissionService) -> None:
    handed = service.submit(FIRST, "", FORM, None)
    old = replace(
        handed.entry.submission, code_digest="", metadata=replace(handed.entry.submission.metadata, link=None)
    )
    store = service.store
    store.withdraw(handed.entry.digest, "x")
    kept = store.add(replace(old, results=tuple(replace(result, raw="a" * 64) for result in old.results))).entry
    for code in ("", digest_code(""), handed.code):
        with pytest.raises(UserError):
            service.receipts.withdraw(kept.digest, None, code)
