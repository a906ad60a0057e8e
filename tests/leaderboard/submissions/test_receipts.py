"""What an author does with a submission later, and what others who have its link do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.store.local import Store
from leaderboard.submissions.form import SubmissionForm
from leaderboard.submissions.receipts import digest_code, reason_of, state_of
from leaderboard.submissions.scoring import AnswerKeys
from leaderboard.submissions.service import SubmissionService, receipt_json
from qbench.errors import UserError
from tests.leaderboard.handed_in import decide
from tests.leaderboard.published import published

EXAMPLES = Path(__file__).resolve().parents[3] / "assets" / "examples"
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
        service.submit(FIRST, "", FORM, None, own_code="secret")
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
    assert (state_of(declined), reason_of(declined)) == ("declined", "no such model")
    gone = service.store.withdraw(second.digest, by="somebody", reason="look at example.org")
    assert (state_of(gone), reason_of(gone)) == ("withdrawn", "")


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
