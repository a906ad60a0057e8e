"""What one visitor may take: one piece of work of a kind at a time, and a budget of seconds at the models."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from ipaddress import ip_address, ip_network

from leaderboard.account import Account
from qbench.cancelling import Cancelled
from qbench.errors import UserError

_BITS = {4: (32, 24), 6: (64, 48)}
"""Of an address, those that one visitor cannot choose, and those of the network; of IPv6 each has 2 to the 64th."""


@dataclass(frozen=True)
class Visitor:
    """Who asks, as far as that must be known to share the models."""

    session: str
    """One open page."""
    place: str
    """Digest of the address: one visitor with several pages open."""
    network: str = ""
    """Digest of the addresses around it, which one visitor may have all."""

    @property
    def senders(self) -> tuple[str, str]:
        """Digests of the address and of its network."""
        return self.place, self.network


def visitor_at(session: str | None, address: str | None) -> Visitor:
    """The visitor of a request; of an address and its network only digests are kept."""
    return Visitor(session or "", *senders_at(address))


@lru_cache(4096)
def senders_at(address: str | None) -> tuple[str, str]:
    """Digests of an address and of its network."""
    address = address or ""
    own = network = address
    try:
        at = ip_address(address)
        at = getattr(at, "ipv4_mapped", None) or at  # how a server that listens to both kinds is told of the older
        own, network = (str(ip_network(f"{at}/{bits}", strict=False)) for bits in _BITS[at.version])
    except ValueError:
        pass
    place, around = (hashlib.sha256(text.encode()).hexdigest()[:16] for text in (own, network))
    return place, around


@dataclass(eq=False)
class Work:
    """One piece of work: it waits its turn, counts the seconds it has had, and ends when cancelled or used up."""

    left: Callable[[], float] = lambda: math.inf
    """Tells how many seconds it may still have, all work of the visitor's hour counted."""
    count: Callable[[float], None] = lambda _seconds: None
    """Told the seconds that it had."""
    session: str = ""
    """The page that it is for."""
    publish_position: Callable[[int], None] = lambda _ahead: None
    """Told how many are before this one, whenever that changes."""
    cancel: threading.Event = field(default_factory=threading.Event)
    replaced: bool = False
    """Whether the visitor asked for other work of the kind, which cancelled this one."""
    spent: float = 0.0

    def check(self) -> None:
        """Go on only while that is wanted and allowed.

        Raises:
            Cancelled: On request, or because the visitor left.
            UserError: The time is used up.
        """
        if self.cancel.is_set():
            raise Cancelled
        if self.left() <= 0:
            raise UserError(
                "the seconds that one visitor, or one network, has in an hour of the models here are used up; "
                "ask for less, come back in an hour, or run it on your own computer with `python -m qbench run`"
            )

    @contextmanager
    def timed(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.spend(time.monotonic() - started)

    def spend(self, seconds: float) -> None:
        self.spent += seconds
        self.count(seconds)


class Visits:
    """Work in progress; what every visitor had of the models in the last hour is in the account."""

    def __init__(self, account: Account | None = None) -> None:
        self.account = account or Account()
        self._at: dict[Work, tuple[Visitor, str]] = {}
        """Work that goes on, with whose it is and of what kind."""
        self.seconds = 0.0
        """That all work had at the models."""
        self._lock = threading.RLock()

    @contextmanager
    def begin(self, visitor: Visitor, kind: str) -> Iterator[Work]:
        """Work of a kind ("probe", "pair", ...) while the block lasts; the visitor's earlier one of it is cancelled.

        Raises:
            UserError: The visitor has had the hour's seconds.
        """

        def count(seconds: float) -> None:
            with self._lock:
                self.seconds += seconds
            if self.account.bounds["seconds"].own < math.inf:
                self.account.keep("seconds", visitor.senders, seconds)

        left = partial(self.account.left, "seconds", visitor.senders)
        work = Work(left, count, visitor.session)
        work.check()
        with self._lock:
            self.cancel(visitor, kind, replaced=True)
            self._at[work] = visitor, kind
        try:
            yield work
        finally:
            work.cancel.set()  # what is left of it is for nobody
            with self._lock:
                del self._at[work]

    @property
    def going_on(self) -> int:
        return len(self._at)

    def cancel(self, visitor: Visitor, kind: str | None = None, *, replaced: bool = False) -> None:
        """Stop all work of the visitor's page, or that of a kind ("pair").

        `replaced` says that other work takes its place, so that nothing need be said of it.
        """
        with self._lock:
            for work, (other, name) in self._at.items():
                if visitor.session and other.session == visitor.session and kind in (None, name):
                    work.replaced = work.replaced or replaced
                    work.cancel.set()
