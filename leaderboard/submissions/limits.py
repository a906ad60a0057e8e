"""How much may be handed in: by one author, from one address and its neighbours, and by all whom nobody reviewed."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from leaderboard.store.submission import Entry
from leaderboard.submissions.private import is_private
from qbench.errors import UserError

MOST_WAITING_ANONYMOUS = 200
"""All of them together: what the owner of a board can still look through."""
MOST_WAITING_OF = (5, 20)
"""Of them from one address and from its network: few cannot fill all places for everybody."""
MOST_WAITING_OF_AN_ACCOUNT = 50
A_DAY = (20, 100)
"""Submissions from one address and from its network in 24 hours."""
WRONG_CODES = (10, 50)
"""Codes that fit no submission, likewise."""
DAY = 24 * 3600.0


def limit_private(entries: Iterable[Entry], identity: str, now: datetime, most: int) -> None:
    """Refuse an account's next result on private answers: whoever may try often enough learns them.

    Raises:
        UserError: It handed in as many today as are taken.
    """
    today = [
        entry
        for entry in entries
        if entry.submission.identity == identity
        and entry.submission.submitted_at[:10] == now.date().isoformat()
        and any(map(is_private, entry.submission.results))
    ]
    if len(today) >= most:
        raise UserError(
            f"you handed in {len(today)} results on private answers today, and {most} a day are taken; "
            "come back tomorrow"
        )


def limit_waiting(entries: Iterable[Entry], identity: str | None) -> None:
    """Refuse a submission that would wait for review beside too many others.

    Raises:
        UserError: As many wait as are kept.
    """
    waiting = sum(entry.status == "pending" and entry.submission.identity == identity for entry in entries)
    if identity is None and waiting >= MOST_WAITING_ANONYMOUS:
        raise UserError(
            f"{waiting} submissions without an account wait for review, as many as are kept; log in where the board "
            "has accounts, or come back when its owner has decided on some"
        )
    if identity is not None and waiting >= MOST_WAITING_OF_AN_ACCOUNT:
        raise UserError(f"{waiting} of your submissions wait for review, as many as are kept; come back later")


def limit_places(entries: Iterable[Entry], sent_by: Mapping[str, Sequence[str]], senders: Sequence[str]) -> None:
    """Refuse a submission without an account from where as many come already that still wait.

    Args:
        entries: All that there are.
        sent_by: Digest of a submission -> of the address it came from, and of its network.
        senders: The same of whoever hands in now.

    Raises:
        UserError: As many wait as one address, or one network, may have waiting.
    """
    waiting = [sent_by.get(entry.digest, ()) for entry in entries if entry.status == "pending"]
    for sender, most in zip(senders, MOST_WAITING_OF, strict=False):
        if sum(sender in others for others in waiting) >= most:
            raise UserError(
                f"{most} submissions without an account that came from your network wait for review, as many as are "
                "kept of one; log in where the board has accounts, or come back when its owner has decided on some"
            )


class CountsADay:
    """Counts what is sent by who sends it, without keeping more of that than the digests it is given."""

    def __init__(
        self, most: Sequence[int] = A_DAY, clock: Callable[[], float] = time.monotonic, what: str = "submissions"
    ) -> None:
        self._most = most
        self._clock = clock
        self._what = what
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def count(self, senders: Sequence[str]) -> None:
        """Count one more.

        Args:
            senders: Digest of the address it comes from, and of its network.

        Raises:
            UserError: As many came from there in the last 24 hours as are taken.
        """
        with self._lock:
            self._check(senders)
            for sender in senders:
                self._times.setdefault(sender, deque()).append(self._clock())

    def check(self, senders: Sequence[str]) -> None:
        """Count nothing, but raise as `count` does."""
        with self._lock:
            self._check(senders)

    def _check(self, senders: Sequence[str]) -> None:
        now = self._clock()
        for sender in [sender for sender, times in self._times.items() if times[-1] < now - DAY]:
            del self._times[sender]
        for sender, most in zip(senders, self._most, strict=False):
            times = self._times.get(sender, deque())
            while times and times[0] < now - DAY:
                times.popleft()
            if len(times) >= most:
                hours = (times[0] + DAY - now) / 3600
                raise UserError(
                    f"{len(times)} {self._what} came from your network in a day, as many as are taken; "
                    f"come back in {hours:.0f} hours"
                )
