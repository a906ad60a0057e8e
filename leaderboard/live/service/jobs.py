"""The one way in which live pages serve work: a visitor's job as typed messages, from its start to its end.

`stream_job` yields them; `JobState` is what they have said so far.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeAlias, TypeVar

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
"""Seconds to gather messages for: pages cannot be drawn as often as a quick model answers."""
PartialT = TypeVar("PartialT")
ResultT = TypeVar("ResultT")
MessageT = TypeVar("MessageT")
StateT = TypeVar("StateT", bound="JobState[Any, Any]")


@dataclass(frozen=True)
class QueuePosition:
    """How many pieces of others' work are before this one at the model."""

    ahead: int


@dataclass(frozen=True)
class JobProgress:
    """What the job is doing, and how far its present step is."""

    doing: str = ""
    prompts: Progress | None = None


@dataclass(frozen=True)
class PartialResult(Generic[PartialT]):
    """All that is known so far; a later one replaces it."""

    value: PartialT


@dataclass(frozen=True)
class StillWorking:
    """Nothing is new; sent so that the connection is never silent for long."""


@dataclass(frozen=True)
class JobResult(Generic[ResultT]):
    """What the job came to; the last message."""

    value: ResultT


@dataclass(frozen=True)
class JobCancelled:
    """The visitor stopped the job; the last message."""


@dataclass(frozen=True)
class Failure:
    """Why the job ended early, and what to do; the last message."""

    reason: str
    """Not capitalised, for many begin with the name of a file or a model."""

    @property
    def sentence(self) -> str:
        return f"Not done: {self.reason}{'' if self.reason.endswith(('.', '?')) else '.'}"


Message: TypeAlias = (
    QueuePosition | JobProgress | PartialResult[PartialT] | StillWorking | JobResult[ResultT] | JobCancelled | Failure
)
Publish = Callable[[QueuePosition | JobProgress | PartialResult[Any]], None]
"""How a job says what is new."""
Job: TypeAlias = Callable[[Work, Publish], ResultT]
"""Gets the work, to ask models with, and the function to publish messages with; returns the result."""


@dataclass(frozen=True, kw_only=True)
class JobState(Generic[PartialT, ResultT]):
    """How far a job is, as its messages tell."""

    doing: str = ""
    progress: Progress | None = None
    """Of the present step."""
    ahead: int = 0
    """How many others are before this one at the model."""
    seconds: float = 0.0
    """Since it began."""
    known: PartialT | None = None
    """All that was found so far."""
    result: ResultT | None = None
    failure: Failure | None = None
    """Why it ended before it was through; what was found is kept."""
    cancelled: bool = False
    """Whether the visitor stopped it; what was found is kept."""

    @property
    def ended(self) -> bool:
        return self.result is not None or self.cancelled or self.failure is not None

    def after(self: StateT, message: Message[Any, Any]) -> StateT:
        """The state once this has been heard."""
        if isinstance(message, QueuePosition):
            return replace(self, ahead=message.ahead)
        if isinstance(message, JobProgress):
            ahead = 0 if message.prompts else self.ahead
            return replace(self, doing=message.doing, progress=message.prompts or self.progress, ahead=ahead)
        if isinstance(message, PartialResult):
            return replace(self, known=message.value, ahead=0)
        if isinstance(message, JobResult):
            return replace(self, result=message.value, ahead=0)
        if isinstance(message, Failure):
            return replace(self, failure=message, ahead=0)
        return replace(self, cancelled=True, ahead=0) if isinstance(message, JobCancelled) else self


def job_states(messages: Iterator[Message[PartialT, ResultT]]) -> Iterator[JobState[PartialT, ResultT]]:
    """How far a job is after each of its messages; the last has not ended where other work took its place."""
    started, state = time.monotonic(), JobState[PartialT, ResultT]()
    for message in messages:
        state = replace(state.after(message), seconds=time.monotonic() - started)
        yield state


def stream_job(
    live: Live, visitor: Visitor, kind: str, job: Job[ResultT], *, pace: float = PACE
) -> Iterator[Message[Any, ResultT]]:
    """Run the job and yield what it publishes, then its result, its failure, or that the visitor stopped it.

    Of messages of one type that come within the pace the last is passed on: each says all that is known of its kind.
    Work that other work of the visitor replaces ends without a word.

    Args:
        live: Models and who uses them.
        visitor: For whom.
        kind: An earlier job of this kind by the same page is cancelled.
        job: See `Job`.
        pace: Seconds to gather messages for.
    """
    started, ended, work, kind_alone = time.monotonic(), "left", None, kind.partition(" ")[0]
    try:
        with live.visits.begin(visitor, kind) as work:
            for message in _stream(work, job, pace):
                ended = _ENDS.get(type(message), ended)
                yield message
    except (UserError, ProviderError) as fault:
        ended = "refused"
        log_refusal(fault, kind=kind_alone)
        yield Failure(str(fault))
    except Exception:
        ended = "failed"
        logging.getLogger(__name__).exception("%s failed", kind_alone)
        yield Failure("something went wrong on the server and was logged there; try another photo or model")
    finally:
        if work is not None:
            seconds = time.monotonic() - started
            log_event("work", kind=kind_alone, ended=ended, seconds=seconds, model_seconds=work.spent)


_ENDS: Mapping[type, str] = {JobResult: "done", JobCancelled: "stopped"}
"""How the last message says that work ended; without either its visitor left, or asked for other work."""


def _stream(work: Work, job: Job[ResultT], pace: float) -> Iterator[Message[Any, ResultT]]:
    def run(publish: Publish) -> ResultT:
        work.publish_position = lambda ahead: publish(QueuePosition(ahead))
        return job(work, publish)

    batches = run_in_background(run, work.cancel, pace=pace)
    try:
        while True:
            batch = next(batches)
            if not work.replaced:
                yield from _latest(batch) or [StillWorking()]
    except StopIteration as stop:
        if not work.replaced:
            yield JobResult(stop.value)
    except Cancelled:
        if not work.replaced:
            yield JobCancelled()
    finally:
        batches.close()


def _latest(batch: Sequence[Message[Any, ResultT]]) -> list[Message[Any, ResultT]]:
    """The last message of each type, in the order in which these came."""
    latest: dict[type, Message[Any, ResultT]] = {}
    for message in batch:
        latest.pop(type(message), None)
        latest[type(message)] = message
    return list(latest.values())


def run_in_background(
    job: Callable[[Callable[[MessageT], None]], ResultT],
    cancel: threading.Event,
    *,
    heartbeat: float = HEARTBEAT,
    pace: float = PACE,
    grace: float = GRACE,
) -> Generator[list[MessageT], None, ResultT]:
    """Run a job in a thread and yield what it publishes, in order; an empty batch says that it is still at work.

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
    done = in_thread(lambda: job(published.put))
    done.add_done_callback(lambda _: published.put(None))  # wakes the reader
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
