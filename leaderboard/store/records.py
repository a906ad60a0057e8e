"""Results in a folder of JSON files, each one record or a list of records: what the papers printed, own runs, and what
was made anew from answers that others released."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from leaderboard.store import Loaded, Recorded, SkippedFile
from leaderboard.store.files import parse_json, read_limited
from qbench.records import Items, Result
from qbench.results.items import items_of_mean, items_path, read_items
from qbench.tasks import read_stored_result


@dataclass(frozen=True)
class RecordFolder:
    """Every matching file under a folder; a folder that does not exist yet holds nothing."""

    folder: Path
    pattern: str = "**/*.json"
    answers: Path | None = None
    """Folder of the answers that others released and the records were made of."""

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
                try:
                    result = read_stored_result(record)
                except ValueError as fault:
                    problems.append(SkippedFile(f"{name}, record {number} of {len(records)}", str(fault)))
                    continue
                try:
                    result = replace(result, items=self._items(result, path, alone=isinstance(data, dict)))
                except (OSError, ValueError, KeyError) as fault:
                    problems.append(SkippedFile(name, f"the items of a record cannot be read: {fault}"))
                found.append(Recorded(result, file=path))
        return Loaded(tuple(found), tuple(problems), digest.hexdigest()[:7])

    def stamp(self) -> str:
        records = self._paths()
        return stamp([*records, *map(items_path, records)])

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(self.pattern))

    def _items(self, result: Result, path: Path, *, alone: bool) -> Mapping[str, Items]:
        """What the items of a record add: kept beside its file, if it is alone there, or made of released answers."""
        if self.answers and result.task in _ITEMS:
            return _ITEMS[result.task](result, _released(self.answers / f"released_{result.task}.json"))
        file = items_path(path)
        return read_items(read_limited(file), result.raw) if alone and file.is_file() else {}


@lru_cache(2)
def _released(path: Path) -> Any:
    return parse_json(read_limited(path))


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


def _of_questions(result: Result, asked: Mapping[str, Any]) -> dict[str, Items]:
    """Whether each question was answered right, and whether those with Yes and No were; each is of another photo."""
    letters: str = asked["answers"][Path(result.source.row).stem]
    answered = [row for row in zip(asked["names"], letters, asked["right"], asked["yes"], strict=True) if row[1] != "-"]
    read = [row for row in answered if row[1] != "?" and row[3] != "-"]
    by_truth = {
        "yes_accuracy": _shares([row for row in read if row[2] == row[3]]),
        "no_accuracy": _shares([row for row in read if row[2] != row[3]]),
    }
    return {"accuracy": _shares(answered), **by_truth, "debiased_accuracy": items_of_mean(by_truth)}


def _shares(rows: list[tuple[str, str, str, str]]) -> Items:
    return Items("mean", tuple(name for name, *_ in rows), tuple(float(said == right) for _, said, right, _ in rows))


def _of_grades(result: Result, graded: Mapping[str, Any]) -> dict[str, Items]:
    """The mean of a photo's grades in each dimension, and the sum of these means."""
    means = {
        name: [sum(map(int, given)) / len(given) for given in grades.split()]
        for name, grades in graded[result.model].items()
    }
    means["sum"] = [sum(each) for each in zip(*means.values(), strict=True)]
    return {name: Items("mean", tuple(map(str, range(len(values)))), tuple(values)) for name, values in means.items()}


_ITEMS: Mapping[str, Callable[[Result, Mapping[str, Any]], dict[str, Items]]] = {
    "perception": _of_questions,
    "description": _of_grades,
}
