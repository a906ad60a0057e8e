"""A job as typed messages, and the thread that it goes on in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path

import pytest

from leaderboard.live.service.jobs import (
    Failure,
    JobProgress,
    JobResult,
    PartialResult,
    Publish,
    QueuePosition,
    run_in_background,
    stream_job,
)
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live, open_live
from leaderboard.settings import read_settings
from qbench.errors import ProviderError, UserError
from qbench.runner import Cancelled

ME = Visitor("page", "place")


@pytest.fixture
def live(tmp_path: Path) -> Live:
    return open_live(read_settings({"QBENCH_MODELS": "sharpness", "SPACE_ID": "me/board"}, tmp_path))


def test_messages_come_in_order_and_waiting_is_one_of_them(live: Live) -> None:
    def job(work: Work, publish: Publish) -> str:
        publish(JobProgress("opening the model"))
        work.publish_position(2)
        publish(PartialResult("first"))
        return "all"

    assert list(stream_job(live, ME, "probe", job)) == [
        JobProgress("opening the model"),
        QueuePosition(2),
        PartialResult("first"),
        JobResult("all"),
    ]


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

    (failure,) = stream_job(live, ME, "probe", job)
    assert isinstance(failure, Failure)
    assert failure.sentence == sentence


def test_who_leaves_stops_the_work_and_loses_the_files(live: Live, tmp_path: Path) -> None:
    upload = tmp_path / "upload.png"
    upload.write_bytes(b"")
    taken: list[Work] = []

    def job(work: Work, publish: Publish) -> None:
        taken.append(work)
        publish(PartialResult("begun"))
        assert work.cancel.wait(10)

    messages = stream_job(live, ME, "run", job)
    assert next(messages) == PartialResult("begun")
    with pytest.raises(UserError, match="is empty"):
        live.uploads.take_in(upload, ME)
    live.leave(ME)
    assert taken[0].cancel.is_set()
    assert not upload.exists()
    messages.close()


def test_a_job_knows_who_asks() -> None:
    """ZeroGPU reads the request from the context, to count the GPU's time for the visitor."""
    asks = ContextVar[str]("asks")
    asks.set("a visitor")
    told = run_in_background(lambda _tell: asks.get("nobody"), threading.Event(), pace=0.0)
    with pytest.raises(StopIteration) as stop:
        while True:
            next(told)
    assert stop.value.value == "a visitor"


def test_nobody_waits_for_a_cancelled_job_that_is_busy() -> None:
    cancel, batch_is_through = threading.Event(), threading.Event()

    def job(_tell: Callable[[int], None]) -> bool:
        return batch_is_through.wait(30)

    told = run_in_background(job, cancel, heartbeat=0.01, pace=0.0, grace=0.01)
    next(told)
    cancel.set()
    with pytest.raises(Cancelled):
        next(told)
    batch_is_through.set()
