"""Records of visitors' runs on disk: found again, put on the local board, handed out with the answers behind them.

The folder of a run is what `python -m qbench run` calls its output folder.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.live.run_request import RunRequest
from leaderboard.store.files import locked, read_limited, write_durably
from qbench.cache import response_key
from qbench.commands.run import make_plan, resolve
from qbench.datasets import Dataset
from qbench.models import Model
from qbench.records import Response, Result
from qbench.results.items import items_path
from qbench.tasks import Outcome, read_stored_result

ANSWERS = "responses.jsonl"
"""All answers of a run, as they came."""


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


def find_records(folders: Sequence[Path], task: str, ending: str) -> RunRecords | None:
    """The first folder's latest run whose records' names end so: see `qbench.commands.run.name_ending`."""
    for folder in folders:
        runs: dict[str, dict[str, Result]] = {}
        for name, result in _records(folder, task, ending):
            runs.setdefault(str(result.raw), {})[name] = result
        found = [RunRecords(folder, results) for results in runs.values()]
        if whole := [records for records in found if records.raw.is_file()]:
            return max(whole, key=lambda records: records.raw.stat().st_mtime)
    return None


def _records(folder: Path, task: str, ending: str) -> Iterator[tuple[str, Result]]:
    for path in sorted(folder.glob(f"{task}--*{ending}")):
        try:
            result = read_stored_result(json.loads(read_limited(path)))
        except (OSError, ValueError):
            continue  # the board names such files; here they are no run
        if result.task == task:
            yield path.name, result


def stored_records(folder: Path, names: Sequence[str]) -> RunRecords | None:
    """The records of these names in the folder of a run; None where one is missing, or their answers are."""
    found: dict[str, Result] = {}
    for name in names:
        try:
            found[name] = read_stored_result(json.loads(read_limited(folder / Path(name).name)))
        except (OSError, ValueError):
            return None
    records = RunRecords(folder, found)
    return records if found and records.raw.is_file() else None


def take_answers(folder: Path, earlier: Sequence[Path]) -> None:
    """Begin the answers of a run with those of the first earlier one that has some: what is known is not asked."""
    if not (folder / ANSWERS).exists():
        for known in earlier:
            if (known / ANSWERS).is_file():
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(known / ANSWERS, folder / ANSWERS)
                return


def replay(
    records: RunRecords, request: RunRequest, dataset: Dataset, model: Model, judge: Model | None = None
) -> Outcome | None:
    """What the answers behind a record come to, sample by sample; None where they are answers to other prompts.

    Nobody is asked: the models only say what they are.
    """
    rows = [json.loads(line) for line in records.raw.read_text(encoding="utf-8").split("\n") if line]
    answers = {row["prompt"]: _response(row) for row in rows}
    options = resolve(request.options, dataset)
    plan = make_plan(request.task, dataset.samples, model, options, judged=judge is not None)
    try:
        asks = next(plan)
        while True:
            asked = [judge if ask.of == "judge" and judge is not None else model for ask in asks]
            keys = [response_key(who.identity, ask.prompt) for who, ask in zip(asked, asks, strict=True)]
            if any(key not in answers for key in keys):
                return None
            asks = plan.send([answers[key] for key in keys])
    except StopIteration as stop:
        outcome: Outcome = stop.value
        return outcome


def _response(row: dict[str, Any]) -> Response:
    return Response(**{name: value for name, value in row.items() if name not in ("prompt", "of")})


def copy_records(records: RunRecords, folder: Path) -> RunRecords:
    """Copy records and answers to another folder that is laid out as `python -m qbench run --out` does it."""
    with locked(folder):
        write_durably(folder, folder / "raw" / records.raw.name, records.raw.read_bytes())
        for name in records.results:
            write_durably(folder, folder / name, (records.folder / name).read_bytes())
            if (items := items_path(records.folder / name)).is_file():
                write_durably(folder, items_path(folder / name), items.read_bytes())
    return RunRecords(folder, records.results)


def bundle(records: RunRecords, path: Path) -> Path:
    """Records and raw responses as a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in records.results:
            archive.write(records.folder / name, name)
        archive.write(records.raw, f"raw/{records.raw.name}")
    return path
