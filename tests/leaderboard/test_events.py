"""What the log says of each thing that happens, and that nothing which somebody gave is in it."""

from __future__ import annotations

import logging
import re
import shutil
import time
from pathlib import Path

import pytest

from leaderboard.boards import all_boards
from leaderboard.events import log_fault
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import open_live
from leaderboard.settings import read_settings
from leaderboard.snapshot import Snapshot
from leaderboard.store.local import Store
from leaderboard.submissions.form import SubmissionForm
from leaderboard.submissions.scoring import AnswerKeys
from leaderboard.submissions.service import SubmissionService
from qbench.assets import assets_folder
from qbench.errors import UserError
from qbench.models.catalogue import find_model
from qbench.stats.intervals import wilson
from tests.leaderboard.handed_in import decide

SCORES = assets_folder() / "examples" / "scores.koniq.csv"


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "leaderboard.events")
    return caplog


def lines(said: pytest.LogCaptureFixture) -> list[str]:
    """The events so far, without their seconds; none of them has a traceback, or took longer than the clock runs."""
    assert not any(record.exc_info for record in said.records)
    assert all(float(taken) < time.monotonic() for taken in re.findall(r"seconds=(\S+)", " ".join(said.messages)))
    return [re.sub(r"seconds=\d+\.\d\d", "seconds=", line) for line in said.messages]


def test_a_check_a_submission_and_a_review_are_one_line_each(tmp_path: Path, said: pytest.LogCaptureFixture) -> None:
    store = Store(tmp_path / "store")
    service = SubmissionService(store, AnswerKeys(tmp_path), lambda: Snapshot(store.load(), all_boards(), find_model))
    file = Path(shutil.copy(SCORES, tmp_path / "koniq.secret.csv"))
    size = file.stat().st_size
    service.check(file, "", "secret model")
    form = SubmissionForm("secret model", "secret lab", contact="secret@example.org")
    receipt = service.submit(file, "", form, None, ("secret address", "secret network"))
    decide(store, receipt.entry.digest, "accepted", "ola")
    decide(store, receipt.entry.digest, "taken back", "olga", "secret reason")
    with pytest.raises(UserError):
        decide(store, receipt.entry.digest, "taken back", "ola")  # changes nothing
    store.withdraw(receipt.entry.digest, "secret reviewer", "secret reason")
    with pytest.raises(UserError):
        service.submit(file, "", SubmissionForm("secret model", parameters="secret"), None)
    assert lines(said) == [
        f"event=check results=1 problems=0 bytes={size} seconds=",
        "event=submission status=pending results=1 duplicate=0 queued=0 seconds=",
        "event=review decision=accepted by=ola",
        "event=review decision=taken-back by=olga",
        "event=review decision=withdrawn",
        "event=refusal by=leaderboard.submissions.form.read_form kind=submission",
    ]


def test_work_at_the_models_is_one_line_with_how_it_ended(tmp_path: Path, said: pytest.LogCaptureFixture) -> None:
    live = open_live(read_settings({"QBENCH_MODELS": "sharpness"}, tmp_path))

    def refuse(*_: object) -> None:
        raise UserError("secret.jpg has 30 megapixels")

    me = Visitor("page", "place")
    list(stream_job(live, me, "probe", lambda *_: None))
    list(stream_job(live, me, "pair secret", refuse))
    left = stream_job(live, me, "tournament", refuse)
    next(left)
    left.close()
    assert lines(said) == [
        "event=work kind=probe ended=done seconds= model_seconds=",
        "event=refusal by=tests.leaderboard.test_events.refuse kind=pair",
        "event=work kind=pair ended=refused seconds= model_seconds=",
        "event=work kind=tournament ended=left seconds= model_seconds=",
    ]


def test_an_error_of_the_app_s_own_keeps_its_way_and_loses_its_message(said: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match="5 successes of 3") as own:
        wilson(5, 3)
    with pytest.raises(ValueError, match="secret") as others:
        int("secret\nevent=review")
    log_fault(own.value)
    log_fault(others.value)
    kept, one_line = said.messages
    assert "\n" not in one_line
    assert one_line.endswith("fault=ValueError")
    assert kept.startswith("event=fault by=")
    assert "stats/intervals.py" in kept
    assert "5 successes" not in kept
