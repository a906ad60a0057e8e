"""What one visitor may take: one piece of work of a kind at a time, and a budget of seconds at the models."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from qbench.errors import UserError
from qbench.runner import Cancelled

HOUR = 3600.0


@dataclass(frozen=True)
class Limits:
    """Seconds at the models; None is no limit."""

    seconds: float | None = None
    """For one piece of work."""
    hourly: float | None = None
    """For one visitor in an hour."""


@dataclass(frozen=True)
class Visitor:
    """Who asks, as far as that must be known to share the models."""

    session: str
    """One open page."""
    place: str
    """Digest of the address: one visitor with several pages open."""


def visitor_at(session: str | None, address: str | None) -> Visitor:
    """The visitor of a request; an address is kept as its digest alone."""
    return Visitor(session or "", hashlib.sha256((address or "").encode()).hexdigest()[:16])


class Work:
    """One piece of work: it waits its turn, counts the seconds it has had, and ends when cancelled or used up."""

    def __init__(self, seconds: float | None = None, waiting: Callable[[int], None] = lambda _ahead: None) -> None:
        self.cancel = threading.Event()
        self.stopped = False
        """Whether the visitor asked for its end, rather than for other work in its place."""
        self.waiting = waiting
        """Told how many are before this one, whenever that changes and every few seconds."""
        self.spent = 0.0
        self._seconds = seconds

    def check(self) -> None:
        """Go on only while that is wanted and allowed.

        Raises:
            Cancelled: On request, or because the visitor left.
            UserError: The time is used up.
        """
        if self.cancel.is_set():
            raise Cancelled
        if self._seconds is not None and self.spent >= self._seconds:
            raise UserError(
                f"the {self._seconds:.0f} seconds that one visitor has of the models here are used up; "
                "ask for less, come back in an hour, or run it on your own computer with `python -m qbench run`"
            )

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the seconds of the block."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.spent += time.monotonic() - started


class Visits:
    """Work in progress, and what every visitor had in the last hour."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._working: dict[tuple[str, str], Work] = {}
        self._had: dict[str, deque[tuple[float, float]]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def begin(
        self, visitor: Visitor, kind: str, waiting: Callable[[int], None] = lambda _ahead: None
    ) -> Iterator[Work]:
        """Work of a kind ("probe", "pair", ...) while the block lasts; the visitor's earlier one of it is cancelled.

        Raises:
            UserError: The visitor has had the hour's seconds.
        """
        work = Work(self._left(visitor), waiting)
        work.check()
        key = (visitor.session, kind)
        with self._lock:
            if visitor.session and (earlier := self._working.get(key)):
                earlier.cancel.set()
            self._working[key] = work
        try:
            yield work
        finally:
            with self._lock:
                if self._working.get(key) is work:
                    del self._working[key]
                self._had.setdefault(visitor.place, deque()).append((self._clock(), work.spent))

    def cancel(self, visitor: Visitor, kind: str | None = None) -> None:
        """Stop the visitor's work of a kind, or all of this page's."""
        with self._lock:
            for (session, name), work in self._working.items():
                if session == visitor.session and kind in (None, name):
                    work.stopped = True
                    work.cancel.set()

    def _left(self, visitor: Visitor) -> float | None:
        """Seconds a new piece of work may take."""
        if self._limits.hourly is None:
            return self._limits.seconds
        with self._lock:
            self._forget()
            had = sum(seconds for _, seconds in self._had.get(visitor.place, ()))
        left = max(0.0, self._limits.hourly - had)
        return left if self._limits.seconds is None else min(left, self._limits.seconds)

    def _forget(self) -> None:
        """Drop what is an hour ago, and visitors of whom nothing is left."""
        since = self._clock() - HOUR
        for place, had in list(self._had.items()):
            while had and had[0][0] < since:
                had.popleft()
            if not had:
                del self._had[place]
