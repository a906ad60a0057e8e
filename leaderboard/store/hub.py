"""Submissions in a dataset repository on the Hub: safe on disk first, sent and fetched in the background."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from filelock import FileLock

from leaderboard.events import log_event
from leaderboard.store import Allow, Loaded, Receipt, SkippedFile, Tell, allow_all, tell_all
from leaderboard.store.answers import AllowAnswers, StudyAnswers, read_answers, write_answers
from leaderboard.store.decisions import make_decision
from leaderboard.store.files import locked, move, write_durably
from leaderboard.store.folders import ACCEPTED, DECISIONS, PENDING, WITHDRAWN, Reader, place
from leaderboard.store.hub_archive import DUE
from leaderboard.store.hub_client import HubClient, limit_waiting
from leaderboard.store.hub_sync import archive, pull, push, read_state
from leaderboard.store.local import decide_status, find_duplicate, find_entry, keep, now
from leaderboard.store.submission import Decided, Entry, Status, Submission, Withdrawal, record_bytes
from leaderboard.store.worker import Worker
from qbench.errors import ProviderError, UserError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HubStore:
    """What the Hub had when it was last asked, with what is still to be sent; no visitor ever waits for the network.

    Submissions are committed to the main branch. Those that wait for review are kept in `private`, where nobody but the
    owner reads them; without it they are pull requests, pending until somebody merges them on the Hub or accepts them
    here. How authors are reached goes to `private`, or stays here.
    """

    folder: Path
    client: HubClient
    private: HubClient | None = None
    every: float = 60.0
    """Seconds between two looks at the Hub."""
    refuses: ClassVar = ""
    patience: float = 10.0
    """Seconds an author waits for the Hub's answer before being told that the submission is kept and will be sent."""
    _reader: Reader = field(init=False, repr=False, compare=False)
    _worker: Worker = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_reader", Reader([self.folder / "mirror", self.folder / "outbox"], self.folder))
        object.__setattr__(self, "_worker", Worker())

    @property
    def pending_is_public(self) -> bool:
        return self.private is None

    def load(self) -> Loaded:
        pulls = read_state(self.folder).pulls
        loaded = self._reader.load(lambda digest, status: self._address(digest, status, pulls))
        fault = self._worker.fault
        problems = (SkippedFile(self.client.repo, fault),) if fault else ()
        return replace(loaded, problems=loaded.problems + problems)

    def stamp(self) -> str:
        return self._reader.stamp() + self._worker.fault

    def add(
        self,
        submission: Submission,
        contact: str = "",
        review: bool = False,
        allow: Allow = allow_all,
        tell: Tell = tell_all,
    ) -> Receipt:
        _ = submission.digest  # of a large submission takes seconds, as does reading one: not under the lock
        self.load()
        with locked(self.folder):
            entries = self.load().entries
            submission = tell(submission, entries)
            earlier = find_duplicate(entries, submission)
            if earlier is not None:
                return Receipt(earlier, duplicate=True, url=earlier.url)
            status = decide_status(entries, submission, allow(entries) or review)
            keep(self.folder, submission, status, contact, below="outbox")
        kind = PENDING if status == "pending" else ACCEPTED
        sent = self._wait_until_sent(self.folder / "outbox" / place(kind, submission.digest))
        entry = find_entry(self.load().entries, submission.digest)
        return Receipt(entry, queued=not sent, url=entry.url if sent else None)

    def withdraw(self, digest: str, by: str, reason: str = "") -> Entry:
        with locked(self.folder):
            entry = find_entry(self.load().entries, digest)
            if entry.withdrawal is not None:
                return entry
            path = self.folder / "outbox" / place(WITHDRAWN, digest)
            write_durably(self.folder, path, record_bytes(Withdrawal(digest, by, now(), reason)))
        log_event("review", decision="withdrawn")
        self._wait_until_sent(path)
        return find_entry(self.load().entries, digest)

    def decide(self, digest: str, decided: Decided, by: str, reason: str = "") -> Entry:
        outbox, mirror = self.folder / "outbox", self.folder / "mirror"
        with locked(self.folder):
            entry = find_entry(self.load().entries, digest)
            decision = make_decision(entry, decided, by, reason)
            path = outbox / place(DECISIONS, decision.digest)
            write_durably(self.folder, path, record_bytes(decision))
            waiting, board = place(PENDING, entry.digest), place(ACCEPTED, entry.digest)
            if not any((root / board).exists() for root in (outbox, mirror)):
                if decided == "accepted" and (outbox / waiting).exists():
                    move(outbox / waiting, outbox / board)
                elif decided == "accepted":  # its pull request is closed afterwards
                    write_durably(self.folder, outbox / board, record_bytes(self.read(entry.digest)))
                elif decided == "taken back" and self.private is None and (mirror / waiting).exists():
                    move(mirror / waiting, outbox / waiting)  # its pull request is opened again
        log_event("review", decision=decided.replace(" ", "-"), by=by)
        self._wait_until_sent(path)
        return find_entry(self.load().entries, digest)

    def read(self, digest: str) -> Submission:
        return self._reader.read(digest)

    def add_answers(self, answers: StudyAnswers, allow: AllowAnswers) -> None:
        path = write_answers(self.folder, self._reader.roots, answers, allow, self.folder / "outbox")
        if path is not None:
            self._wait_until_sent(path)

    def load_answers(self, study: str) -> tuple[StudyAnswers, ...]:
        return read_answers(self._reader.roots, study)

    def sync(self) -> None:
        """Send what waits and fetch what changed, now; only one process of those that share the folder at a time.

        Raises:
            ProviderError: The Hub is away or refuses; nothing is lost.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / ".sending"):
            sending = self.unsent() > 0
            try:
                push(self.folder, self.client, self.private)
            except ProviderError as fault:
                if fault.kind == "permanent":
                    self._pull()  # what cannot be sent is no reason to show what is old
                raise
            self._pull()
            state = read_state(self.folder)
            if sending and len(state.files) - state.archived >= DUE:
                archive(self.folder, self.client)

    def _pull(self) -> None:
        def became() -> dict[str, Status]:
            return {name: entry.status for entry in self._reader.load().entries for name in entry.names}

        pull(self.folder, self.client, self.private, became)

    def compact(self) -> None:
        """Write all records into one file and make one commit of the repository's history.

        The Hub shows a history of some thousands slowly.

        Raises:
            UserError: Pull requests are open, which start from a commit that would be gone.
            ProviderError: The Hub is away or refuses.
        """
        self.sync()
        with FileLock(self.folder / ".sending"):
            waiting = len(self.load().pending) if self.pending_is_public else 0
            if waiting:
                raise UserError(f"{waiting} submissions wait for review; accept or decline them first.")
            archive(self.folder, self.client)
            self.client.squash()

    def unsent(self) -> int:
        return sum(1 for _ in (self.folder / "outbox").glob("**/*.json"))

    def lag(self) -> float:
        return time.monotonic() - self._worker.succeeded

    def start(self) -> None:
        """Keep sending and fetching in the background until the process ends."""
        limit_waiting()
        self._worker.start(
            self.sync,
            self.every,
            "Sending to and fetching from the Hub",
            "Shown is what was last fetched; what is handed in is kept here and sent later.",
        )

    def stop(self) -> None:
        """Stop the background work, once what it is doing is done."""
        self._worker.stop()

    def _wait_until_sent(self, path: Path) -> bool:
        return self._worker.wait(lambda: not path.exists(), self.patience)

    def _address(self, digest: str, status: Status, pulls: dict[str, int]) -> str | None:
        if digest in pulls and status == "pending":
            return f"{self.client.address}/discussions/{pulls[digest]}"
        path = place(ACCEPTED, digest)
        there = (self.folder / "mirror" / path).exists()
        return f"{self.client.address}/blob/main/{path.as_posix()}" if there else None
