"""Whose upload is checked now: a few at once, of one network one, so that nobody's files keep everybody waiting."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from qbench.errors import UserError

AT_ONCE = 2
"""A check may take a few hundred megabytes."""
MOST_OF_ONE = 4
"""Checks of one network, the one that goes on and those that wait for it."""
MOST_WAITING = 50


class CheckTurns:
    """Lets a few networks check one upload each at a time."""

    def __init__(self) -> None:
        self._there: Counter[str] = Counter()
        self._working: set[str] = set()
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, network: str) -> Iterator[None]:
        """The turn of a network, while the block lasts; waits for it.

        Raises:
            UserError: As many of its uploads, or of all, are being checked as may wait.
        """
        with self._changed:
            if self._there[network] >= MOST_OF_ONE:
                raise UserError(f"{MOST_OF_ONE} uploads from your network are being checked; come back in a minute")
            if self._there.total() >= MOST_WAITING:
                raise UserError(f"{MOST_WAITING} uploads wait to be checked; come back in some minutes")
            self._there[network] += 1
            self._changed.wait_for(lambda: len(self._working) < AT_ONCE and network not in self._working)
            self._working.add(network)
        try:
            yield
        finally:
            with self._changed:
                self._working.remove(network)
                self._there[network] -= 1
                if not self._there[network]:
                    del self._there[network]
                self._changed.notify_all()
