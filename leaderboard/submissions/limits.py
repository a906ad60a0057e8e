"""How much may wait for review, and be scored against private answers; what a day may bring is in the account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from leaderboard.account import BOUNDS
from leaderboard.settings import Settings
from leaderboard.store.local import MOST_BYTES, MOST_BYTES_ANONYMOUS
from leaderboard.store.submission import Entry
from leaderboard.submissions.private import is_private
from qbench.errors import UserError

MOST_WAITING_ANONYMOUS = 200
"""All of them together: what the owner of a board can still look through."""
MOST_WAITING_OF = (5, 20)
"""Of them from one address and from its network: few cannot fill all places for everybody."""
MOST_WAITING_OF_AN_ACCOUNT = 50


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


def limits_in_force(settings: Settings) -> list[tuple[str, str]]:
    """What is limited, and to how much; with the setting that says so, where one does."""
    a_day = BOUNDS["submission"]
    ladder = "; the ladder is on" if settings.private_ladder else ""
    return [
        ("Submissions in a day", f"{a_day.own} from one address, {a_day.network} from its network"),
        (
            "Submissions that wait",
            f"{MOST_WAITING_ANONYMOUS} without an account, {MOST_WAITING_OF_AN_ACCOUNT} of one account",
        ),
        (
            "One submission",
            f"{MOST_BYTES / 2**20:g} MB, without an account {MOST_BYTES_ANONYMOUS / 2**20:g} MB",
        ),
        (
            "Results on private answers",
            f"{settings.private_a_day} of an account in a day (QBENCH_PRIVATE_A_DAY), {settings.private_a_month} of a "
            f"split in 30 days (QBENCH_PRIVATE_A_MONTH), rounded to {settings.private_step:g} "
            f"(QBENCH_PRIVATE_STEP){ladder}",
        ),
        (
            "Seconds at the models",
            f"{_seconds(settings.live_seconds)} for one request (QBENCH_LIVE_SECONDS), "
            f"{_seconds(settings.live_hourly)} for one visitor in an hour (QBENCH_LIVE_SECONDS_AN_HOUR)",
        ),
        (
            "Visitors' runs that are kept",
            f"{settings.runs_kept} (QBENCH_RUNS_KEPT), {settings.runs_days} days (QBENCH_RUNS_DAYS), "
            f"{settings.runs_megabytes} MB together (QBENCH_RUNS_MEGABYTES)",
        ),
    ]


def _seconds(most: float | None) -> str:
    return "no limit" if most is None else f"{most:g}"
