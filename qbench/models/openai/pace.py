"""How many prompts servers are asked at once: more while that brings more answers a second, fewer when they say or
show that it is too many."""

from __future__ import annotations

import threading

_GAIN = 1.1
"""What half as many prompts more must bring, or they only wait longer."""
_REST = 10
"""Windows until more is tried again."""
_TOO_MANY_FAULTS = 0.25
"""Share of a window's prompts that a server without congestion does not fail."""


class Pace:
    """A number of prompts that follows what the servers can do. Several threads may report at once."""

    def __init__(self, start: int, most: int, now: float) -> None:
        self.limit = start
        """Prompts to ask at once."""
        self._most = most
        self._proven = start
        """The largest number that was worth it."""
        self._rate = 0.0
        """Answers a second with that number."""
        self._rest = 1
        self._answers = 0
        self._faults = 0
        self._since = now
        self._lock = threading.Lock()

    def answered(self, now: float) -> None:
        """Take note of an answer; after two for each prompt at once, the number is thought over."""
        with self._lock:
            self._answers += 1
            if self._answers < 2 * self.limit or now <= self._since:
                return
            rate = self._answers / (now - self._since)
            if self.limit <= self._proven:
                self._rate = rate
                self._rest -= 1
            elif rate > _GAIN * self._rate:
                self._proven, self._rate, self._rest = self.limit, rate, 0
            else:
                self._rest = _REST
            more = min(self._most, self._proven + max(1, self._proven // 2))
            self._go_on(more if self._rest <= 0 else self._proven, now)

    def failed(self, now: float, *, busy: bool) -> None:
        """Take note of a prompt without an answer: ask less for a while where the server says that it is too busy, or
        where so many fail that it must be."""
        with self._lock:
            self._faults += 1
            if busy or self._faults > max(1, 2 * self.limit * _TOO_MANY_FAULTS):
                self._proven, self._rest = max(2, self._proven * 3 // 4), _REST
                self._go_on(self._proven, now)

    def _go_on(self, limit: int, now: float) -> None:
        self.limit, self._answers, self._faults, self._since = limit, 0, 0, now
