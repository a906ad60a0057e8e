"""Work that goes on in a thread of its own while its news are passed on, so that no page ever falls silent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import TypeVar

from qbench.runner import Cancelled

BEAT = 2.0
"""Longest silence, in seconds; proxies drop a connection after a minute or so of it."""
GRACE = 1.0
"""How long a job that is cancelled may take to end by itself, before nobody waits for its present batch any longer."""
PACE = 0.4
"""Shortest time between two batches of news, however fast they come."""

NewsT = TypeVar("NewsT")
ResultT = TypeVar("ResultT")


def follow(
    job: Callable[[Callable[[NewsT], None]], ResultT],
    cancel: threading.Event,
    *,
    beat: float = BEAT,
    pace: float = PACE,
    grace: float = GRACE,
) -> Generator[list[NewsT], None, ResultT]:
    """Run a job and yield what it tells, in order; an empty batch says that it is still at work.

    Args:
        job: Gets the function to tell news with; what it returns or raises comes out of the generator.
        cancel: Ends the job, which looks at it; set here when nobody follows any longer.
        beat: Seconds after which an empty batch is yielded.
        pace: Seconds to gather news for, unless the job is done before.
        grace: Seconds a job has to end once it is cancelled; a model may be busy with a batch for longer.

    Raises:
        Cancelled: The job was cancelled, whatever it still does.
    """
    news: SimpleQueue[NewsT | None] = SimpleQueue()
    done: Future[ResultT] = Future()

    def work() -> None:
        try:
            done.set_result(job(news.put))
        except BaseException as fault:  # noqa: BLE001 - handed on to whoever follows
            done.set_exception(fault)
        news.put(None)  # wakes the follower

    # A daemon, so that a server that is told to stop does not wait for a long run. In the context of who asks: by the
    # request in it a Space with ZeroGPU knows whose share of the GPU the job takes.
    threading.Thread(target=copy_context().run, args=(work,), daemon=True).start()
    try:
        while not (done.done() and news.empty()):
            batch = _next(news, beat)
            wait([done], pace)
            while not news.empty():
                batch += _next(news, 0)
            yield batch
            if cancel.is_set():
                wait([done], grace)
                if not done.done():
                    raise Cancelled
        return done.result()
    finally:
        cancel.set()


def _next(news: SimpleQueue[NewsT | None], seconds: float) -> list[NewsT]:
    try:
        one = news.get(timeout=seconds) if seconds else news.get_nowait()
    except Empty:
        return []
    return [] if one is None else [one]
