"""Where uploads are handed in: what the Submit page and its endpoints do, without Gradio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.store import Receipt, Store
from leaderboard.submissions import preview
from leaderboard.submissions.check import Asked, check
from leaderboard.submissions.handing_in import Said, hand_in, read_form
from leaderboard.submissions.report import Report
from leaderboard.submissions.truth import Truths
from qbench.datasets import data_root

UNNAMED = "your-model"
"""Stands for the model until the author has named it."""


@dataclass(frozen=True)
class Checked:
    """What is said about an upload before it is handed in."""

    report: Report
    placings: Sequence[preview.Placing] = ()
    listings: Sequence[preview.Listing] = ()

    def to_json(self) -> dict[str, Any]:
        """For scripts."""
        return {
            **self.report.to_json(),
            "preview": [preview.to_json(one) for one in self.placings],
            "listed_under": [preview.listing_json(one) for one in self.listings],
        }


@dataclass(frozen=True)
class Desk:
    """Checks uploads, shows where they would stand, and puts them into the store."""

    store: Store
    truths: Truths
    current: Callable[[], Snapshot]
    private_a_day: int = 3
    author: str | None = None
    """Who hands in where nobody has to log in; None makes those without an account anonymous."""

    def check(self, file: Path, dataset: str, model: str) -> Checked:
        """The report, and where the results would stand; nothing of that where the answers are private."""
        report = check(file, Asked(model.strip() or UNNAMED, dataset), self.truths)
        if not report.accepted or report.private:
            return Checked(report)
        now = self.current()
        return Checked(
            report,
            preview.preview(now.loaded.results, report.results, now.boards, now.find_model),
            preview.listings(report.results, now.boards, now.find_model),
        )

    def submit(self, file: Path, dataset: str, said: Said, account: str | None) -> Receipt:
        """Check again and hand in.

        Raises:
            UserError: What is to be mended first.
        """
        read_form(said)
        report = check(file, Asked(said.model.strip(), dataset), self.truths)
        return hand_in(self.store, report, said, account or self.author, private_a_day=self.private_a_day)


def open_desk(settings: Settings, store: Store, current: Callable[[], Snapshot]) -> Desk:
    """The desk of an installation."""
    truths = Truths(data_root(), settings.private_truth)
    return Desk(store, truths, current, settings.private_a_day, settings.author)


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """For scripts."""
    return {
        "submission": receipt.entry.digest,
        "status": receipt.entry.status,
        "duplicate": receipt.duplicate,
        "queued": receipt.queued,
        "url": receipt.url,
    }
