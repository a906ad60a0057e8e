"""The one way in which live pages serve work: how far a visitor's job is, from its start to its end.

A job publishes what is new of its `JobState`, and `stream_job` yields the state as it is then.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from leaderboard.events import log_event, log_refusal
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live
from leaderboard.live.service.turns import in_thread
from qbench.cancelling import Cancelled
from qbench.errors import ProviderError, UserError
from qbench.runner import Progress

HEARTBEAT = 2.0
"""Longest silence, in seconds; proxies drop a connection after a minute or so of it."""
GRACE = 1.0
"""How long a job that is cancelled may take to end by itself, before nobody waits for its present batch any longer."""
PACE = 0.25
"""Seconds to gather what is new for: pages cannot be drawn as often as a quick model answers."""
PartialT = TypeVar("PartialT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, kw_only=True)
class JobState(Generic[PartialT, ResultT]):
    """How far a job is."""

    doing: str = ""
    progress: Progress | None = None
    """Of the present step."""
    ahead: int = 0
    """How many pieces of others' work are before this one at the model."""
    seconds: float = 0.0
    """Since it began."""
    known: PartialT | None = None
    """All that was found so far."""
    result: ResultT | None = None
    failure: str | None = None
    """Why it ended before it was through, not capitalised; what was found is kept."""
    cancelled: bool = False
    """Whether the visitor stopped it; what was found is kept."""

    @property
    def ended(self) -> bool:
        return self.result is not None or self.cancelled or self.failure is not None


class Publish(Protocol):
    """How a job says what is new of its state; what it does not name stays, but nobody is ahead of it any more."""

    def __call__(self, *, doing: str = ..., progress: Progress = ..., known: Any = ...) -> None: ...


Job: TypeAlias = Callable[[Work, Publish], ResultT]
"""Gets the work, to ask models with, and the function to publish with; returns the result, which is not None."""


def stream_job(live: Live, visitor: Visitor, kind: str, job: Job[ResultT]) -> Iterator[JobState[Any, ResultT]]:
    """Run the job and yield its state at once, whenever it changed, and every few seconds, until it has ended.

    Work that other work of the visitor replaces stops without a last word: its last state has not ended.

    Args:
        live: Models and who uses them.
        visitor: For whom.
        kind: An earlier job of this kind by the same page is cancelled.
        job: See `Job`.
    """
    started, ended, work, kind_alone = time.monotonic(), "left", None, kind.partition(" ")[0]
    known, lock, news = JobState[Any, ResultT](), threading.Lock(), threading.Event()

    def publish(*, ahead: int = 0, **new: Any) -> None:
        nonlocal known
        with lock:
            known = replace(known, ahead=ahead, **new)
        news.set()

    def now(**end: Any) -> JobState[Any, ResultT]:
        return replace(known, seconds=time.monotonic() - started, **end)

    try:
        with live.visits.begin(visitor, kind) as work:
            yield now()  # of two jobs that begin at once, the later takes the place of one that is known
            work.publish_position = lambda ahead: publish(ahead=ahead)
            done = in_thread(partial(job, work, publish))
            done.add_done_callback(lambda _: news.set())
            while not _is_done(done, news):
                if not work.replaced:
                    yield now()
                if work.cancel.is_set() and not wait([done], GRACE).done:
                    raise Cancelled  # a model may be busy with a batch for longer
            result = done.result()
            if not work.replaced:
                ended = "done"
                yield now(result=result, ahead=0)
    except Cancelled:
        if work is not None and not work.replaced:
            ended = "stopped"
            yield now(cancelled=True, ahead=0)
    except (UserError, ProviderError) as fault:
        ended = "refused"
        log_refusal(fault, kind=kind_alone)
        yield now(failure=str(fault), ahead=0)
    except Exception:
        ended = "failed"
        logging.getLogger(__name__).exception("%s failed", kind_alone)
        said = "something went wrong on the server and was logged there; try another photo or model"
        yield now(failure=said, ahead=0)
    finally:
        if work is not None:
            seconds = time.monotonic() - started
            log_event("work", kind=kind_alone, ended=ended, seconds=seconds, model_seconds=work.spent)


def _is_done(job: Future[Any], news: threading.Event) -> bool:
    """Whether a job is through, once there is news, or silence for long."""
    news.wait(HEARTBEAT)
    wait([job], PACE)
    news.clear()
    return job.done()
