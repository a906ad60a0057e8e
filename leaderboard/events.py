"""One line in the log for each thing that happens: what it was, in words of the code and numbers.

    event=submission status=pending results=3 seconds=0.41

Nothing that a visitor gave is in it, and no address: of a refusal the function that refused is named, not its sentence.
"""

from __future__ import annotations

import logging
import sys
from types import TracebackType
from typing import Literal

Event = Literal["submission", "check", "work", "refusal", "review", "store-problem"]
log = logging.getLogger(__name__)


def log_event(what: Event, **facts: str | float) -> None:
    """Write the line of an event.

    Args:
        what: Its kind.
        facts: Numbers, and words that the code chose; never a text that somebody gave.
    """
    told = (f"{name}={f'{value:.2f}' if isinstance(value, float) else value}" for name, value in facts.items())
    log.info("%s", " ".join([f"event={what}", *told]))


def log_refusal(fault: BaseException, **facts: str | float) -> None:
    """Write the line of something that was refused: where, not what was said, which may quote what was given."""
    log_event("refusal", by=_raised_in(fault.__traceback__), **facts)


def show_events() -> None:
    """Write the events of this process to its standard error output, with the time of each."""
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(shown)
    log.setLevel(logging.INFO)
    log.propagate = False


def _raised_in(traceback: TracebackType | None) -> str:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return "unknown"
    frame = traceback.tb_frame
    return f"{frame.f_globals.get('__name__', 'unknown')}.{frame.f_code.co_name}"
