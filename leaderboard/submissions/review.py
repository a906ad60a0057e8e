"""What the owner of a board decides on; the command `python -m leaderboard review` and the Owner page use these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress

from leaderboard.store.local import Store
from leaderboard.store.submission import Decided, Entry
from qbench.errors import UserError

DECISIONS: Mapping[str, Decided] = {"accept": "accepted", "decline": "declined", "take back": "taken back"}
"""What an owner does -> what is decided by it."""
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


def decided_lately(entries: Iterable[Entry]) -> list[Entry]:
    """Every submission that an owner decided on, the last decision first."""
    decided = [entry for entry in entries if entry.decisions]
    return sorted(decided, key=lambda entry: entry.decisions[-1].at, reverse=True)


def decline_source(store: Store, source: str, by: str, reason: str = "") -> int:
    """Decline all that waits of one source; returns how many they were, without those decided on meanwhile."""
    declined = 0
    for entry in by_source(store.load().pending).get(source, []):
        with suppress(UserError):
            store.decide(entry.digest, "declined", by, reason)
            declined += 1
    return declined
