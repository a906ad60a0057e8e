"""What uploads may take of a server that others wait for, and how much may be handed in."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from queue import SimpleQueue

import pytest

from leaderboard.account import Account
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry
from leaderboard.submissions.check import MOST_HELD, Checks
from leaderboard.submissions.form import SubmissionForm, limit_waiting
from leaderboard.submissions.report import Report
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions, score_upload
from leaderboard.submissions.service import SubmissionService
from qbench.archives import FileLimits
from qbench.errors import UserError
from tests.commands.asking import pack
from tests.leaderboard.handed_in import submission
from tests.leaderboard.published import published


def scored(path: Path, limits: FileLimits) -> str:
    """What is said of an upload under these limits."""
    report = score_upload(path, ScoringOptions(AnswerKeys(path.parent / "none"), limits=limits))
    return " ".join(problem.sentence for problem in report.problems)


def test_the_files_of_an_upload_have_so_many_records_together(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"img_path": f"{k}", "score": k, "gt_score": k}) for k in range(5))
    path = pack(tmp_path, dict.fromkeys(("koniq.json", "spaq.json", "agiqa-3k.json"), rows))
    assert scored(path, FileLimits(all_rows=15)) == ""
    assert "holds more than 3 records" in scored(path, FileLimits(all_rows=13))
    said = "the files hold more than 10 records; split them and hand in each part"
    assert said in scored(path, FileLimits(all_rows=10))


def test_no_third_upload_is_checked_beside_two(monkeypatch: pytest.MonkeyPatch) -> None:
    said: SimpleQueue[str] = SimpleQueue()

    class Changed(threading.Condition):
        def wait(self, timeout: float | None = None) -> bool:
            said.put("waits")
            return super().wait(timeout)

    def check() -> None:
        with checks.turn("third"):
            said.put("is checked")

    third = threading.Thread(target=check)  # which has conditions of its own
    monkeypatch.setattr(threading, "Condition", Changed)
    checks = Checks(AnswerKeys(Path("none")), Account())
    with checks.turn("first"), checks.turn("second"):
        third.start()
        assert said.get() == "waits"
    third.join()


def test_uploads_of_others_are_checked_meanwhile() -> None:
    account, goes_on, done = Account(), threading.Event(), []
    checks = Checks(AnswerKeys(Path("none")), account)

    def check(network: str) -> None:
        with checks.turn(network):
            if network == "slow":
                goes_on.wait(20)
            done.append(network)

    threads = [threading.Thread(target=check, args=("slow",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    while account.held["check", "network slow"] < 4:
        pass
    with pytest.raises(UserError, match="too many uploads from your network are being checked"):
        check("slow")
    check("quick")
    assert done == ["quick"]  # one of the slow ones goes on, and the others do not take the second place
    goes_on.set()
    for thread in threads:
        thread.join()
    assert done == ["quick", *["slow"] * 4]


def test_the_newest_reports_are_held_but_none_that_time_or_memory_ran_out_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    checks = Checks(AnswerKeys(tmp_path), Account())

    def score(name: str, *, by_load: bool = False) -> int:
        """How often something was scored once the file of this name is."""
        (tmp_path / name).write_text("the same in all")
        monkeypatch.setattr(
            "leaderboard.submissions.check.score_apart",
            lambda file, _options: made.append(file.name) or Report(by_load=by_load),
        )
        checks.score_once(tmp_path / name, ScoringOptions(AnswerKeys(tmp_path)))
        return len(made)

    assert [score("0"), score("0")] == [1, 1]
    for number in range(1, MOST_HELD + 1):
        assert score(f"{number}") == 1 + number
    assert [score(f"{MOST_HELD}"), score("0", by_load=True), score("0")] == [MOST_HELD + 1 + more for more in range(3)]


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
