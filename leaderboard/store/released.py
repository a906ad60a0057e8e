"""Records made anew from answers that others released, with those answers, so that Compare holds models against each
other item by item. `tools.released_answers` writes both: records in `results/`, letters and grades in `answers/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leaderboard.store import Loaded, SkippedFile
from leaderboard.store.files import parse_json, read_limited
from leaderboard.store.records import RecordFolder
from qbench.records import Items, Result
from qbench.results.items import items_of_mean


@dataclass(frozen=True)
class ReleasedFolder:
    """The records in a folder's `results`; those of questions and of descriptions have items."""

    folder: Path

    @property
    def _records(self) -> RecordFolder:
        return RecordFolder(self.folder / "results")

    def load(self) -> Loaded:
        loaded = self._records.load()
        records, problems = list(loaded.records), list(loaded.problems)
        for task, items_of in _ITEMS.items():
            places = [place for place, record in enumerate(records) if record.result.task == task]
            if not places:
                continue
            path = self.folder / "answers" / f"released_{task}.json"
            try:
                answers: Any = parse_json(read_limited(path))
                for place in places:
                    result = records[place].result
                    records[place] = replace(records[place], result=replace(result, items=items_of(result, answers)))
            except (OSError, ValueError, KeyError) as fault:
                problems.append(SkippedFile(path.name, str(fault) or type(fault).__name__))
        return replace(loaded, records=tuple(records), problems=tuple(problems))

    def stamp(self) -> str:
        return self._records.stamp()


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
