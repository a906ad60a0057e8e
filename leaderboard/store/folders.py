"""The folders submissions lie in: where a file lies says what became of it.

    submissions/ab/<digest>.json    on the board
    pending/ab/<digest>.json        waits for review
    withdrawn/<digest>.json         by its author, beside the submission that stays
    decisions/ab/<name>.json        by an owner of the board, on a submission that stays
    answers/ab/<digest>.json        of one person to a study
    items/ab/<digest>-<place>.jsonl what single items add to the figures of a result

A store may read several such folders together (what the Hub had, and what is still to be sent). Items are of
submissions that were scored here and came with an account, so that models are tested on the same ones. They stay on
this machine: they hold people's scores of each image, which not every dataset lets one publish, so they are never sent
to the Hub. Where they are missing, models are compared by their figures alone. What was scored against private answers
leaves none.
"""

from __future__ import annotations

import hashlib
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from leaderboard.store import Loaded, SkippedFile, records_of
from leaderboard.store.files import parse_json, read_limited, write_durably
from leaderboard.store.records import stamp
from leaderboard.store.submission import (
    Decision,
    Entry,
    Status,
    StudyAnswers,
    Submission,
    Versioned,
    Withdrawal,
    is_digest,
)
from qbench.records import Items, Result
from qbench.results.items import FOLDER, items_lines, read_items

ACCEPTED = "submissions"
PENDING = "pending"
WITHDRAWN = "withdrawn"
DECISIONS = "decisions"
ANSWERS = "answers"
RecordT = TypeVar("RecordT", Submission, Withdrawal, Decision, StudyAnswers)
MOST_BYTES_OF_ITEMS = 4 * 2**20
"""Of the items of one result; 10,000 images by three correlations take one."""
log = logging.getLogger(__name__)


def place(kind: str, digest: str) -> Path:
    """Where a file belongs, below a store's folder; few enough in each folder for the Hub."""
    if not is_digest(digest):
        raise ValueError(f"{digest[:80]!r} names no submission")
    return Path(kind, f"{digest}.json") if kind == WITHDRAWN else Path(kind, digest[:2], f"{digest}.json")


class Reader:
    """Reads a store, or parts of one, the first before the others; a file that did not change is not read again."""

    def __init__(self, folder: Path, parts: Sequence[str] = ("",)) -> None:
        self.folder = folder
        self.roots = [folder / part for part in parts]
        self._seen: dict[tuple[Path, int, int], Versioned] = {}
        """Path, time and inode of a file -> what it holds."""

    def address(self, _digest: str) -> str | None:
        """Where a submission can be read on the Hub; None where it is not there."""
        return None

    def stamp(self) -> str:
        """Changes whenever `load` would give something else; cheap enough to ask at every visit."""
        kinds = (ACCEPTED, PENDING, WITHDRAWN, DECISIONS)
        return stamp([file for root in self.roots for kind in kinds for file in _files(root, kind)])

    def load(self) -> Loaded:
        """Read everything; never fails because of one bad file."""
        problems: dict[str, SkippedFile] = {}
        pending = dict(self._records(PENDING, Submission, problems))  # first: one accepted meanwhile is in both
        accepted = dict(self._records(ACCEPTED, Submission, problems))
        withdrawn = dict(self._records(WITHDRAWN, Withdrawal, problems))
        decisions = dict(self._records(DECISIONS, Decision, problems))
        entries = _entries({**pending, **accepted}, accepted, withdrawn, decisions.values(), self.address)
        digest = hashlib.sha256("".join(f"{entry.digest}{entry.status}" for entry in entries).encode())
        on_board = [entry for entry in entries if entry.status == "accepted"]
        return Loaded(
            records=tuple(record for entry in on_board for record in records_of(with_items(self.folder, entry), entry)),
            problems=tuple(problems.values()),
            revision=digest.hexdigest()[:7],
            entries=entries,
        )

    def load_answers(self, study: str) -> tuple[StudyAnswers, ...]:
        """Every person's answers to a study, the earliest first; a file that cannot be read is left out."""
        every = dict(self._records(ANSWERS, StudyAnswers, {})).values()
        of_study = (answers for answers in every if answers.study == study)
        return tuple(sorted(of_study, key=lambda answers: (answers.answered_at, answers.digest)))

    def _records(
        self, kind: str, made: type[RecordT], problems: dict[str, SkippedFile]
    ) -> Iterator[tuple[str, RecordT]]:
        for root in reversed(self.roots):
            for file in _files(root, kind):
                try:
                    facts = file.stat()
                    key = (file, facts.st_mtime_ns, facts.st_ino)
                    if key not in self._seen:
                        self._seen[key] = read_record(read_limited(file), file.stem, made)
                    record = self._seen[key]
                except FileNotFoundError:
                    continue  # accepted or sent since it was listed: it is read where it lies now, or the next time
                except (OSError, ValueError) as fault:
                    where = file.relative_to(root).as_posix()
                    problems[where] = SkippedFile(where, str(fault) or type(fault).__name__)
                    continue
                assert isinstance(record, made)
                yield file.stem, record


def _files(root: Path, kind: str) -> list[Path]:
    return sorted(root.glob(f"{kind}/*.json" if kind == WITHDRAWN else f"{kind}/*/*.json"))


def read_record(content: bytes, digest: str, made: type[RecordT]) -> RecordT:
    """The record in a file, if it is the one its name promises; otherwise a ValueError."""
    record = made.from_json(parse_json(content))
    if record.digest != digest:
        raise ValueError(f"holds {record.digest[:12]}…, not what its name says; a file is never changed by hand")
    return record


def _entries(
    every: Mapping[str, Submission],
    accepted: Mapping[str, Submission],
    withdrawn: Mapping[str, Withdrawal],
    decided: Iterable[Decision],
    address: Callable[[str], str | None],
) -> tuple[Entry, ...]:
    """What became of each submission, oldest first; `accepted` are those of all whose files lie on the board."""
    # One store takes nothing twice; replicas that met on the Hub later may have, under other codes.
    same: defaultdict[str, list[str]] = defaultdict(list)
    for digest in sorted(every, key=lambda digest: (digest not in accepted, every[digest].submitted_at, digest)):
        same[every[digest].unsalted].append(digest)
    on: defaultdict[str, list[Decision]] = defaultdict(list)
    for decision in sorted(decided, key=lambda decision: (decision.at, decision.digest)):
        if decision.submission in every:
            on[every[decision.submission].unsalted].append(decision)
    found: list[Entry] = []
    corrections: dict[str | None, str] = {}
    for unsalted, names in sorted(same.items(), key=lambda item: (every[item[1][0]].submitted_at, item[1][0])):
        digest, made = names[0], every[names[0]]
        gone = next((withdrawn[name] for name in names if name in withdrawn), None)
        last = on[unsalted][-1].decided if on[unsalted] else None
        now: Status = "accepted" if digest in accepted and last in (None, "accepted") else "pending"
        if now == "accepted":  # also of one that its author withdraws later: they know the other to be wrong
            corrections[made.supersedes] = digest
        if gone is not None or last == "declined":
            now = "withdrawn"
        also = tuple(every[name] for name in names[1:])
        found.append(Entry(made, digest, now, None, gone, address(digest), tuple(on[unsalted]), also))
    return tuple(_corrected(entry, corrections) for entry in found)


def _corrected(entry: Entry, corrections: Mapping[str | None, str]) -> Entry:
    by = next((corrections[name] for name in entry.names if name in corrections), None)
    return replace(entry, superseded_by=by, status="superseded" if by and entry.status == "accepted" else entry.status)


def keep_items(folder: Path, submission: Submission) -> None:
    """Write the items of a submission into a store whose lock is held."""
    if submission.identity is None:
        return
    for place, result in enumerate(submission.results):
        content = b"" if "answers" in result.protocol else items_lines(result)
        if 0 < len(content) <= MOST_BYTES_OF_ITEMS:
            write_durably(_path(folder, submission.digest, place), content)


def with_items(folder: Path, entry: Entry) -> tuple[Result, ...]:
    """Results of a submission with their items."""
    results = entry.submission.results
    for name in entry.names:
        paths = [_path(folder, name, place) for place in range(len(results))]
        results = tuple(
            replace(result, items=_read(path, path.stat().st_mtime_ns, result.raw)) if path.is_file() else result
            for path, result in zip(paths, results, strict=True)
        )
    return results


def _path(folder: Path, digest: str, place: int) -> Path:
    return folder / FOLDER / digest[:2] / f"{digest}-{place}.jsonl"


@lru_cache(maxsize=2000)
def _read(path: Path, _changed: int, raw: str | None) -> Mapping[str, Items]:
    """The items in a file; none, with a line in the log, where it cannot be read."""
    try:
        return read_items(read_limited(path), raw)
    except (OSError, ValueError) as fault:
        log.warning("%s holds no items: %s", path, fault)
        return {}
