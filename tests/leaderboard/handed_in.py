"""Made-up submissions, and a decision on one."""

from __future__ import annotations

from typing import Any

from leaderboard.store.local import Store, find_entry
from leaderboard.store.submission import Decided, Entry, Metadata, Submission
from qbench.errors import UserError
from tests.leaderboard.made import result

NOON = "2026-05-31T12:00:00+00:00"


def submission(
    model: str = "alpha", value: float = 0.5, identity: str | None = "ada", at: str = NOON, **changes: Any
) -> Submission:
    """One result of a model, handed in by somebody who is logged in."""
    said = {"organisation": "Lab", "link": "https://example.org/alpha", "parameters": 7, "trained_on": ("KonIQ-10k",)}
    metadata = Metadata(model=model, **said)  # type: ignore[arg-type]
    made = result(model, srcc=value, kind="self-reported")
    return Submission(**{"results": (made,), "metadata": metadata, "submitted_at": at, "identity": identity, **changes})


def decide(store: Store, digest: str, decided: Decided, by: str, reason: str = "") -> Entry:
    """Decide on one submission; a refusal is raised."""
    done, refused = store.decide_each([digest], decided, by, reason)
    if refused:
        raise UserError(refused[0])
    return find_entry(store.load().entries, done[0])
