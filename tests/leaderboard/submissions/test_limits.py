"""How much may be handed in; that private answers have a limit of their own is in test_form.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.store.local import Store
from leaderboard.store.submission import Entry
from leaderboard.submissions.form import SubmissionForm, limit_waiting
from leaderboard.submissions.scoring import AnswerKeys
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError
from tests.leaderboard.handed_in import submission
from tests.leaderboard.published import published


@pytest.mark.parametrize(("identity", "most", "said"), [(None, 200, "log in"), ("ada", 50, "of your submissions")])
def test_what_waits_for_review_is_bounded(identity: str | None, most: int, said: str) -> None:
    made = submission(identity=identity)
    waiting = [Entry(made, f"{number:064x}", "pending") for number in range(most)]
    others = [Entry(submission(identity="bob"), "b" * 64, "pending"), Entry(made, "c" * 64, "accepted")]
    limit_waiting([*waiting[1:], *others], identity)
    with pytest.raises(UserError, match=said):
        limit_waiting(waiting, identity)


def test_ten_addresses_do_not_fill_the_places_of_everybody(tmp_path: Path) -> None:
    """Each handed in 20 a day, and all 200 places were taken; the same again takes none."""
    file = Path("assets/examples/scores.koniq.csv")
    service = SubmissionService(Store(tmp_path), AnswerKeys(tmp_path), published)

    def hand_in(number: int, address: str, network: str) -> bool:
        try:
            service.submit(file, "", SubmissionForm(f"model {number}"), None, (address, network))
        except UserError as fault:
            assert "your network has used up its submissions without an account for this week" in str(fault)
            return False
        return True

    assert hand_in(0, "0", "near") and hand_in(0, "0", "near")
    each = [sum(hand_in(10 * address + k, f"{address}", "near") for k in range(7)) for address in range(5)]
    assert each == [5, 5, 5, 5, 0]
    assert hand_in(100, "another", "far")
    service = SubmissionService(Store(tmp_path / "trusted"), AnswerKeys(tmp_path), published, author="owner")
    assert all(hand_in(number, "0", "near") for number in range(7))  # where visitors are trusted
