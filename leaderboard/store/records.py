"""Results in a folder of JSON files, each one record or a list of records: what the papers printed, and own runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.store import Loaded, Recorded, SkippedFile
from leaderboard.store.files import parse_json, read_limited
from qbench.records import Result
from qbench.results.items import items_path, read_items
from qbench.tasks import read_stored_result


@dataclass(frozen=True)
class RecordFolder:
    """Every matching file under a folder; a folder that does not exist yet holds nothing."""

    folder: Path
    pattern: str = "**/*.json"

    def load(self) -> Loaded:
        found: list[Recorded] = []
        problems: list[SkippedFile] = []
        digest = hashlib.sha256()
        for path in self._paths():
            name = path.relative_to(self.folder).as_posix()
            try:
                content = read_limited(path)
                data = parse_json(content)
            except (OSError, ValueError) as fault:
                problems.append(SkippedFile(name, str(fault) or type(fault).__name__))
                continue
            digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
            records = data if isinstance(data, list) else [data]
            for number, record in enumerate(records, start=1):
                result = _result(record)
                if isinstance(result, Result):
                    whole = _with_items(result, path, problems) if isinstance(data, dict) else result
                    found.append(Recorded(whole, file=path))
                else:
                    problems.append(SkippedFile(f"{name}, record {number} of {len(records)}", result))
        return Loaded(tuple(found), tuple(problems), digest.hexdigest()[:7])

    def stamp(self) -> str:
        records = self._paths()
        return stamp([*records, *map(items_path, records)])

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(self.pattern))


def stamp(paths: list[Path]) -> str:
    """Names, sizes and times of files: changes whenever one was written, without reading any."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            facts = path.stat()
        except OSError:
            continue  # gone since it was listed
        digest.update(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}\0{facts.st_ino}\0".encode())
    return digest.hexdigest()


def _with_items(result: Result, path: Path, problems: list[SkippedFile]) -> Result:
    """The record with what its single items add, where that is kept beside it."""
    file = items_path(path)
    if not file.is_file():
        return result
    try:
        return replace(result, items=read_items(read_limited(file), result.raw))
    except (OSError, ValueError) as fault:
        problems.append(SkippedFile(f"{file.parent.name}/{file.name}", str(fault) or type(fault).__name__))
        return result


def _result(record: object) -> Result | str:
    """The record, or why it is none."""
    try:
        return read_stored_result(record)
    except ValueError as fault:
        return str(fault)
