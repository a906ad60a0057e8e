"""Visitors' runs on disk, each in a folder that only its link names: what was asked for, how far it is, its records.

    kept/ID/run.json            the request, and what became of it
    kept/ID/responses.jsonl     every answer, as it came
    kept/ID/…                   records and raw answers, as `python -m qbench run --out` writes them

A run that a killed app was at work on is found as interrupted, and goes on from its answers.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import zipfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, InstanceOf

from leaderboard.live.run_request import RunRequest, read_request
from leaderboard.store.files import read_limited
from qbench.atomic import write_whole
from qbench.cache import ANSWERS, response_key
from qbench.commands.evaluate import make_plan, resolve
from qbench.datasets import Dataset
from qbench.errors import UserError
from qbench.models import Model
from qbench.records import Response, Result, Stored
from qbench.tasks import Outcome, read_stored_result

if TYPE_CHECKING:
    from leaderboard.store.hub_runs import HubRuns

Status = Literal["waiting", "running", "done", "stopped", "failed", "interrupted"]
GOING: tuple[Status, ...] = ("waiting", "running")
"""Earlier versions told them apart; now a run waits until it has ended."""
_STATUS = "run.json"
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class KeptRun(Stored):
    """One run as it is written down."""

    __pydantic_config__: ClassVar = ConfigDict(extra="ignore")  # earlier versions wrote more

    id: str
    request: Annotated[InstanceOf[RunRequest], BeforeValidator(read_request)]
    status: Status = "waiting"
    reason: str = ""
    """Why it failed."""
    begun: str = ""
    """When it was asked for, in UTC."""
    anew: bool = False
    """Whether it asks what others have asked already."""
    cached: bool = False
    """Whether every answer was known and nobody was asked."""
    records: tuple[str, ...] = ()
    """Names of its records once it is done."""
    wants: tuple[str, ...] = ()
    """What its model offers, so that its answers can be gone through without opening it."""

    def to_json(self) -> dict[str, Any]:
        """For its file, whose folder is named by the id."""
        written = {**asdict(self), "request": self.request.to_json()}
        del written["id"]
        return written


class KeptRuns:
    """The runs of an installation, up to so many megabytes; `elsewhere` they may be kept too, and outlive this disk."""

    def __init__(self, folder: Path, megabytes: int = 2000, elsewhere: HubRuns | None = None) -> None:
        self._root = runs_folder(folder)
        self._megabytes = megabytes
        self.elsewhere = elsewhere

    def add(self, request: RunRequest, *, anew: bool) -> KeptRun:
        """A new run, waiting, under a name that nobody can guess."""
        begun = datetime.now(timezone.utc).isoformat(timespec="seconds")
        run = KeptRun(secrets.token_hex(16), request, begun=begun, anew=anew)
        self.write(run)
        return run

    def write(self, run: KeptRun) -> None:
        """Write down what became of a run; whole or not at all."""
        write_whole(self.folder(run.id) / _STATUS, json.dumps(run.to_json(), ensure_ascii=False).encode())

    def folder(self, name: str) -> Path:
        """The folder of a run, or a UserError where the name cannot be one."""
        if not _ID.fullmatch(str(name)):  # scripts send whatever they like
            raise UserError("this link names no run; copy it whole")
        return self._root / name

    def read(self, name: str) -> KeptRun:
        """What is known of a run, or a UserError where there is none by this name that can be read."""
        path = self.folder(name) / _STATUS
        if self.elsewhere is not None and not path.exists():
            self.elsewhere.fetch(name)
        try:
            return KeptRun.from_json({**json.loads(read_limited(path)), "id": name})
        except OSError:
            raise UserError("this run is not here any more: new runs push out the oldest") from None
        except (ValueError, TypeError, RecursionError, UserError):
            raise UserError("the stored files of this run cannot be read; run it again") from None

    def all(self) -> list[KeptRun]:
        """Every run that can be read, the newest first."""
        found = []
        for path in self._root.glob(f"*/{_STATUS}"):
            with suppress(UserError):
                found.append(self.read(path.parent.name))
        return sorted(found, key=lambda run: run.begun, reverse=True)

    def earlier(self, run: KeptRun) -> list[Path]:
        """Folders of other runs of the same model, task and dataset, the newest first."""

        def of(request: RunRequest) -> tuple[str, str, str]:
            return request.task, request.dataset, request.model

        same = [other for other in self.all() if other.id != run.id and of(other.request) == of(run.request)]
        return [self.folder(other.id) for other in same]

    def prune(self, going: Collection[str]) -> None:
        """Delete what is too much, the oldest first; never a run that goes on."""
        size = 0
        for folder in (self.folder(run.id) for run in self.all() if run.id not in going):
            size += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            if size > self._megabytes * 2**20:
                shutil.rmtree(folder, ignore_errors=True)


def runs_folder(folder: Path) -> Path:
    """Where each run has its folder, below the installation's folder of runs."""
    return folder / "kept"


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


def stored_records(folder: Path, names: Sequence[str]) -> RunRecords | None:
    """The records of these names in the folder of a run; None where one is missing, or their answers are."""
    try:
        paths = {name: folder / Path(name).name for name in names}
        found = {name: read_stored_result(json.loads(read_limited(path))) for name, path in paths.items()}
    except (OSError, ValueError):
        return None
    records = RunRecords(folder, found)
    return records if found and records.raw.is_file() else None


def take_answers(folder: Path, earlier: Sequence[Path]) -> None:
    """Begin the answers of a run with those of earlier ones, of which the newest stands: what is known is not asked."""
    files = [path for other in earlier if (path := other / ANSWERS).is_file()]
    if files and not (folder / ANSWERS).exists():
        folder.mkdir(parents=True, exist_ok=True)
        newest_first = (line for path in files for line in reversed(path.read_bytes().split(b"\n")[:-1]))
        lines = reversed(dict.fromkeys(newest_first))  # of two answers to one prompt the later line is read
        write_whole(folder / ANSWERS, b"".join(line + b"\n" for line in lines))


def replay(
    records: RunRecords, request: RunRequest, dataset: Dataset, model: Model, judge: Model | None = None
) -> Outcome | None:
    """What the answers behind a record come to, sample by sample; None where they are answers to other prompts.

    Nobody is asked: the models only say what they are.
    """
    rows = [json.loads(line) for line in records.raw.read_text(encoding="utf-8").split("\n") if line]
    answers = {row.pop("prompt"): row for row in rows}
    options = resolve(request.options, dataset)
    plan = make_plan(request.task, dataset.samples, model, options, judged=judge is not None)
    try:
        asks = next(plan)
        while True:
            asked = [judge if ask.of == "judge" and judge is not None else model for ask in asks]
            keys = [response_key(who.identity, ask.prompt) for who, ask in zip(asked, asks, strict=True)]
            if any(key not in answers for key in keys):
                return None
            asks = plan.send([_response(answers[key]) for key in keys])
    except StopIteration as stop:
        outcome: Outcome = stop.value
        return outcome


def _response(row: Mapping[str, Any]) -> Response:
    return Response(**{name: value for name, value in row.items() if name != "of"})


def bundle(records: RunRecords, path: Path) -> Path:
    """Records and raw responses as a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in records.results:
            archive.write(records.folder / name, name)
        archive.write(records.raw, f"raw/{records.raw.name}")
    return path
