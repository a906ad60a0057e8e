"""Results in a folder of JSON files, each one record or a list of records."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from leaderboard.store import Loaded, Problem
from qbench.records import Result

LARGEST_FILE = 64 * 2**20
"""Bytes; a larger file is no table of results but a mistake or an attack."""


@dataclass(frozen=True)
class LocalStore:
    """Every matching file under a folder; a folder that does not exist yet holds nothing."""

    folder: Path
    pattern: str = "**/*.json"

    def load(self) -> Loaded:
        results: list[Result] = []
        problems: list[Problem] = []
        digest = hashlib.sha256()
        for path in sorted(self.folder.glob(self.pattern)):
            name = path.relative_to(self.folder).as_posix()
            try:
                content = _read(path)
                records = _records(content)
            except (OSError, ValueError, RecursionError) as fault:
                problems.append(Problem(name, str(fault) or type(fault).__name__))
                continue
            digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
            for number, record in enumerate(records, start=1):
                result = _result(record)
                if isinstance(result, Result):
                    results.append(result)
                else:
                    problems.append(Problem(f"{name}, record {number} of {len(records)}", result))
        return Loaded(tuple(results), tuple(problems), digest.hexdigest()[:7])


def _read(path: Path) -> bytes:
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise ValueError(f"has {size / 2**20:.0f} MB; at most {LARGEST_FILE // 2**20} MB are read")
    return path.read_bytes()


def _records(content: bytes) -> list[object]:
    try:
        data = json.loads(content)
    except ValueError as fault:
        raise ValueError(f"is not JSON: {fault}") from fault
    return data if isinstance(data, list) else [data]


def _result(record: object) -> Result | str:
    """The record, or why it is none."""
    try:
        return Result.from_json(record)
    except ValueError as fault:
        return str(fault)
