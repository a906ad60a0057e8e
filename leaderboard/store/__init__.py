"""Where results are kept. A store is read whole; what cannot be read is skipped and named, never fatal."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from leaderboard.store.submission import Decided, Entry, Submission
from qbench.records import Result

if TYPE_CHECKING:
    from leaderboard.store.answers import AllowAnswers, StudyAnswers


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
    url: str | None = None
    """The commit or pull request on the Hub, where it is known."""
    code: str = ""
    """What lets its author correct and withdraw it; told once, in no store. Empty where nothing was added."""


Allow = Callable[[tuple[Entry, ...]], bool]
"""Every submission there is, while nobody else can add one -> whether one more has to wait for review; raises UserError
to refuse it."""
Tell = Callable[[Submission, tuple[Entry, ...]], Submission]
"""A submission and every other there is, at the same moment -> the submission with the figures that may be told."""


def allow_all(_entries: tuple[Entry, ...]) -> bool:
    """Refuse nothing, and let nothing wait."""
    return False


def tell_all(submission: Submission, _entries: tuple[Entry, ...]) -> Submission:
    """Leave out no figure."""
    return submission


class Readable(Protocol):
    """A place that results are read from."""

    def load(self) -> Loaded:
        """Read everything; never fails because of one bad file."""
        ...

    def stamp(self) -> str:
        """Changes whenever `load` would give something else; cheap enough to ask at every visit."""
        ...


class Store(Readable, Protocol):
    """A place that authors' submissions are kept in, and the board reads them from.

    Submissions are immutable and named by their content; what becomes of one is recorded beside it. So every call can
    be repeated after a crash or a lost answer without doing anything twice, and several processes may call at once.
    """

    @property
    def refuses(self) -> str:
        """Why nothing can be added; empty where it can. `add` and `add_answers` raise it as a UserError."""
        ...

    @property
    def pending_is_public(self) -> bool:
        """Whether others than the owner can read what waits for review."""
        ...

    def add(
        self,
        submission: Submission,
        contact: str = "",
        review: bool = False,
        allow: Allow = allow_all,
        tell: Tell = tell_all,
    ) -> Receipt:
        """Keep a submission, for good once this returns.

        Args:
            submission: What was handed in, checked and scored.
            contact: How the owner of the board reaches the author; kept apart, never read back, never shown.
            review: Whether it waits for the owner's word. Anonymous submissions and corrections of what somebody else
                handed in always do.
            allow: What may refuse it or let it wait, unless it is there already.
            tell: What leaves figures out of it.

        Raises:
            UserError: It corrects a submission that is not there or was corrected already, or `allow` refuses it.
        """
        ...

    def withdraw(self, digest: str, by: str, reason: str = "") -> Entry:
        """Take a submission off the board, or out of review, for its author; its file and history stay.

        Whether `by` may is for the caller to ask first (`may_change`).

        Raises:
            UserError: There is no such submission.
        """
        ...

    def decide(self, digest: str, decided: Decided, by: str, reason: str = "") -> Entry:
        """Accept or decline a submission that waits for review, or take that back: then it waits again.

        Args:
            digest: Any of its names.
            decided: What is decided.
            by: The account of the owner who decides.
            reason: Why, for all to read.

        Raises:
            UserError: There is no such submission, or something else became of it meanwhile; the sentence says what.
        """
        ...

    def read(self, digest: str) -> Submission:
        """The whole of a submission: entries that wait for review have the heads of its results alone.

        Raises:
            UserError: There is no such submission.
        """
        ...

    def add_answers(self, answers: StudyAnswers, allow: AllowAnswers) -> None:
        """Keep what one person answered in a study, for good once this returns; the same again changes nothing.

        Args:
            answers: What was answered.
            allow: What may refuse it, told the answers that there are.

        Raises:
            UserError: `allow` refuses it, or this person gave other answers before.
        """
        ...

    def load_answers(self, study: str) -> tuple[StudyAnswers, ...]:
        """Every person's answers to a study, the earliest first."""
        ...

    def sync(self) -> None:
        """Do now what is otherwise done in the background.

        Raises:
            ProviderError: It could not be done; nothing is lost.
        """
        ...

    def unsent(self) -> int:
        """How many files wait to be sent to where the store keeps them for good."""
        ...

    def lag(self) -> float:
        """Seconds since all was last sent to and fetched from where the store keeps it; 0 where it is kept here."""
        ...

    def start(self) -> None:
        """Begin whatever goes on in the background; the app calls it once, when it is run."""
        ...


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
