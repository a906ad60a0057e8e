"""Records of visitors' runs on disk: found again, put on the local board, handed out with the answers behind them.

The folder of runs is what `python -m qbench run` calls its output folder; whenever a model is asked anew, the answers
go to such a folder of their own below it, numbered for each task, dataset and model.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.store.files import locked, write_whole
from qbench.cache import response_key
from qbench.commands.run import make_plan
from qbench.datasets import Dataset
from qbench.models import Model
from qbench.records import Response, Result
from qbench.results.items import items_path
from qbench.tasks import Outcome, RunOptions, read_stored_result


@dataclass(frozen=True)
class RunRecords:
    """The records of one run: one, or for comparisons one for each set of images."""

    folder: Path
    results: Mapping[str, Result]
    """By the names of their files."""

    @property
    def raw(self) -> Path:
        """The answers behind them."""
        return self.folder / "raw" / f"{next(iter(self.results.values())).raw}.jsonl"


def folders_of(runs: Path, task: str, dataset: Dataset, model: Model) -> list[Path]:
    """Where this model was asked this task on this dataset, the latest time first; the first time is `runs` itself."""
    place = _anew(runs, task, dataset, model)
    numbers = sorted((int(path.name) for path in place.glob("*") if path.name.isdecimal()), reverse=True)
    return [*(place / str(number) for number in numbers), runs]


def next_folder(runs: Path, task: str, dataset: Dataset, model: Model) -> Path:
    """Where to ask anew."""
    return _anew(runs, task, dataset, model) / str(len(folders_of(runs, task, dataset, model)))


def _anew(runs: Path, task: str, dataset: Dataset, model: Model) -> Path:
    who = hashlib.sha256(json.dumps(dict(model.identity), sort_keys=True).encode()).hexdigest()[:12]
    return runs / "anew" / re.sub(r"[^\w.-]+", "_", f"{task}--{dataset.name}--{model.name}--{who}")


def find_records(folders: Sequence[Path], task: str, dataset: Dataset, model: Model) -> RunRecords | None:
    """The first folder's latest run of this model on exactly these samples."""
    for folder in folders:
        runs: dict[str, dict[str, Result]] = {}
        for name, result in _records(folder, task):
            if _same(result, task, dataset, model):
                runs.setdefault(str(result.raw), {})[name] = result
        found = [RunRecords(folder, results) for results in runs.values()]
        if whole := [records for records in found if records.raw.is_file()]:
            return max(whole, key=lambda records: records.raw.stat().st_mtime)
    return None


def _records(folder: Path, task: str) -> Iterator[tuple[str, Result]]:
    for path in sorted(folder.glob(f"{task}--*.json")):
        try:
            yield path.name, read_stored_result(json.loads(path.read_bytes()))
        except (OSError, ValueError):
            continue  # the board names such files; here they are no run


def _same(result: Result, task: str, dataset: Dataset, model: Model) -> bool:
    asked = {"model": json.loads(json.dumps(dict(model.identity))), "list": dataset.revision[:12]}
    known = all(result.protocol.get(name) == value for name, value in asked.items())
    return known and result.task == task and result.protocol.get("limit") == dataset.limit


def replay(records: RunRecords, task: str, dataset: Dataset, model: Model) -> Outcome | None:
    """What the answers behind a record come to, sample by sample; None where they are answers to other prompts.

    Nobody is asked: the model only says what it is.
    """
    rows = [json.loads(line) for line in records.raw.read_text(encoding="utf-8").split("\n") if line]
    answers = {row["prompt"]: _response(row) for row in rows}
    options = RunOptions(rule=dataset.facts.pairing if dataset.facts else None)
    plan = make_plan(task, dataset.samples, model, options, judged=False)
    try:
        asks = next(plan)
        while True:
            keys = [response_key(model.identity, ask.prompt) for ask in asks]
            if any(key not in answers for key in keys):
                return None
            asks = plan.send([answers[key] for key in keys])
    except StopIteration as stop:
        outcome: Outcome = stop.value
        return outcome


def _response(row: dict[str, Any]) -> Response:
    return Response(**{name: value for name, value in row.items() if name not in ("prompt", "of")})


def put_on_board(records: RunRecords, results: Path) -> None:
    """Copy records and answers to where `python -m qbench run --out` writes them, and the board reads them from."""
    with locked(results):
        write_whole(results, results / "raw" / records.raw.name, records.raw.read_bytes())
        for name in records.results:
            write_whole(results, results / name, (records.folder / name).read_bytes())
            if (items := items_path(records.folder / name)).is_file():
                write_whole(results, items_path(results / name), items.read_bytes())


def bundle(records: RunRecords, path: Path) -> Path:
    """Records and raw responses as a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in records.results:
            archive.write(records.folder / name, name)
        archive.write(records.raw, f"raw/{records.raw.name}")
    return path
