"""A device for one at a time: first come, first served, and everybody who waits knows how many are before them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from leaderboard.live.limits import Work

_LOOK_EVERY = 0.2
"""Seconds between looks at whether the work was cancelled."""
_SAY_EVERY = 50
"""Looks after which the place is told again: proxies drop a connection that is silent for a minute."""


class Turns:
    """The line before a device."""

    def __init__(self) -> None:
        self._line: list[object] = []
        self._moved = threading.Condition()

    @contextmanager
    def take(self, work: Work) -> Iterator[None]:
        """The device, while the block lasts; waits until it is free.

        Raises:
            Cancelled: The work was cancelled, perhaps while it waited.
            UserError: Its time is used up.
        """
        ticket = object()
        with self._moved:
            self._line.append(ticket)
        try:
            self._wait(ticket, work)
            work.check()
            yield
        finally:
            with self._moved:
                self._line.remove(ticket)
                self._moved.notify_all()

    def _wait(self, ticket: object, work: Work) -> None:
        told, looks = -1, 0
        while not work.cancel.is_set():
            with self._moved:
                ahead = self._line.index(ticket)
                if ahead == told:
                    self._moved.wait(_LOOK_EVERY)
                    ahead = self._line.index(ticket)
            if ahead == 0:
                return
            looks += 1
            if ahead != told or looks % _SAY_EVERY == 0:
                work.waiting(ahead)  # outside the lock: it may write to a slow connection
                told = ahead
