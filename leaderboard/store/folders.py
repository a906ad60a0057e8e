"""The folders submissions lie in: where a file lies says what became of it.

    submissions/ab/<digest>.json    on the board
    pending/ab/<digest>.json        waits for review
    withdrawn/<digest>.json         by its author, beside the submission that stays
    decisions/ab/<name>.json        by an owner of the board, on a submission that stays

A store may read several such folders together (what the Hub had, and what is still to be sent).
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from leaderboard.store import Loaded, SkippedFile, records_of
from leaderboard.store.files import parse_json, read_limited
from leaderboard.store.submission import BY_OWNER, Decision, Entry, Status, Submission, Withdrawal, is_digest
from leaderboard.store.submitted_items import folders_of_items, with_items
from qbench.records import Result

ACCEPTED = "submissions"
PENDING = "pending"
WITHDRAWN = "withdrawn"
DECISIONS = "decisions"
FileKey = tuple[str, int, int]
"""Path, time and inode of a file."""
FindAddress = Callable[[str], "str | None"]
RecordT = TypeVar("RecordT", Submission, Withdrawal, Decision)
Record = Submission | Withdrawal | Decision


def place(kind: str, digest: str) -> Path:
    """Where a file belongs, below a store's folder; few enough in each folder for the Hub."""
    if not is_digest(digest):
        raise ValueError(f"{digest[:80]!r} names no submission")
    return Path(kind, f"{digest}.json") if kind == WITHDRAWN else Path(kind, digest[:2], f"{digest}.json")


@dataclass
class Reader:
    """Reads folders of submissions; files that did not change since the last time are not read again."""

    roots: Sequence[Path]
    items: Path
    """Folder of the store, below which the items of submissions are."""
    _seen: dict[FileKey, Record] = field(default_factory=dict, repr=False)

    def stamp(self) -> str:
        digest = hashlib.sha256()
        for root in self.roots:
            for kind in (ACCEPTED, PENDING, WITHDRAWN, DECISIONS):
                for file in _files(root, kind):
                    with suppress(FileNotFoundError):  # gone since it was listed
                        digest.update(f"{_key(file)}{file.stat().st_size}".encode())
        return digest.hexdigest()

    def load(self, address: FindAddress = lambda _digest: None) -> Loaded:
        """Everything in the folders, earlier folders first.

        Args:
            address: Digest of a submission -> where it can be read on the Hub.
        """
        problems: dict[str, SkippedFile] = {}
        pending = dict(self._records(PENDING, Submission, problems))  # first: one accepted meanwhile is in both
        accepted = dict(self._records(ACCEPTED, Submission, problems))
        withdrawn = dict(self._records(WITHDRAWN, Withdrawal, problems))
        decisions = dict(self._records(DECISIONS, Decision, problems))
        entries = _entries({**pending, **accepted}, _Became(accepted, withdrawn, decisions.values()), address)
        digest = hashlib.sha256("".join(f"{entry.digest}{entry.status}" for entry in entries).encode())
        may_have_items = folders_of_items(self.items)

        def results_of(entry: Entry) -> tuple[Result, ...]:
            results = entry.submission.results
            for name in entry.names:
                if name[:2] in may_have_items:
                    results = with_items(self.items, name, results)
            return results

        on_board = [entry for entry in entries if entry.status == "accepted"]
        return Loaded(
            records=tuple(record for entry in on_board for record in records_of(results_of(entry), entry)),
            problems=tuple(problems.values()),
            revision=digest.hexdigest()[:7],
            entries=entries,
        )

    def _records(
        self, kind: str, made: type[RecordT], problems: dict[str, SkippedFile]
    ) -> Iterator[tuple[str, RecordT]]:
        for root in reversed(self.roots):
            for file in _files(root, kind):
                try:
                    key = _key(file)
                    if key not in self._seen:
                        path = Path(file.path)
                        self._seen[key] = read_record(read_limited(path), path.stem, made)
                    record = self._seen[key]
                except FileNotFoundError:
                    continue  # accepted or sent since it was listed: it is read where it lies now, or the next time
                except (OSError, ValueError) as fault:
                    where = Path(file.path).relative_to(root).as_posix()
                    problems[where] = SkippedFile(where, str(fault) or type(fault).__name__)
                    continue
                assert isinstance(record, made)
                yield file.name.removesuffix(".json"), record


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


class _Became:
    """What became of submissions, under any of their names.

    Args:
        accepted: Those whose files lie on the board.
        withdrawn: What authors withdrew; of earlier versions also what owners declined.
        decisions: What owners decided.
    """

    def __init__(
        self,
        accepted: Mapping[str, Submission],
        withdrawn: Mapping[str, Withdrawal],
        decisions: Iterable[Decision],
    ) -> None:
        self.accepted = accepted
        self._withdrawn = {digest: gone for digest, gone in withdrawn.items() if gone.by != BY_OWNER}
        self._decisions: defaultdict[str, list[Decision]] = defaultdict(list)
        declined = (
            Decision(gone.digest, "declined", "", gone.at, gone.reason)
            for gone in withdrawn.values()
            if gone.by == BY_OWNER
        )
        for decision in (*declined, *decisions):
            self._decisions[decision.submission].append(decision)

    def decisions(self, names: Iterable[str]) -> tuple[Decision, ...]:
        found = [decision for name in names if name in self._decisions for decision in self._decisions[name]]
        return tuple(sorted(found, key=lambda decision: (decision.at, decision.digest)))

    def withdrawal(self, names: Iterable[str]) -> Withdrawal | None:
        return next((self._withdrawn[name] for name in names if name in self._withdrawn), None)

    def in_force(self, digest: str, decisions: Sequence[Decision]) -> bool:
        """Whether it was put on the board, and no owner took that back."""
        return digest in self.accepted and (not decisions or decisions[-1].decided == "accepted")


def _entries(every: Mapping[str, Submission], became: _Became, address: FindAddress) -> tuple[Entry, ...]:
    """What became of each submission, oldest first."""
    same = _handed_in_twice(every, became.accepted)
    others = {digest for group in same.values() for digest in group}
    by_time = sorted(every, key=lambda digest: (every[digest].submitted_at, digest))
    names = {digest: (digest, *same.get(digest, ())) for digest in by_time if digest not in others}
    decisions = {digest: became.decisions(called) for digest, called in names.items()}
    # A correction that its author withdraws later does not bring back what they knew to be wrong.
    corrections = {
        every[digest].supersedes: digest
        for digest in names
        if every[digest].supersedes and became.in_force(digest, decisions[digest])
    }

    def entry(digest: str) -> Entry:
        called, decided = names[digest], decisions[digest]
        correction = next((corrections[name] for name in called if name in corrections), None)
        withdrawal = became.withdrawal(called)
        also = tuple(every[name] for name in called[1:])
        now: Status = "pending"
        if withdrawal is not None or (decided and decided[-1].decided == "declined"):
            now = "withdrawn"
        elif became.in_force(digest, decided):
            now = "superseded" if correction else "accepted"
        return Entry(every[digest], digest, now, correction, withdrawal, address(digest), decided, also)

    return tuple(map(entry, names))


def _handed_in_twice(every: Mapping[str, Submission], accepted: Mapping[str, Submission]) -> dict[str, list[str]]:
    """Submissions that are the same but for their codes: digest of the one that stands for all -> the others.

    One store takes none twice; replicas that met on the Hub later may have. Their names take long to compute without
    the codes, so this is done only where what is quickly compared is equal.
    """
    seen: dict[int, str] = {}
    likely: defaultdict[int, list[str]] = defaultdict(list)
    for digest, one in every.items():
        key = hash((one.metadata.model, one.identity, one.supersedes, one.relation, len(one.results)))
        if seen.setdefault(key, digest) != digest:
            likely[key].append(digest)
    equal: defaultdict[str, list[str]] = defaultdict(list)
    for key, digests in likely.items():
        for digest in (seen[key], *digests):
            equal[every[digest].unsalted].append(digest)
    groups = [
        sorted(digests, key=lambda digest: (digest not in accepted, every[digest].submitted_at, digest))
        for digests in equal.values()
        if len(digests) > 1
    ]
    return {group[0]: group[1:] for group in groups}
