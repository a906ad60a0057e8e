"""The limits that an installation holds visitors to, in words, for its owner."""

from __future__ import annotations

from leaderboard.settings import Settings
from leaderboard.store.local import MOST_BYTES, MOST_BYTES_ANONYMOUS
from leaderboard.submissions.limits import (
    A_DAY,
    MOST_WAITING_ANONYMOUS,
    MOST_WAITING_OF_AN_ACCOUNT,
    WRONG_CODES,
)


def limits_in_force(settings: Settings) -> list[tuple[str, str]]:
    """What is limited, and to how much; with the setting that says so, where one does."""
    ladder = "; the ladder is on" if settings.private_ladder else ""
    return [
        ("Submissions in a day", f"{A_DAY[0]} from one address, {A_DAY[1]} from its network"),
        (
            "Submissions that wait",
            f"{MOST_WAITING_ANONYMOUS} without an account, {MOST_WAITING_OF_AN_ACCOUNT} of one account",
        ),
        (
            "One submission",
            f"{MOST_BYTES / 2**20:g} MB, without an account {MOST_BYTES_ANONYMOUS / 2**20:g} MB",
        ),
        ("Wrong codes in a day", f"{WRONG_CODES[0]} from one address, {WRONG_CODES[1]} from its network"),
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
