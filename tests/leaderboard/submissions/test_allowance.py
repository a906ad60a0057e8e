"""What one upload may take of a server that others wait for."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from leaderboard.account import Account
from leaderboard.submissions.check import AT_ONCE, MOST_HELD, CheckTurns, HeldReports
from leaderboard.submissions.report import Report
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions, score_upload
from qbench.archives import FileLimits
from qbench.errors import UserError
from tests.leaderboard.submissions.test_check import pack


def scored(path: Path, limits: FileLimits) -> str:
    """What is said of an upload under these limits."""
    report = score_upload(path, ScoringOptions(AnswerKeys(path.parent / "none"), limits=limits))
    return " ".join(problem.sentence for problem in report.problems)


def lists(*names: str) -> dict[str, str]:
    rows = "".join(json.dumps({"img_path": f"{k}", "score": k, "gt_score": k}) for k in range(5))
    return dict.fromkeys(names, rows)


def test_the_files_of_an_upload_have_so_many_records_together(tmp_path: Path) -> None:
    path = pack(tmp_path, lists("koniq.json", "spaq.json", "agiqa-3k.json"))
    assert scored(path, FileLimits(all_rows=15)) == ""
    assert "holds more than 3 records" in scored(path, FileLimits(all_rows=13))
    assert "the files hold more than 10 records; split them and hand in each part" in scored(
        path, FileLimits(all_rows=10)
    )


def test_uploads_of_others_are_checked_meanwhile() -> None:
    account, goes_on, done = Account(), threading.Event(), []
    turns = CheckTurns(account)

    def check(network: str) -> None:
        with turns.turn(network):
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
    assert AT_ONCE == 2


def test_the_newest_reports_are_held_but_none_that_time_or_memory_ran_out_for() -> None:
    held = HeldReports()
    first = held.get(0, Report)
    assert held.get(0, lambda: Report(by_load=True)) is first
    for number in range(1, MOST_HELD + 1):
        held.get(number, Report)
    assert held.get(0, lambda: Report(by_load=True)) is not held.get(0, lambda: Report(by_load=True))
