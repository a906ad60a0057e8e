from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar

import pytest

from leaderboard.live.service.jobs import run_in_background
from qbench.runner import Cancelled


def test_news_come_in_order_and_the_result_last() -> None:
    def job(tell: Callable[[int], None]) -> str:
        for number in range(1000):
            tell(number)
        return "done"

    told, batches = run_in_background(job, threading.Event(), pace=0.05), []
    with pytest.raises(StopIteration) as stop:
        while True:
            batches.append(next(told))
    assert [item for batch in batches for item in batch] == list(range(1000))
    assert stop.value.value == "done"
    assert len(batches) < 100  # gathered, however fast they come


def test_a_silent_job_is_heard_of() -> None:
    go_on = threading.Event()

    def job(_tell: Callable[[int], None]) -> bool:
        return go_on.wait(30)

    told = run_in_background(job, threading.Event(), heartbeat=0.01, pace=0.0)
    assert [next(told), next(told)] == [[], []]
    go_on.set()
    with pytest.raises(StopIteration) as stop:
        while True:
            next(told)
    assert stop.value.value is True


def test_a_job_knows_who_asks() -> None:
    """ZeroGPU reads the request from the context, to count the GPU's time for the visitor."""
    asks = ContextVar[str]("asks")
    asks.set("a visitor")
    told = run_in_background(lambda _tell: asks.get("nobody"), threading.Event(), pace=0.0)
    with pytest.raises(StopIteration) as stop:
        while True:
            next(told)
    assert stop.value.value == "a visitor"


def test_what_a_job_raises_comes_out_after_its_news() -> None:
    def job(tell: Callable[[int], None]) -> None:
        tell(1)
        raise KeyError("broken")

    told = run_in_background(job, threading.Event(), pace=0.0)
    heard = []
    with pytest.raises(KeyError, match="broken"):
        while True:
            heard += next(told)
    assert heard == [1]


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


def test_a_job_that_nobody_follows_is_cancelled() -> None:
    cancel, ended = threading.Event(), threading.Event()

    def job(tell: Callable[[int], None]) -> None:
        tell(1)
        if cancel.wait(30):
            ended.set()

    told = run_in_background(job, cancel, pace=0.0)
    next(told)
    told.close()
    assert ended.wait(30)
