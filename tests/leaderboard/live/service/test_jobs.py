"""How far a job is, and the thread that it goes on in."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from pathlib import Path

import pytest

from leaderboard.html.live import not_done
from leaderboard.live.service import jobs
from leaderboard.live.service.jobs import Publish, stream_job
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live, open_live
from leaderboard.settings import read_settings
from qbench.cancelling import Cancelled
from qbench.errors import ProviderError, UserError

ME = Visitor("page", "place")


@pytest.fixture
def live(tmp_path: Path) -> Live:
    return open_live(read_settings({"QBENCH_MODELS": "sharpness", "SPACE_ID": "me/board"}, tmp_path))


def test_what_is_new_is_told_and_the_rest_stays(live: Live) -> None:
    heard = threading.Event()

    def job(work: Work, publish: Publish) -> str:
        publish(doing="opening the model")
        work.publish_position(2)
        assert heard.wait(10)
        publish(known="first")
        return "all"

    states = stream_job(live, ME, "probe", job)
    waiting = next(states)
    heard.set()
    *_, last = states
    assert (waiting.doing, waiting.ahead, waiting.known, waiting.ended) == ("opening the model", 2, None, False)
    assert (last.doing, last.ahead, last.known, last.result) == ("opening the model", 0, "first", "all")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (UserError("choose a photo first"), "Not done: choose a photo first."),
        (ProviderError("transient", "the server is down"), "Not done: the server is down."),
        (
            ValueError("a secret"),
            "Not done: something went wrong on the server and was logged there; try another photo or model.",
        ),
    ],
)
def test_every_fault_is_a_sentence(live: Live, fault: Exception, sentence: str) -> None:
    def job(_work: Work, _publish: Publish) -> None:
        raise fault

    (last,) = stream_job(live, ME, "probe", job)
    assert not_done(last.failure) == sentence


def test_who_leaves_stops_the_work_and_loses_the_files(live: Live, tmp_path: Path) -> None:
    upload = tmp_path / "upload.png"
    upload.write_bytes(b"")
    taken: list[Work] = []

    def job(work: Work, publish: Publish) -> None:
        taken.append(work)
        publish(known="begun")
        assert work.cancel.wait(10)

    states = stream_job(live, ME, "run", job)
    assert next(states).known == "begun"
    with pytest.raises(UserError, match="is empty"):
        live.uploads.take_in(upload, ME)
    live.leave(ME)
    assert taken[0].cancel.is_set()
    assert not upload.exists()
    states.close()


def test_a_job_knows_who_asks(live: Live) -> None:
    """ZeroGPU reads the request from the context, to count the GPU's time for the visitor."""
    asks = ContextVar[str]("asks")
    asks.set("a visitor")
    *_, last = stream_job(live, ME, "probe", lambda *_: asks.get("nobody"))
    assert last.result == "a visitor"


def test_nobody_waits_for_a_cancelled_job_that_is_busy(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "HEARTBEAT", 0.01)
    monkeypatch.setattr(jobs, "GRACE", 0.01)
    batch_is_through = threading.Event()
    states = stream_job(live, ME, "probe", lambda *_: batch_is_through.wait(30))
    assert not next(states).ended
    live.visits.cancel(ME)
    assert next(states).cancelled
    batch_is_through.set()


@pytest.mark.parametrize("ends", ["by itself", "as cancelled"])
def test_work_that_other_work_replaces_has_no_last_word(live: Live, ends: str) -> None:
    def job(work: Work, publish: Publish) -> bool:
        publish(doing="waiting")
        work.cancel.wait(10)
        if ends == "as cancelled":
            raise Cancelled
        return True

    states = stream_job(live, ME, "probe", job)
    first = next(states)
    live.visits.cancel(ME, "probe", replaced=True)
    assert [state.ended for state in (first, *states)] == [False]
