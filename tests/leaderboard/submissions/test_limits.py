"""How much may be handed in; that private answers have a limit of their own is in test_form.py."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from leaderboard.account import Account, Bound
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry
from leaderboard.submissions.answer_keys import AnswerKeys
from leaderboard.submissions.form import SubmissionForm, limit_waiting
from leaderboard.submissions.private import limit_private
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError
from qbench.records import Source
from tests.leaderboard.handed_in import NOON, submission
from tests.leaderboard.made import result
from tests.leaderboard.published import published


def test_one_address_and_one_network_have_their_day() -> None:
    now, day = 0.0, 24 * 3600.0
    account = Account({"submission": Bound(2, 3, 9, "as many came from your network as may", day)}, lambda: now)
    for hour in range(2):
        now = 3600.0 * hour
        account.count("submission", ["a", "net"])
    with pytest.raises(UserError, match="as many came from your network"):
        account.count("submission", ["a", "net"])
    account.count("submission", ["b", "net"])
    with pytest.raises(UserError, match="came from your network"):
        account.count("submission", ["c", "net"])
    account.count("submission", ["c", "other net"])
    now = day + 1
    account.count("submission", ["a", "net"])
    with pytest.raises(UserError):
        account.count("submission", ["a", "net"])
    account.count("submission", [])  # on one's own machine nobody is counted


@pytest.mark.parametrize(("identity", "most", "said"), [(None, 200, "log in"), ("ada", 50, "of your submissions")])
def test_what_waits_for_review_is_bounded(identity: str | None, most: int, said: str) -> None:
    made = submission(identity=identity)
    waiting = [Entry(made, f"{number:064x}", "pending") for number in range(most)]
    others = [Entry(submission(identity="bob"), "b" * 64, "pending"), Entry(made, "c" * 64, "accepted")]
    limit_waiting([*waiting[1:], *others], identity)
    with pytest.raises(UserError, match=said):
        limit_waiting(waiting, identity)


def test_only_results_on_private_answers_of_the_same_account_and_day_use_up_its_day() -> None:
    scored = replace(result("alpha", protocol={"answers": "private"}), source=Source("rescored", "replies.jsonl"))
    private, claimed = submission(results=(scored,)), submission()
    days = [
        *[Entry(claimed, f"{number:064x}", "accepted") for number in range(3)],
        *[Entry(private, f"{number:064x}", "accepted") for number in range(3, 5)],
        Entry(replace(private, identity="bob"), "b" * 64, "accepted"),
        Entry(replace(private, submitted_at="2026-05-30T12:00:00+00:00"), "c" * 64, "accepted"),
    ]
    limit_private(days, "ada", datetime.fromisoformat(NOON))
    with pytest.raises(UserError, match="you handed in 3 results on private answers today"):
        limit_private([*days, Entry(private, "d" * 64, "pending")], "ada", datetime.fromisoformat(NOON))


def test_anonymous_submissions_are_counted_where_visitors_are_not_trusted(tmp_path: Path) -> None:
    file = Path("assets/examples/scores.koniq.csv")
    for author, taken in ((None, 5), ("owner", 21)):
        service = SubmissionService(Store(tmp_path / f"{author}"), AnswerKeys(tmp_path), published, author=author)
        said = 0
        for number in range(21):
            try:
                service.submit(file, "", SubmissionForm(f"model {number}"), None, ("address", "network"))
                said += 1
            except UserError as fault:
                assert "came from your network" in str(fault)
        assert said == taken


def test_ten_addresses_do_not_fill_the_places_of_everybody(tmp_path: Path) -> None:
    """Each handed in 20 a day, and all 200 places were taken; the same again takes none."""
    file = Path("assets/examples/scores.koniq.csv")
    service = SubmissionService(Store(tmp_path), AnswerKeys(tmp_path), published)

    def hand_in(number: int, address: str, network: str) -> bool:
        try:
            service.submit(file, "", SubmissionForm(f"model {number}"), None, (address, network))
        except UserError as fault:
            assert "without an account came from your network in a week" in str(fault)
            return False
        return True

    assert hand_in(0, "0", "near") and hand_in(0, "0", "near")
    each = [sum(hand_in(10 * address + k, f"{address}", "near") for k in range(7)) for address in range(5)]
    assert each == [5, 5, 5, 5, 0]
    assert hand_in(100, "another", "far")
