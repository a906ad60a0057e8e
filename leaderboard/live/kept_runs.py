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
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Literal, Protocol, cast, get_args

from leaderboard.live.run_request import RunRequest, read_request
from leaderboard.store.files import locked, read_limited, write_durably
from qbench.errors import UserError

Status = Literal["waiting", "running", "done", "stopped", "failed", "interrupted"]
GOING: tuple[Status, ...] = ("waiting", "running")
CERTAIN = 24 * 3600.0
"""Seconds for which a run must have been too old before it goes: a clock that was set forward is set right by then."""
_STATUS = "run.json"
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class KeptRun:
    """One run as it is written down."""

    id: str
    request: RunRequest
    status: Status = "waiting"
    reason: str = ""
    """Why it failed."""
    begun: str = ""
    """When it was asked for, in UTC."""
    anew: bool = False
    """Whether it asks what others have asked already."""
    cached: bool = False
    """Whether its record was found, and nobody was asked."""
    records: tuple[str, ...] = ()
    """Names of its records once it is done."""
    wants: tuple[str, ...] = ()
    """What its model offers, so that its answers can be gone through without opening it."""

    def to_json(self) -> dict[str, Any]:
        """For its file."""
        plain = {name: getattr(self, name) for name in ("status", "reason", "begun", "anew", "cached")}
        return {"request": self.request.to_json(), **plain, "records": list(self.records), "wants": list(self.wants)}


@dataclass(frozen=True)
class Bounds:
    """How much is kept."""

    runs: int = 200
    days: int = 30
    megabytes: int = 2000


class Elsewhere(Protocol):
    """Another place that runs are kept in, which outlives this disk."""

    @property
    def fault(self) -> str:
        """Why they are not there, in words for the page."""

    def start(self) -> None:
        """Begin to send and fetch in the background."""

    def send_soon(self) -> None:
        """Send what is new without waiting."""

    def fetch(self, name: str) -> bool:
        """Bring a run here, if it is there; UserError where that cannot be told now."""


class KeptRuns:
    """The runs of an installation."""

    def __init__(
        self,
        folder: Path,
        bounds: Bounds,
        elsewhere: Elsewhere | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = runs_folder(folder)
        self._bounds = bounds
        self._clock = clock
        self._old_since: dict[str, float] = {}
        """Run -> when it was first seen to be too old, by a clock that nobody sets."""
        self.elsewhere = elsewhere

    def add(self, request: RunRequest, *, anew: bool) -> KeptRun:
        """A new run, waiting, under a name that nobody can guess."""
        begun = datetime.now(timezone.utc).isoformat(timespec="seconds")
        run = KeptRun(secrets.token_hex(16), request, begun=begun, anew=anew)
        self.write(run)
        return run

    def write(self, run: KeptRun) -> None:
        """Write down what became of a run; whole or not at all."""
        folder = self.folder(run.id)
        with locked(folder):
            write_durably(folder, folder / _STATUS, json.dumps(run.to_json(), ensure_ascii=False).encode())

    def folder(self, name: str) -> Path:
        """The folder of a run.

        Raises:
            UserError: The name cannot be one.
        """
        if not _ID.fullmatch(name):
            raise UserError("this link names no run; copy it whole")
        return self._root / name

    def read(self, name: str) -> KeptRun:
        """What is known of a run.

        Raises:
            UserError: There is none by this name, or what is written of it cannot be read.
        """
        path = self.folder(name) / _STATUS
        if self.elsewhere is not None and not path.exists():
            self.elsewhere.fetch(name)
        try:
            data = json.loads(read_limited(path))
            return _read(name, data)
        except OSError:
            days = self._bounds.days
            raise UserError(
                f"this run is not here any more: runs are kept for {days} days, or until many follow"
            ) from None
        except (ValueError, TypeError, KeyError, RecursionError, UserError):
            raise UserError("what is kept of this run cannot be read; run it again") from None

    def all(self) -> list[KeptRun]:
        """Every run that can be read, the newest first."""
        return sorted(self._readable(), key=lambda run: run.begun, reverse=True)

    def earlier(self, run: KeptRun) -> list[Path]:
        """Folders of other runs of the same model, task and dataset, those with records first, then the newest."""
        same = [
            other
            for other in self.all()
            if other.id != run.id
            and (other.request.task, other.request.dataset, other.request.model)
            == (run.request.task, run.request.dataset, run.request.model)
        ]
        return [self.folder(other.id) for other in same]

    def prune(self, going: Collection[str]) -> None:
        """Delete what is too old for a day, too many or too much, the oldest first; never a run that goes on."""
        oldest = (datetime.now(timezone.utc) - timedelta(days=self._bounds.days)).isoformat(timespec="seconds")
        kept, size, now, runs = 0, 0, self._clock(), self.all()
        self._old_since = {run.id: self._old_since.get(run.id, now) for run in runs if run.begun < oldest}
        for run in runs:
            if run.id in going:
                continue
            folder = self.folder(run.id)
            kept, size = kept + 1, size + _bytes(folder)
            too_old = now - self._old_since.get(run.id, now) >= CERTAIN
            if too_old or kept > self._bounds.runs or size > self._bounds.megabytes * 2**20:
                shutil.rmtree(folder, ignore_errors=True)

    def _readable(self) -> Iterator[KeptRun]:
        for path in self._root.glob(f"*/{_STATUS}"):
            try:
                yield self.read(path.parent.name)
            except UserError:
                continue


def runs_folder(folder: Path) -> Path:
    """Where each run has its folder, below the installation's folder of runs."""
    return folder / "kept"


def _read(name: str, data: Any) -> KeptRun:
    if data["status"] not in get_args(Status):
        raise ValueError(data["status"])
    return KeptRun(
        name,
        read_request(data["request"]),
        cast("Status", data["status"]),
        str(data["reason"]),
        begun=str(data["begun"]),
        anew=bool(data["anew"]),
        cached=bool(data["cached"]),
        records=tuple(map(str, data["records"])),
        wants=tuple(map(str, data["wants"])),
    )


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
