"""Submissions in a folder: one JSON file each, named by its content; nothing half done whatever dies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

from leaderboard.events import log_event
from leaderboard.store import Allow, AllowAnswers, Receipt
from leaderboard.store.decisions import make_decision
from leaderboard.store.files import locked, move, write_durably
from leaderboard.store.folders import ACCEPTED, ANSWERS, DECISIONS, PENDING, WITHDRAWN, Reader, keep_items, place
from leaderboard.store.submission import (
    Decided,
    Decision,
    Entry,
    Status,
    StudyAnswers,
    Submission,
    Withdrawal,
    may_change,
    record_bytes,
)
from qbench.errors import UserError

CONTACTS = "contacts"
"""Folder of how authors are reached, readable by the owner of the process alone."""
MOST_BYTES = 2 * 2**20
"""Of one submission as it is kept; a hundred results with their groups take less."""
MOST_BYTES_ANONYMOUS = 2**18
"""The same without an account."""


class Store(Reader):
    """A place that authors' submissions are kept in, and the board reads them from.

    Submissions are immutable and named by their content; what becomes of one is recorded beside it. So every call can
    be repeated after a crash or a lost answer without doing anything twice, and several processes may call at once.

    Args:
        folder: Where it is; one that does not exist yet holds nothing.
        refuses: Why nothing can be added, which `add` and `add_answers` raise; empty where it can.
        parts: Folders of it that are read; the last one is written to.
    """

    def __init__(self, folder: Path, refuses: str = "", parts: Sequence[str] = ("",)) -> None:
        super().__init__(folder, parts)
        self.refuses = refuses
        self._target = self.roots[-1]

    def add(
        self, submission: Submission, contact: str = "", review: bool = False, allow: Allow = lambda _entries: False
    ) -> Receipt:
        """Keep a submission, for good once this returns.

        Args:
            submission: What was handed in, checked and scored.
            contact: How the owner of the board reaches the author; kept apart, for the owner alone.
            review: Whether it waits for the owner's word. Anonymous submissions and corrections of what somebody else
                handed in always do.
            allow: What may refuse it or let it wait, unless it is there already.

        Raises:
            UserError: It cannot be written as JSON, is too large, corrects a submission that is not there or was
                corrected already, or `allow` refuses it.
        """
        self._refuse()
        content = _bytes(submission)
        _ = submission.digest  # of a large submission takes seconds, as does reading one: not under the lock
        self.load()
        with locked(self.folder):
            entries = self.load().entries
            earlier = find_duplicate(entries, submission)
            if earlier is not None:
                return Receipt(earlier, duplicate=True)
            status = decide_status(entries, submission, allow(entries) or review)
            path = self._keep(submission, content, status, contact)
        sent = self._wait_until_sent(path)
        return Receipt(find_entry(self.load().entries, submission.digest), queued=not sent)

    def withdraw(self, digest: str, by: str, reason: str = "") -> Entry:
        """Take a submission off the board, or out of review, for its author; its file and history stay.

        Whether `by` may is for the caller to ask first (`may_change`).

        Raises:
            UserError: There is no such submission.
        """
        with locked(self.folder):
            entry = find_entry(self.load().entries, digest)
            if entry.withdrawal is not None:
                return entry
            path = self._target / place(WITHDRAWN, digest)
            now = datetime.now(timezone.utc).isoformat(timespec="seconds")
            write_durably(path, record_bytes(Withdrawal(digest, by, now, reason)))
        log_event("review", decision="withdrawn")
        self._wait_until_sent(path)
        return find_entry(self.load().entries, digest)

    def decide_each(
        self, digests: Iterable[str], decided: Decided, by: str, reason: str = ""
    ) -> tuple[list[str], list[str]]:
        """Accept or decline submissions that wait for review, or take that back: then they wait again.

        Returns:
            The digests of those decided on, and why nothing was changed about the others.
        """
        done: list[str] = []
        refused: list[str] = []
        paths: list[Path] = []
        with locked(self.folder):
            entries = self.load().entries
            for digest in dict.fromkeys(digests):
                try:
                    entry = find_entry(entries, digest)
                    paths.append(self._record(entry, make_decision(entry, decided, by, reason)))
                    done.append(entry.digest)
                except UserError as fault:
                    refused.append(str(fault))
        for _ in done:
            log_event("review", decision=decided.replace(" ", "-"), by=by)
        self._wait_until_sent(*paths)
        return done, refused

    def contact(self, entry: Entry) -> str:
        """How its author wants to be reached, for the owner of the board alone; empty where that was not said.

        Raises:
            ProviderError: It is kept elsewhere, which does not answer.
        """
        for name in entry.names:
            for root in self.roots:
                with suppress(OSError, ValueError):
                    return str(json.loads((root / place(CONTACTS, name)).read_bytes())["contact"])
        return ""

    def add_answers(self, answers: StudyAnswers, allow: AllowAnswers) -> None:
        """Keep what one person answered in a study, for good once this returns; the same again changes nothing.

        Raises:
            UserError: `allow` refuses it, or this person gave other answers before.
        """
        self._refuse()
        with locked(self.folder):
            known = self.load_answers(answers.study)
            earlier = next((one for one in known if one.digest == answers.digest), None)
            if earlier is not None and earlier.choices != answers.choices:
                raise UserError("this browser has already sent its answers, and each person answers a study once")
            if earlier is not None:
                return
            allow(known)
            path = self._target / place(ANSWERS, answers.digest)
            write_durably(path, record_bytes(answers))
        self._wait_until_sent(path)

    def sync(self) -> None:
        """Do now what is otherwise done in the background.

        Raises:
            ProviderError: It could not be done; nothing is lost.
        """

    def unsent(self) -> int:
        """How many files wait to be sent to where the store keeps them for good."""
        return 0

    def lag(self) -> float:
        """Seconds since all was last sent to and fetched from where the store keeps it; 0 where it is kept here."""
        return 0.0

    def start(self) -> None:
        """Begin whatever goes on in the background; the app calls it once, when it is run."""

    def _wait_until_sent(self, *_paths: Path) -> bool:
        return True

    def _refuse(self) -> None:
        if self.refuses:
            raise UserError(self.refuses)

    def _record(self, entry: Entry, decision: Decision) -> Path:
        """Write a decision, then put what it accepts on the board; the lock is held."""
        path = self._target / place(DECISIONS, decision.digest)
        write_durably(path, record_bytes(decision))
        waiting, board = (place(kind, entry.digest) for kind in (PENDING, ACCEPTED))
        if decision.decided == "accepted" and not any((root / board).exists() for root in self.roots):
            if (self._target / waiting).exists():
                move(self._target / waiting, self._target / board)
            else:
                write_durably(self._target / board, record_bytes(entry.submission))
        return path

    def _keep(self, submission: Submission, content: bytes, status: Status, contact: str) -> Path:
        """Write a submission; the lock is held. How to reach the author comes first, so that it is never lost."""
        if contact:
            note = json.dumps({"contact": contact}).encode()
            write_durably(self._target / place(CONTACTS, submission.digest), note, mode=0o600)
        keep_items(self.folder, submission)
        path = self._target / place(PENDING if status == "pending" else ACCEPTED, submission.digest)
        write_durably(path, content)
        return path


def find_entry(entries: tuple[Entry, ...], digest: str) -> Entry:
    """The entry of a submission, or a UserError where there is none."""
    for entry in entries:
        if digest in entry.names:
            return entry
    raise UserError(f"There is no submission {digest[:12]!r}; copy its whole name, or the whole link of its receipt.")


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


def _bytes(submission: Submission) -> bytes:
    """The file of a submission, or a UserError where it cannot be written as JSON or is too large."""
    try:
        content = record_bytes(submission)
    except ValueError as fault:
        raise UserError(
            f"These results cannot be kept as JSON ({fault}); correct the text and submit again."
        ) from fault
    most = MOST_BYTES if submission.identity else MOST_BYTES_ANONYMOUS
    if len(content) > most:
        whose = "of a submission" if submission.identity else "of a submission without an account"
        raise UserError(
            f"These results take {len(content) / 1e6:.1f} MB as records; {most / 1e6:.1f} are kept {whose}."
        )
    return content
