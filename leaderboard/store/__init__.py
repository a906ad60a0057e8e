"""Where results are kept. A store is read whole; what cannot be read is skipped and named, never fatal."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from leaderboard.store.submission import Entry, StudyAnswers
from qbench.records import Result

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class SkippedFile:
    """A file or record that was skipped, and why."""

    where: str
    reason: str


@dataclass(frozen=True, eq=False)
class Recorded:
    """A result as the store holds it. The same figures may be there twice, so each equals only itself."""

    result: Result
    entry: Entry | None = None
    """The submission it came with; None for what a paper printed or this installation ran."""
    file: Path | None = None
    """Where it is stored, if that is a file of records; answers may lie beside it."""


def records_of(results: Iterable[Result], entry: Entry | None = None) -> tuple[Recorded, ...]:
    """Results as records of a store, in their order."""
    return tuple(Recorded(result, entry) for result in results)


@dataclass(frozen=True)
class Loaded:
    """Everything one store holds at one moment."""

    records: tuple[Recorded, ...]
    """What counts: published results and accepted submissions, without those withdrawn or superseded."""
    problems: tuple[SkippedFile, ...]
    revision: str
    """Names the content: the same results have the same revision."""
    entries: tuple[Entry, ...] = ()
    """Every submission ever made, oldest first, whatever became of it."""

    @property
    def as_of(self) -> str:
        """The newest day that a record states, and what names the content: “2026-11-23 (abc1234)”."""
        days = [record.result.source.at or "" for record in self.records]
        days += [record.entry.submission.submitted_at[:10] for record in self.records if record.entry]
        newest = max(filter(_DAY.fullmatch, days), default="")
        return f"{newest} ({self.revision})" if newest else self.revision

    @property
    def pending(self) -> tuple[Entry, ...]:
        """Submissions that wait for review: to be shown as such, never ranked."""
        return tuple(entry for entry in self.entries if entry.status == "pending")

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of the records."""
        return tuple(record.result for record in self.records)


@dataclass(frozen=True)
class Receipt:
    """What became of a submission the moment it was handed in; it is safe on disk before this is returned."""

    entry: Entry
    duplicate: bool = False
    """The same results were there already; `entry` is the one that was, and nothing was added."""
    queued: bool = False
    """Kept here and sent on to the Hub as soon as it answers."""
    code: str = ""
    """What lets its author correct and withdraw it; told once, in no store. Empty where nothing was added."""


Allow = Callable[[tuple[Entry, ...]], bool]
"""Every submission there is, while nobody else can add one -> whether one more has to wait for review; raises UserError
to refuse it."""


AllowAnswers = Callable[[tuple[StudyAnswers, ...]], None]
"""Told every answer to the study that there is, while nobody else can add one; raises UserError to refuse one more."""


def join_loaded(parts: Iterable[Loaded]) -> Loaded:
    """What several stores hold together, in their order."""
    loaded = list(parts)
    revisions = "".join(part.revision for part in loaded)
    return Loaded(
        records=tuple(record for part in loaded for record in part.records),
        problems=tuple(problem for part in loaded for problem in part.problems),
        revision=hashlib.sha256(revisions.encode()).hexdigest()[:7],
        entries=tuple(entry for part in loaded for entry in part.entries),
    )
