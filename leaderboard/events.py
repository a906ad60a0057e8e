"""One line in the log for each thing that happens: what it was, in words of the code and numbers.

    event=submission status=pending results=3 seconds=0.41

Nothing that a visitor gave is in it, and no address: of a refusal the function that refused is named, not its sentence.
"""

from __future__ import annotations

import logging
import sys
import traceback as tracebacks
from types import TracebackType
from typing import Literal

Event = Literal["submission", "check", "work", "refusal", "review", "store-problem"]
log = logging.getLogger(__name__)


def log_event(what: Event, **facts: str | float) -> None:
    """Write the line of an event. Facts are numbers, and words that the code chose; never a text that somebody gave."""
    told = (f"{name}={f'{value:.2f}' if isinstance(value, float) else value}" for name, value in facts.items())
    log.info("%s", " ".join([f"event={what}", *told]))


def log_refusal(fault: BaseException, **facts: str | float) -> None:
    """Write the line of something that was refused: where, not what was said, which may quote what was given."""
    log_event("refusal", by=_raised_in(fault.__traceback__), **facts)


def is_ours(fault: BaseException) -> bool:
    """Whether code of this project was at work when it was raised, and did not just ask for event data not sent."""
    modules = [str(frame.f_globals.get("__name__", "")) for frame, _ in tracebacks.walk_tb(fault.__traceback__)]
    own = any(module.startswith(_OWN) for module in modules) and modules[-1] != "gradio.events"
    return own or (fault.__cause__ is not None and is_ours(fault.__cause__))


def log_fault(fault: BaseException) -> None:
    """Write an error that nobody expects: one line, and where code of this project was at work the way to it.

    Without its message, which may quote what was given, and so might write lines of its own into the log.
    """
    kind = type(fault).__name__
    if not is_ours(fault):
        log_event("refusal", by=_raised_in(fault.__traceback__), fault=kind)
        return
    way: list[str] = []
    cause: BaseException | None = fault
    while cause is not None:
        way = [f"{type(cause).__name__}\n", *tracebacks.format_tb(cause.__traceback__), *way]
        cause = cause.__cause__
    log.error("event=fault by=%s fault=%s\n%s", _raised_in(fault.__traceback__), kind, "".join(way).rstrip())


_OWN = ("leaderboard.pages", "leaderboard.live", "leaderboard.submissions", "leaderboard.store", "qbench")
"""What a page's work goes through; the middlewares are on the way of every request."""


def show_events() -> None:
    """Write the events of this process to its standard error output, with the time of each."""
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(shown)
    log.setLevel(logging.INFO)
    log.propagate = False


def _raised_in(traceback: TracebackType | None) -> str:
    frames = [frame for frame, _ in tracebacks.walk_tb(traceback)]
    return f"{frames[-1].f_globals.get('__name__', 'unknown')}.{frames[-1].f_code.co_name}" if frames else "unknown"
