"""The one way in which live pages serve work: a visitor's job as typed messages, from its start to its end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from leaderboard.events import log_event, log_refusal
from leaderboard.live.service.background import PACE, run_in_background
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.messages import (
    Failure,
    JobCancelled,
    JobResult,
    Message,
    Publish,
    QueuePosition,
    ResultT,
    StillWorking,
)
from leaderboard.live.service.open import Live
from qbench.cancelling import Cancelled
from qbench.errors import ProviderError, UserError

Job: TypeAlias = Callable[[Work, Publish], ResultT]
"""Gets the work, to ask models with, and the function to publish messages with; returns the result."""


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
