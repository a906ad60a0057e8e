"""The one way in which live pages serve work: a visitor's job as typed messages, from its start to its end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

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
from qbench.errors import ProviderError, UserError
from qbench.runner import Cancelled

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
    try:
        with live.visits.begin(visitor, kind) as work:
            yield from _stream(work, job, pace)
    except (UserError, ProviderError) as fault:
        yield Failure(str(fault))
    except Exception:
        logging.getLogger(__name__).exception("%s failed", kind)
        yield Failure("something went wrong on the server and was logged there; try another photo or model")


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
