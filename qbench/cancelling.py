"""Let a long computation ask, between two of its steps, whether anybody still wants what it computes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_cancel: ContextVar[threading.Event | None] = ContextVar("cancel", default=None)


class Cancelled(Exception):  # noqa: N818 - a request, not an error
    """The run was asked to stop; everything answered so far is kept."""


@contextmanager
def cancelled_by(cancel: threading.Event) -> Iterator[None]:
    """Within the block, and in threads that are given a copy of its context, the event ends what checks for it."""
    token = _cancel.set(cancel)
    try:
        yield
    finally:
        _cancel.reset(token)


def check_cancelled() -> None:
    """Go on only while that is wanted: raises Cancelled once the event of the block is set."""
    cancel = _cancel.get()
    if cancel is not None and cancel.is_set():
        raise Cancelled


def pause(seconds: float) -> None:
    """Wait, no longer than that is wanted, as `check_cancelled`."""
    cancel = _cancel.get()
    if cancel is None:
        time.sleep(seconds)
    else:
        cancel.wait(seconds)
        check_cancelled()
