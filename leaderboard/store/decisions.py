"""What owners of a board decide on submissions: records that are added and never changed, the last one holds.

The command `python -m leaderboard review` and the Owner page use these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone

from leaderboard.store.submission import Decided, Decision, Entry
from qbench.errors import UserError
from qbench.rows import shorten

DECISIONS: Mapping[str, Decided] = {"accept": "accepted", "decline": "declined", "back": "taken back"}
"""What an owner does, on the page and in the command -> what is decided by it."""
ANONYMOUS = "anonymous"
"""The source of submissions without an account."""


def make_decision(entry: Entry, decided: Decided, by: str, reason: str = "") -> Decision:
    """The record of a decision on a submission as it stands in a store whose lock is held.

    Raises:
        UserError: It is not there to be decided on any more; the sentence says what happened to it.
    """
    if not (can_be_taken_back(entry) if decided == "taken back" else entry.status == "pending"):
        fix = "; take that back first to decide otherwise" if can_be_taken_back(entry) else ""
        name = shorten(entry.submission.metadata.model)
        raise UserError(f"{name} {what_happened(entry)}, so nothing was changed{fix}")
    at = datetime.now(timezone.utc)
    if entry.decisions:  # clocks of other machines may be ahead
        at = max(at, datetime.fromisoformat(entry.decisions[-1].at) + timedelta(microseconds=1))
    return Decision(entry.digest, decided, by, at.isoformat(timespec="microseconds"), reason)


def can_be_taken_back(entry: Entry) -> bool:
    """Whether it can be made to wait again: it was declined, or is on the board, be it without a decision."""
    return entry.status == "accepted" or is_declined(entry)


def is_declined(entry: Entry) -> bool:
    """Whether the owner of the board declined a submission, rather than its author withdrawing it."""
    return entry.status == "withdrawn" and entry.withdrawal is None


def what_happened(entry: Entry) -> str:
    """What became of a submission, by whom and when, after its name."""
    if entry.withdrawal is not None:
        return f"was withdrawn by its author at {_minute(entry.withdrawal.at)}"
    if entry.status == "superseded":
        return "was corrected"
    if entry.decisions:
        return f"was {told(entry.decisions[-1])}"
    return "is on the board" if entry.status == "accepted" else "waits for review"


def told(decision: Decision) -> str:
    """A decision in words: “declined by ola at 2026-05-31 12:00 UTC (no such paper)”."""
    why = f" ({decision.reason})" if decision.reason else ""
    return f"{decision.decided} by {decision.by} at {_minute(decision.at)}{why}"


def _minute(at: str) -> str:
    return f"{at[:16].replace('T', ' ')} UTC"


def by_source(waiting: Iterable[Entry]) -> dict[str, list[Entry]]:
    """What waits by who handed it in; whoever handed in most comes first."""
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in waiting:
        found[entry.submission.identity or ANONYMOUS].append(entry)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))
