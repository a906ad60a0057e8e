"""One thread that does the same thing again and again, at once when it is woken, and soon where it failed."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable

from qbench.errors import ProviderError

log = logging.getLogger(__name__)


class Worker:
    """Runs rounds until stopped; whoever waits for the outcome of one can be told.

    Args:
        work: One round; a `ProviderError` of it says that the Hub is away or refuses.
        every: Seconds between two rounds, the first of which come sooner after one that failed.
        doing: What a round does, in words.
        meanwhile: What holds until one succeeds, in a sentence.
    """

    def __init__(self, work: Callable[[], None], every: float, doing: str, meanwhile: str) -> None:
        self._work, self._every, self._doing, self._meanwhile = work, every, doing, meanwhile
        self.fault = ""
        """What went wrong in the last round, in words for the page."""
        self.succeeded = time.monotonic()
        """When the last round that went well ended; before it, when this was made."""
        self._changed = threading.Condition()
        self._wanted = False
        self._thread: threading.Thread | None = None
        self._stopped = False

    def start(self) -> None:
        """Begin, with a round at once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="results-store", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End after the round that runs."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def wait(self, done: Callable[[], bool], patience: float) -> bool:
        """Wake the worker and wait until something is done, or patience ends; without a worker only look."""
        if self._thread is None:
            return done()
        with self._changed:
            self._wanted = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: done() or self._stopped, patience) and done()

    def _loop(self) -> None:
        failed = 0
        while not self._stopped:
            with self._changed:
                self._wanted = False
            fault, asked_to_wait = self._round()
            failed = failed + 1 if fault else 0
            pause = pause_after(failed, asked_to_wait, self._every) if fault else self._every
            with self._changed:
                self.fault = fault
                self.succeeded = self.succeeded if fault else time.monotonic()
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._wanted or self._stopped, pause)

    def _round(self) -> tuple[str, float]:
        """What went wrong, and how many seconds the Hub asks to wait."""
        try:
            self._work()
        except ProviderError as fault:
            log.warning("%s", fault)
            return f"{fault} {self._meanwhile}", fault.retry_after
        except Exception as fault:  # a thread that dies would silently send nothing any more
            log.exception("%s failed.", self._doing)
            return f"{self._doing} failed ({type(fault).__name__}); the log says where.", 0.0
        return "", 0.0


def pause_after(failed: int, asked_to_wait: float, every: float) -> float:
    """Seconds until the next round after so many that failed: twice as long each time, with chance in it, so that not
    all installations come back at once; as long as the Hub asks to wait, but never longer than usual."""
    usual = 2.0 ** min(failed - 2, 10)
    return min(every, max(random.uniform(usual / 2, usual * 1.5), asked_to_wait))  # noqa: S311 - no secret


def do_now(work: Callable[[], None], attempts: int = 4) -> None:
    """One round now, for a command: again after a pause where what failed may pass.

    Raises:
        ProviderError: The Hub refuses, or is still away.
    """
    for failed in range(1, attempts + 1):
        try:
            work()
        except ProviderError as fault:
            if fault.kind == "permanent" or failed == attempts:
                raise
            time.sleep(pause_after(failed, fault.retry_after, every=60.0))
        else:
            return
