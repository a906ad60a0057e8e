"""The folders submissions lie in: where a file lies says what became of it.

    submissions/ab/<digest>.json    on the board
    pending/ab/<digest>.json        waits for review
    withdrawn/<digest>.json         by whom and why, beside the submission that stays

A store may read several such folders together (what the Hub had, and what is still to be sent).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from leaderboard.store import Loaded, Recorded, SkippedFile, records_of
from leaderboard.store.file_index import FEWEST, Checked, read_index, write_index
from leaderboard.store.files import parse_json, read_limited
from leaderboard.store.headers import header_of
from leaderboard.store.submission import Entry, Status, Submission, Withdrawal, is_digest
from leaderboard.store.submitted_items import folders_of_items, with_items
from qbench.errors import UserError

ACCEPTED = "submissions"
PENDING = "pending"
WITHDRAWN = "withdrawn"
FileKey = tuple[str, int, int]
"""Path, time and inode of a file."""
FindAddress = Callable[[str, Status], "str | None"]
RecordT = TypeVar("RecordT", Submission, Withdrawal)


def place(kind: str, digest: str) -> Path:
    """Where a file belongs, below a store's folder; few enough in each folder for the Hub."""
    if not is_digest(digest):
        raise ValueError(f"{digest[:80]!r} names no submission")
    return Path(kind, f"{digest}.json") if kind == WITHDRAWN else Path(kind, digest[:2], f"{digest}.json")


@dataclass
class Reader:
    """Reads folders of submissions; files that did not change since the last time are not read again.

    Of those that wait for review it keeps headers.
    """

    roots: Sequence[Path]
    items: Path
    """Folder of the store, below which the items of submissions are."""
    _seen: dict[FileKey, Submission | Withdrawal] = field(default_factory=dict, repr=False)
    _checked: Checked | None = field(default=None, repr=False)
    """What the index holds, while everything is read for the first time."""
    _records_of: dict[str, tuple[Entry, tuple[Recorded, ...]]] = field(default_factory=dict, repr=False)
    """Digest of a submission on the board -> its entry and records."""
    _entries: dict[str, Entry] = field(default_factory=dict, repr=False)
    """Digest of each submission -> what became of it, when it was last looked at."""
    _new: dict[FileKey, bytes] = field(default_factory=dict, repr=False)
    """What the index lacks."""

    def stamp(self) -> str:
        digest = hashlib.sha256()
        for root in self.roots:
            for kind in (ACCEPTED, PENDING, WITHDRAWN):
                for file in _files(root, kind):
                    with suppress(FileNotFoundError):  # gone since it was listed
                        digest.update(f"{_key(file)}{file.stat().st_size}".encode())
        return digest.hexdigest()

    def load(self, address: FindAddress = lambda _digest, _status: None) -> Loaded:
        """Everything in the folders, earlier folders first.

        Args:
            address: Digest and status of a submission -> where it can be read on the Hub.
        """
        problems: dict[str, SkippedFile] = {}
        if not self._seen:
            self._checked = read_index(self.items)
        pending = dict(self._records(PENDING, Submission, problems))  # first: one accepted meanwhile is in both
        accepted = dict(self._records(ACCEPTED, Submission, problems))
        withdrawn = dict(self._records(WITHDRAWN, Withdrawal, problems))
        self._checked = None
        self._keep_index()
        entries = _entries(accepted, {**pending, **accepted}, withdrawn, address, self._entries)
        self._entries = {entry.digest: entry for entry in entries}
        digest = hashlib.sha256("".join(f"{entry.digest}{entry.status}" for entry in entries).encode())
        self._records_of = self._accepted(entries)
        return Loaded(
            records=tuple(record for _, records in self._records_of.values() for record in records),
            problems=tuple(problems.values()),
            revision=digest.hexdigest()[:7],
            entries=entries,
        )

    def _accepted(self, entries: Iterable[Entry]) -> dict[str, tuple[Entry, tuple[Recorded, ...]]]:
        """The records of each submission on the board: the very same ones as before where nothing became of it."""
        may_have_items = folders_of_items(self.items)

        def records(entry: Entry) -> tuple[Recorded, ...]:
            results = entry.submission.results
            if entry.digest[:2] in may_have_items:
                results = with_items(self.items, entry.digest, results)
            return records_of(results, entry)

        found: dict[str, tuple[Entry, tuple[Recorded, ...]]] = {}
        for entry in entries:
            if entry.status == "accepted":
                before = self._records_of.get(entry.digest)
                same = before is not None and (before[0] is entry or before[0] == entry)
                found[entry.digest] = before if before is not None and same else (entry, records(entry))
        return found

    def read(self, digest: str) -> Submission:
        """The whole of a submission, from its file.

        Raises:
            UserError: It is not there.
        """
        for kind in (PENDING, ACCEPTED):  # as it may move meanwhile
            for root in reversed(self.roots):
                try:
                    return read_record(read_limited(root / place(kind, digest)), digest, Submission)
                except (OSError, ValueError):
                    continue
        raise UserError(f"There is no submission {digest[:12]!r}; copy its full name from the page that lists it.")

    def _records(
        self, kind: str, made: type[RecordT], problems: dict[str, SkippedFile]
    ) -> Iterator[tuple[str, RecordT]]:
        for root in reversed(self.roots):
            for file in _files(root, kind):
                record = self._read(file, root, kind, made)
                if isinstance(record, made):
                    yield file.name.removesuffix(".json"), record
                elif isinstance(record, SkippedFile):
                    problems[record.where] = record

    def _read(
        self, file: os.DirEntry[str], root: Path, kind: str, made: type[RecordT]
    ) -> Submission | Withdrawal | SkippedFile | None:
        try:
            key = _key(file)
            if key not in self._seen:
                record: Submission | Withdrawal = self._parse(Path(file.path), key, made)
                if kind == PENDING and isinstance(record, Submission):
                    record = header_of(record)
                self._seen[key] = record
            return self._seen[key]
        except FileNotFoundError:
            return None  # accepted or sent since it was listed: it is read where it lies now, or the next time
        except (OSError, ValueError) as fault:
            where = Path(file.path).relative_to(root).as_posix()
            return SkippedFile(where, str(fault) or type(fault).__name__)

    def _parse(self, path: Path, key: FileKey, made: type[RecordT]) -> RecordT:
        """The record in a file: as it was when it was checked, if it was and has not been written since."""
        if self._checked and (content := self._checked.get(key)) is not None:
            record = made.from_json(json.loads(content))
            record.__dict__["digest"] = path.stem  # as it was found to be, which takes as long as the reading
            return record
        content = read_limited(path)
        record = read_record(content, path.stem, made)
        self._new[key] = content
        return record

    def _keep_index(self) -> None:
        """Add to the index what it lacks, where there is enough for one; one file more waits for others."""
        if len(self._new) >= FEWEST:
            write_index(self.items, self._new, {path for path, _, _ in self._seen})
            self._new.clear()


def _files(root: Path, kind: str) -> Iterator[os.DirEntry[str]]:
    """The files of a kind in their order. Each look for changes goes through all, so none is made a `Path`."""
    folders = [root / kind] if kind == WITHDRAWN else [folder.path for folder in _listed(root / kind)]
    for folder in folders:
        for file in _listed(folder):
            if file.name.endswith(".json"):
                yield file


def _listed(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=attrgetter("name"))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _key(file: os.DirEntry[str]) -> FileKey:
    facts = file.stat()
    return file.path, facts.st_mtime_ns, facts.st_ino


def read_record(content: bytes, digest: str, made: type[RecordT]) -> RecordT:
    """The record in a file, if it is the one its name promises; otherwise a ValueError."""
    record = made.from_json(parse_json(content))
    if record.digest != digest:
        raise ValueError(f"holds {record.digest[:12]}…, not what its name says; a file is never changed by hand")
    return record


def _entries(
    accepted: Mapping[str, Submission],
    every: Mapping[str, Submission],
    withdrawn: Mapping[str, Withdrawal],
    address: FindAddress,
    before: Mapping[str, Entry],
) -> tuple[Entry, ...]:
    """What became of each submission, oldest first; the very same entries as before where nothing did."""
    # A correction that is withdrawn later does not bring back what its author knew to be wrong.
    correcting = {digest: entry for digest, entry in accepted.items() if entry.supersedes}
    corrections = {correcting[digest].supersedes: digest for digest in _by_time(correcting)}

    def status(digest: str) -> Status:
        if digest in withdrawn:
            return "withdrawn"
        if digest not in accepted:
            return "pending"
        return "superseded" if digest in corrections else "accepted"

    def entry(digest: str) -> Entry:
        known, submission, now = before.get(digest), every[digest], status(digest)
        correction, withdrawal, url = corrections.get(digest), withdrawn.get(digest), address(digest, now)
        if (
            known is not None
            and known.submission is submission
            and known.withdrawal is withdrawal
            and (known.status, known.superseded_by, known.url) == (now, correction, url)
        ):
            return known
        return Entry(submission, digest, now, correction, withdrawal, url)

    return tuple(map(entry, _by_time(every)))


def _by_time(submissions: Mapping[str, Submission]) -> list[str]:
    """Digests, the earliest first. No pairs are made to sort by: so many would be looked through for rubbish."""
    return sorted(sorted(submissions), key=lambda digest: submissions[digest].submitted_at)
