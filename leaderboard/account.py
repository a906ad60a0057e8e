"""What visitors hold of the server and what they have sent: pages, requests, bytes, uploads, work, submissions.

One account for all of it. Each kind has a bound for one address, for its network and for everybody, and what is asked
for counts from the moment that it begins: requests that begin together cannot all pass. No more is kept of a visitor
than digests of the address and of its network, the senders of what comes from there.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal

from qbench.errors import UserError

Kind = Literal[
    "page",
    "request",
    "body",
    "upload",
    "work",
    "run",
    "seconds",
    "submission",
    "check",
    "anonymous",
    "person",
    "answers",
]
HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True)
class Bound:
    """The most that may be held of one kind."""

    own: float
    """By one address."""
    network: float
    all: float
    said: str
    """What is said to whoever comes when so much is held."""
    seconds: float = HOUR
    """For which that counts which outlasts its request."""


_ANONYMOUS = "your network has used up its submissions without an account for this week; log in, or come back later"
BOUNDS: Mapping[Kind, Bound] = {
    "page": Bound(100, 400, 2000, "too many pages are open; close some, or come back later"),
    "request": Bound(400, 1600, 4000, "too many requests are waiting; wait for some of them"),
    "body": Bound(2**25, 2**27, 2**28, "too much is being sent at once; send it again in a minute"),
    "upload": Bound(2**31, 2**32, 2**33, "the uploads of the last hour take all the space there is; come back later"),
    "work": Bound(64, 128, 4000, "too much of your work is waiting or running; wait for some of it, or stop it"),
    "run": Bound(3, 12, 20, "too many runs are waiting or running; stop one of yours, or come back later"),
    "seconds": Bound(math.inf, math.inf, math.inf, "said where they are spent"),
    "submission": Bound(20, 100, 2**31, "your network has used up its submissions for today; come back tomorrow", DAY),
    "check": Bound(4, 4, 50, "too many uploads from your network are being checked; come back in a minute"),
    "anonymous": Bound(5, 20, 2**31, _ANONYMOUS, 7 * DAY),
    "person": Bound(30, 200, 2**31, "too many people have answered from your network today; come back tomorrow", DAY),
    "answers": Bound(300, 2000, 2**31, "too many answers have come from your network today; come back tomorrow", DAY),
}
"""A page takes 60 kB; some requests wait for as long as their sender does; a class behind one router has fewer. Each
sending of answers to a study, the same again too, is a look at everybody's."""


class FullError(UserError):
    """As much is held as may be; one sentence."""


class Account:
    """Who holds how much, by the digests of an address and of its network, together its senders."""

    def __init__(self, bounds: Mapping[Kind, Bound] = BOUNDS, clock: Callable[[], float] = time.monotonic) -> None:
        self.bounds = bounds
        self._clock = clock
        self._lock = threading.Lock()
        self.held: defaultdict[tuple[Kind, str], float] = defaultdict(float)
        """Kind, and whose it is: an address, a network or all -> how much."""
        self._kept: list[tuple[float, Kind, tuple[str, ...], float]] = []
        """Until when, and what, of that which outlasts its request."""

    @contextmanager
    def hold(
        self, kind: Kind, senders: Sequence[str], amount: int = 1, beside: Iterable[Sequence[str]] = ()
    ) -> Iterator[None]:
        """Hold so much while the block lasts; `beside` holds one more each, of which the caller alone knows.

        Raises:
            FullError: The address, its network or everybody holds too much already.
        """
        bound, others = self.bounds[kind], Counter(key for other in beside for key in _levels(other))
        with self._lock:
            self._forget()
            for key, most in zip(_levels(senders), (bound.own, bound.network, bound.all), strict=True):
                if self.held.get((kind, key), 0) + others[key] + amount > most:
                    raise FullError(bound.said)
            self._add(kind, senders, amount)
        try:
            yield
        finally:
            with self._lock:
                self._add(kind, senders, -amount)

    def keep(self, kind: Kind, senders: Sequence[str], amount: float) -> None:
        """Count so much for as long as the kind says."""
        with self._lock:
            self._add(kind, senders, amount)
            heappush(self._kept, (self._clock() + self.bounds[kind].seconds, kind, tuple(senders), amount))

    def count(self, kind: Kind, senders: Sequence[str]) -> None:
        """Count one more for as long as the kind says, or FullError; where nobody is known to send it, nothing."""
        if senders:
            with self.hold(kind, senders):
                self.keep(kind, senders, 1)

    def left(self, kind: Kind, senders: Sequence[str]) -> float:
        """How much more these senders may hold."""
        bound = self.bounds[kind]
        with self._lock:
            self._forget()
            levels = zip(_levels(senders), (bound.own, bound.network, bound.all), strict=True)
            return min(most - self.held.get((kind, key), 0) for key, most in levels)

    def _forget(self) -> None:
        while self._kept and self._kept[0][0] <= self._clock():
            _, kind, whose, amount = heappop(self._kept)
            self._add(kind, whose, -amount)

    def _add(self, kind: Kind, senders: Sequence[str], amount: float) -> None:
        for key in _levels(senders):
            self.held[kind, key] += amount
            if abs(self.held[kind, key]) < 1e-6:  # seconds are no whole numbers
                del self.held[kind, key]


def _levels(senders: Sequence[str]) -> tuple[str, str, str]:
    return f"address {senders[0]}", f"network {senders[1]}", "all"
