"""What visitors hold of the server: open pages, requests, bytes that come, uploads on the disk, work that waits.

One account for all of it. Each kind has a bound for one address, for its network and for everybody, and what is asked
for counts from the moment that it begins: requests that begin together cannot all pass.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from leaderboard.live.service.limits import Visitor

Kind = Literal["page", "request", "body", "upload", "work"]
HOUR = 3600.0
"""For which uploads lie on the disk where nobody closes a page."""


@dataclass(frozen=True)
class Bound:
    """The most that may be held of one kind."""

    own: int
    """By one address."""
    network: int
    all: int
    said: str
    """What is said to whoever comes when so much is held."""


BOUNDS: Mapping[Kind, Bound] = {
    "page": Bound(100, 400, 2000, "as many pages are open as may be at once; close some, or come back later"),
    "request": Bound(400, 1600, 4000, "as many requests wait as may at once; wait for some of them"),
    "body": Bound(2**25, 2**27, 2**28, "as much is being sent as may be at once; send it again in a minute"),
    "upload": Bound(2**31, 2**32, 2**33, "as much was uploaded in an hour as is kept; come back later"),
    "work": Bound(64, 128, 4000, "as much of your work waits or goes on as may; wait for some of it, or stop it"),
}
"""A page takes 60 kB; some requests wait for as long as their sender does; a class behind one router has fewer."""


class FullError(Exception):
    """As much is held as may be; one sentence."""


class Account:
    """Who holds how much, by digests of addresses and networks.

    Args:
        bounds: Kind -> the most of it.
        clock: Seconds of a clock that never goes back.
    """

    def __init__(self, bounds: Mapping[Kind, Bound] = BOUNDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._bounds = bounds
        self._clock = clock
        self.held: Counter[tuple[Kind, str]] = Counter()
        """Kind, and whose it is: an address, a network or all -> how much."""
        self._kept: deque[tuple[float, Kind, Visitor, int]] = deque()
        """Until when, and what, of that which outlasts its request."""

    @contextmanager
    def hold(self, kind: Kind, visitor: Visitor, amount: int = 1, beside: Iterable[Visitor] = ()) -> Iterator[None]:
        """Hold so much while the block lasts.

        Args:
            kind: Of what.
            visitor: Who holds it.
            amount: How much.
            beside: Whose else is known to the caller alone, one for each.

        Raises:
            FullError: The address, its network or everybody holds too much already.
        """
        while self._kept and self._kept[0][0] <= self._clock():
            _, past, whose, given = self._kept.popleft()
            self._add(past, whose, -given)
        bound, others = self._bounds[kind], Counter(key for other in beside for key in _levels(other))
        for key, most in zip(_levels(visitor), (bound.own, bound.network, bound.all), strict=True):
            if self.held[kind, key] + others[key] + amount > most:
                raise FullError(bound.said)
        self._add(kind, visitor, amount)
        try:
            yield
        finally:
            self._add(kind, visitor, -amount)

    def keep(self, kind: Kind, visitor: Visitor, amount: int) -> None:
        """Count so much for an hour."""
        self._add(kind, visitor, amount)
        self._kept.append((self._clock() + HOUR, kind, visitor, amount))

    def _add(self, kind: Kind, visitor: Visitor, amount: int) -> None:
        for key in _levels(visitor):
            self.held[kind, key] += amount
            if not self.held[kind, key]:
                del self.held[kind, key]


def _levels(visitor: Visitor) -> tuple[str, str, str]:
    return f"address {visitor.place}", f"network {visitor.network}", "all"
