"""Made-up submissions."""

from __future__ import annotations

from typing import Any

from leaderboard.store.submission import Metadata, Submission
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
