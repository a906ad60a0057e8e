"""What the owner of a board decides on; the command `python -m leaderboard review` and the Owner page use these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from leaderboard.store import Store
from leaderboard.store.submission import Entry

REVIEW = "review"
"""By whom a submission was declined, as stored where it was the owner of the board."""
ANONYMOUS = "anonymous"
"""The source of submissions without an account."""


def source_of(entry: Entry) -> str:
    """Who handed a submission in: an account, or nobody known."""
    return entry.submission.identity or ANONYMOUS


def by_source(waiting: Iterable[Entry]) -> dict[str, list[Entry]]:
    """What waits by who handed it in; whoever handed in most comes first."""
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in waiting:
        found[source_of(entry)].append(entry)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def accept(store: Store, digest: str) -> Entry:
    """Put a submission on the board.

    Raises:
        UserError: There is none, or it was withdrawn.
    """
    return store.accept(digest)


def decline(store: Store, digest: str, reason: str = "") -> Entry:
    """Decline a submission that waits, or take one off the board; the reason is for all to read.

    Raises:
        UserError: There is none.
    """
    return store.withdraw(digest, REVIEW, reason)


def decline_source(store: Store, source: str, reason: str = "") -> int:
    """Decline all that waits of one source; returns how many they were."""
    waiting = by_source(store.load().pending).get(source, [])
    for entry in waiting:
        decline(store, entry.digest, reason)
    return len(waiting)
