"""Submissions in a folder: complete on its own, safe for several processes, nothing half done whatever dies."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import ClassVar

from leaderboard.events import log_event
from leaderboard.store import Allow, Loaded, Receipt, Tell, allow_all, tell_all
from leaderboard.store.answers import AllowAnswers, StudyAnswers, read_answers, write_answers
from leaderboard.store.decisions import make_decision
from leaderboard.store.files import locked, move, write_durably
from leaderboard.store.folders import ACCEPTED, DECISIONS, PENDING, WITHDRAWN, Reader, place
from leaderboard.store.submission import Decided, Entry, Status, Submission, Withdrawal, may_change, record_bytes
from leaderboard.store.submitted_items import keep_items
from qbench.errors import UserError

CONTACTS = "contacts"
"""Folder of how authors are reached, readable by the owner of the process alone; nothing here reads it."""
MOST_BYTES = 2 * 2**20
"""Of one submission as it is kept; a hundred results with their groups take less."""
MOST_BYTES_ANONYMOUS = 2**18
"""The same without an account."""


@dataclass(frozen=True)
class LocalStore:
    """One JSON file per submission, named by its content; a folder that does not exist yet holds nothing."""

    folder: Path
    refuses: str = ""
    pending_is_public: ClassVar = False
    _reader: Reader = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_reader", Reader([self.folder], self.folder))

    def load(self) -> Loaded:
        return self._reader.load()

    def stamp(self) -> str:
        return self._reader.stamp()

    def add(
        self,
        submission: Submission,
        contact: str = "",
        review: bool = False,
        allow: Allow = allow_all,
        tell: Tell = tell_all,
    ) -> Receipt:
        self._refuse()
        _ = submission.digest  # of a large submission takes seconds, as does reading one: not under the lock
        self.load()
        with locked(self.folder):
            entries = self.load().entries
            submission = tell(submission, entries)
            earlier = find_duplicate(entries, submission)
            if earlier is not None:
                return Receipt(earlier, duplicate=True)
            status = decide_status(entries, submission, allow(entries) or review)
            keep(self.folder, submission, status, contact)
        return Receipt(find_entry(self.load().entries, submission.digest))

    def withdraw(self, digest: str, by: str, reason: str = "") -> Entry:
        with locked(self.folder):
            entry = find_entry(self.load().entries, digest)
            if entry.withdrawal is None:
                note = record_bytes(Withdrawal(digest, by, now(), reason))
                write_durably(self.folder, self.folder / place(WITHDRAWN, digest), note)
                log_event("review", decision="withdrawn")
            return find_entry(self.load().entries, digest)

    def decide(self, digest: str, decided: Decided, by: str, reason: str = "") -> Entry:
        with locked(self.folder):
            entry = find_entry(self.load().entries, digest)
            decision = make_decision(entry, decided, by, reason)
            write_durably(self.folder, self.folder / place(DECISIONS, decision.digest), record_bytes(decision))
            waiting = self.folder / place(PENDING, entry.digest)
            if decided == "accepted" and waiting.exists():
                move(waiting, self.folder / place(ACCEPTED, entry.digest))
            log_event("review", decision=decided.replace(" ", "-"), by=by)
            return find_entry(self.load().entries, digest)

    def read(self, digest: str) -> Submission:
        return self._reader.read(digest)

    def add_answers(self, answers: StudyAnswers, allow: AllowAnswers) -> None:
        self._refuse()
        write_answers(self.folder, [self.folder], answers, allow, self.folder)

    def load_answers(self, study: str) -> tuple[StudyAnswers, ...]:
        return read_answers([self.folder], study)

    def sync(self) -> None:
        """A folder has nothing left to do."""

    def unsent(self) -> int:
        return 0

    def lag(self) -> float:
        return 0.0

    def start(self) -> None:
        """A folder needs no work in the background."""

    def _refuse(self) -> None:
        if self.refuses:
            raise UserError(self.refuses)


def find_entry(entries: tuple[Entry, ...], digest: str) -> Entry:
    """The entry of a submission.

    Raises:
        UserError: There is none.
    """
    for entry in entries:
        if entry.digest == digest or (entry.also and digest in entry.names):
            return entry
    raise UserError(f"There is no submission {digest[:12]!r}; copy its full name from the page that lists it.")


def find_duplicate(entries: tuple[Entry, ...], submission: Submission) -> Entry | None:
    """The submission that holds these results already, if there is a reason not to add them again.

    What waits for review stops nobody who needs none, and a correction may repeat the results of what it corrects.
    """
    for entry in entries:
        if entry.submission.unsalted == submission.unsalted:
            return entry
    stops = ("accepted",) if submission.identity else ("accepted", "pending")
    for entry in entries:
        corrected = submission.supersedes in entry.names
        if entry.status in stops and not corrected and entry.submission.content == submission.content:
            return entry
    return None


def decide_status(entries: tuple[Entry, ...], submission: Submission, review: bool) -> Status:
    """Whether a new submission goes on the board or waits for the owner's word.

    Raises:
        UserError: It corrects what cannot be corrected.
    """
    if submission.supersedes is None:
        return "pending" if review or submission.identity is None else "accepted"
    corrected = find_entry(entries, submission.supersedes)
    if corrected.status == "superseded":
        newer = str(corrected.superseded_by)
        raise UserError(f"Submission {corrected.digest[:12]} was corrected already; correct {newer[:12]} instead.")
    return "accepted" if may_change(corrected, submission.identity) and not review else "pending"


def keep(folder: Path, submission: Submission, status: Status, contact: str = "", below: str = "") -> None:
    """Write a submission into a store whose lock is held; how to reach the author first, so that it is never lost.

    Args:
        folder: The store's.
        submission: What was handed in.
        status: Whether it waits for review.
        contact: How the author is reached.
        below: Folder of the store that is written to, where it has several.

    Raises:
        UserError: It cannot be written as JSON, or is too large.
    """
    try:
        content = record_bytes(submission)
    except ValueError as fault:
        raise UserError(f"These results cannot be kept as JSON ({fault}); mend the text and submit again.") from fault
    most = MOST_BYTES if submission.identity else MOST_BYTES_ANONYMOUS
    if len(content) > most:
        whose = "of a submission" if submission.identity else "of a submission without an account"
        raise UserError(
            f"These results take {len(content) / 1e6:.1f} MB as records; {most / 1e6:.1f} are kept {whose}."
        )
    digest = submission.digest
    if contact:
        note = json.dumps({"contact": contact}).encode()
        write_durably(folder, folder / below / place(CONTACTS, digest), note, mode=0o600)
    keep_items(folder, submission)
    write_durably(folder, folder / below / place(PENDING if status == "pending" else ACCEPTED, digest), content)


def now() -> str:
    """The time as records have it: to the second, with its zone."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
