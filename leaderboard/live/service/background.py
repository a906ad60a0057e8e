"""A job in a thread of its own, whose news are passed on in batches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import TypeVar

from qbench.cancelling import Cancelled

HEARTBEAT = 2.0
"""Longest silence, in seconds; proxies drop a connection after a minute or so of it."""
GRACE = 1.0
"""How long a job that is cancelled may take to end by itself, before nobody waits for its present batch any longer."""
PACE = 0.25
"""Seconds between two batches: pages cannot be drawn as often as a quick model answers."""

MessageT = TypeVar("MessageT")
ResultT = TypeVar("ResultT")


def run_in_background(
    job: Callable[[Callable[[MessageT], None]], ResultT],
    cancel: threading.Event,
    *,
    heartbeat: float = HEARTBEAT,
    pace: float = PACE,
    grace: float = GRACE,
) -> Generator[list[MessageT], None, ResultT]:
    """Run a job and yield what it publishes, in order; an empty batch says that it is still at work.

    Args:
        job: Gets the function to publish with; what it returns or raises comes out of the generator.
        cancel: Ends the job, which looks at it; set here when the generator is closed before the job is through.
        heartbeat: Seconds after which an empty batch is yielded.
        pace: Seconds to gather messages for, unless the job is done before.
        grace: Seconds a job has to end once it is cancelled; a model may be busy with a batch for longer.

    Raises:
        Cancelled: The job was cancelled and has not ended yet.
    """
    published: SimpleQueue[MessageT | None] = SimpleQueue()
    done: Future[ResultT] = Future()

    def work() -> None:
        try:
            done.set_result(job(published.put))
        except BaseException as fault:  # noqa: BLE001 - handed on to whoever reads
            done.set_exception(fault)
        published.put(None)  # wakes the reader

    # A daemon, so that a server that is told to stop does not wait for a long run. In the context of who asks: by the
    # request in it a Space with ZeroGPU knows whose share of the GPU the job takes.
    threading.Thread(target=copy_context().run, args=(work,), daemon=True).start()
    try:
        while not (done.done() and published.empty()):
            batch = _next(published, heartbeat)
            wait([done], pace)
            while not published.empty():
                batch += _next(published, 0)
            if batch or not done.done():
                yield batch
            if cancel.is_set():
                wait([done], grace)
                if not done.done():
                    raise Cancelled
        return done.result()
    finally:
        if not done.done():
            cancel.set()


def _next(published: SimpleQueue[MessageT | None], seconds: float) -> list[MessageT]:
    try:
        message = published.get(timeout=seconds) if seconds else published.get_nowait()
    except Empty:
        return []
    return [] if message is None else [message]
