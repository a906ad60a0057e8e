"""A device for one at a time: first come, first served, and everybody who waits knows how many are before them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from leaderboard.live.service.limits import Work

_CHECK_SECONDS = 0.2
"""Between two looks at whether the work was cancelled."""
_PUBLISH_EVERY = 50
"""Checks after which the position is published again: proxies drop a connection that is silent for a minute."""


class DeviceQueue:
    """Work that waits for a device."""

    def __init__(self) -> None:
        self._tickets: list[object] = []
        self._moved = threading.Condition()

    @contextmanager
    def device(self, work: Work) -> Iterator[None]:
        """The device, while the block lasts; waits until it is free.

        Raises:
            Cancelled: The work was cancelled, perhaps while it waited.
            UserError: Its time is used up.
        """
        ticket = object()
        with self._moved:
            self._tickets.append(ticket)
        try:
            self._wait(ticket, work)
            work.check()
            yield
        finally:
            with self._moved:
                self._tickets.remove(ticket)
                self._moved.notify_all()

    def _wait(self, ticket: object, work: Work) -> None:
        published, checks = -1, 0
        while not work.cancel.is_set():
            with self._moved:
                ahead = self._tickets.index(ticket)
                if ahead == published:
                    self._moved.wait(_CHECK_SECONDS)
                    ahead = self._tickets.index(ticket)
            if ahead == 0:
                return
            checks += 1
            if ahead != published or checks % _PUBLISH_EVERY == 0:
                work.publish_position(ahead)  # outside the lock: it may write to a slow connection
                published = ahead
