"""Visitors' runs in a private dataset on the Hub, for disks that go with every restart.

    runs/DATE/ID/run.parquet            what became of a run, with its records and what lies behind them
    runs/DATE/ID/answers-….parquet      its answers, as one installation had them

The folder of a run stays the truth while it goes on; it is sent every few minutes, and when it ends. On a fresh disk
what is on the Hub is fetched, and a run goes on from its answers. A row is one line of one file. Each start of the app
writes answers of its own, so that two that go on with the same run lose none of each other's.
"""

from __future__ import annotations

import io
import json
import logging
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from filelock import FileLock
from huggingface_hub.utils.tqdm import disable_progress_bars

from leaderboard.store.hub_client import HubClient, set_timeouts
from leaderboard.store.records import stamp
from leaderboard.store.worker import Worker
from qbench.atomic import write_whole
from qbench.errors import ProviderError, UserError

log = logging.getLogger(__name__)
ANSWERS, STATE = "responses.jsonl", "run.json"
BATCH = 50
"""Runs in a commit, at most."""
MOST_FETCHED = 200
"""Runs that are fetched to a fresh disk before anybody asks for them, the newest ones."""
CARD = """---
configs:
  - config_name: runs
    data_files: "runs/*/*/run.parquet"
  - config_name: answers
    data_files: "runs/*/*/answers-*.parquet"
---
# Runs

What models answered on the Run page: one folder a run, by the day it was begun. A row is one line of one of its files.
Nothing here is fetched by anybody else; delete a folder to forget its run.
"""
_MARK = ".on-hub"
"""What a run's folder was like when all of it was on the Hub."""
_PLACE = re.compile(r"runs/\d{4}-\d\d-\d\d/([0-9a-f]{32})/(?:run|answers-[0-9a-f-]+)\.parquet")


class HubRuns:
    """The runs of an installation on the Hub.

    Args:
        folder: Where each run has its own.
        client: The dataset, which is made where it is missing.
        every: Seconds between two looks.
        patience: Seconds that whoever opens a link waits for the first look.
    """

    def __init__(self, folder: Path, client: HubClient, every: float = 180.0, patience: float = 20.0) -> None:
        self._folder = folder
        self._client = client
        self._patience = patience
        self._worker = Worker(
            self.sync, every, "Sending runs to the Hub", "Runs are kept on this disk, and sent later."
        )
        self._answers = f"answers-{secrets.token_hex(6)}.parquet"
        self._revision = ""
        self._runs: dict[str, list[str]] | None = None
        """Name of a run -> its files; None before the first look."""

    @property
    def fault(self) -> str:
        """Why runs are not on the Hub, in words for the page."""
        return self._worker.fault

    def start(self) -> None:
        """Keep sending in the background until the process ends."""
        set_timeouts()
        disable_progress_bars()  # of uploads, which would fill the server's log
        self._worker.start()

    def stop(self) -> None:
        """End the work in the background."""
        self._worker.stop()

    def send_soon(self) -> None:
        """Send what is new without waiting for the next look."""
        self._worker.wait(lambda: True, 0)

    def fetch(self, name: str) -> None:
        """Bring a run here, where the Hub has it.

        Raises:
            UserError: The Hub could not be asked.
        """
        self._worker.wait(lambda: self._runs is not None or bool(self.fault), self._patience)
        if self._runs is None:
            raise UserError(f"this run is not on this disk, and {self._client.repo} could not be asked; try later")
        try:
            self._bring(name, self._runs.get(name, ()))
        except ProviderError as fault:
            raise UserError(f"this run is on the Hub and could not be fetched; try later ({fault})") from None

    def sync(self) -> None:
        """Fetch what is not here, then send what is new; one process of those that share the folder at a time.

        Raises:
            ProviderError: The Hub is away or refuses, or the dataset is public; nothing is lost.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".sending"):
            self._look()
            self._send()

    def _look(self) -> None:
        head = self._client.head()
        if head == self._revision:
            return
        paths = self._client.tree(head)
        runs: dict[str, list[str]] = {}
        for path in sorted(paths, reverse=True):  # the newest first
            if name := run_of(path):
                runs.setdefault(name, []).append(path)
        is_first, self._runs = self._runs is None, runs
        if "README.md" not in paths:
            self._client.commit({"README.md": CARD.encode()}, "Say what is here")
        for name in list(runs)[: MOST_FETCHED if is_first else 0]:
            self._bring(name, runs[name])
        self._revision = head

    def _bring(self, name: str, paths: Sequence[str]) -> None:
        folder = self._folder / name
        if not (folder / STATE).exists():
            try:
                unpack(folder, {path: self._client.read(path, "main") for path in paths})
            except ValueError:
                log.exception("A run on the Hub is damaged and was not fetched.")

    def _send(self) -> None:
        """Commit runs together, or one by one where one is refused, so that it holds up no other."""
        changed = [path.parent for path in sorted(self._folder.glob(f"*/{STATE}")) if _is_new(path.parent)]
        for start in range(0, len(changed), BATCH):
            seen = {folder.name: stamp(_files(folder)) for folder in changed[start : start + BATCH]}
            packed = {name: pack(self._folder / name, self._answers) for name in seen}
            packed = {name: parts for name, parts in packed.items() if parts}
            sent, refused = self._client.commit_each(packed, f"{len(packed)} runs") if packed else ([], None)
            for name in sent:
                _mark(self._folder / name, seen[name])
            if refused:
                raise refused


def run_of(path: str) -> str | None:
    """The name of the run that a file of the dataset belongs to; None where it is none of ours."""
    found = _PLACE.fullmatch(path)
    return found and found[1]


def pack(folder: Path, answers: str) -> dict[str, bytes]:
    """Path in the dataset -> content of a run's folder, its answers in a file of this name; empty where it is no run,
    or was deleted just now."""
    try:
        texts = {
            path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "replace") for path in _files(folder)
        }
        there = f"runs/{str(json.loads(texts[STATE])['begun'])[:10]}/{folder.name}"
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    if run_of(f"{there}/run.parquet") is None:
        return {}
    known = texts.pop(ANSWERS, "").split("\n")[:-1]  # the last may be being written
    parts = {f"{there}/run.parquet": write_part((name, line) for name in texts for line in texts[name].split("\n"))}
    return parts | ({f"{there}/{answers}": write_part((ANSWERS, line) for line in known)} if known else {})


def unpack(folder: Path, parts: Mapping[str, bytes]) -> None:
    """Make a run's folder of its parts, unless what became of the run is not among them.

    Raises:
        ValueError: A part is damaged.
    """
    files: dict[str, list[str]] = {}
    for path in sorted(parts):
        for name, line in _read(parts[path]):
            files.setdefault(name, []).append(line)
    if STATE not in files:
        return
    answers = dict.fromkeys(files.pop(ANSWERS, []))  # several parts may have the same
    texts = {name: "\n".join(lines) for name, lines in files.items() if _is_inside(name)}
    write_whole(folder / ANSWERS, "".join(f"{line}\n" for line in answers).encode())
    for name in sorted(texts, key=lambda name: name == STATE):  # last what makes it a run
        write_whole(folder / name, texts[name].encode())
    _mark(folder, stamp(_files(folder)))


def _is_new(folder: Path) -> bool:
    try:
        return (folder / _MARK).read_text() != stamp(_files(folder))
    except OSError:
        return True


def _mark(folder: Path, seen: str) -> None:
    if (folder / STATE).exists():  # not deleted meanwhile
        write_whole(folder / _MARK, seen.encode())


def _files(folder: Path) -> list[Path]:
    """Every file of a run that is not being written."""
    return [
        path for path in sorted(folder.rglob("*")) if _is_inside(path.relative_to(folder).as_posix()) and path.is_file()
    ]


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and path.suffix != ".part" and not any(part.startswith(".") for part in path.parts)


def write_part(rows: Iterable[tuple[str, str]]) -> bytes:
    """Lines, each with the name of its file, as parquet."""
    import pandas as pd  # takes a while to import

    written: bytes = pd.DataFrame(rows, columns=["file", "line"]).to_parquet(index=False, compression="zstd")
    return written


def _read(content: bytes) -> list[tuple[str, str]]:
    import pandas as pd

    try:
        rows = pd.read_parquet(io.BytesIO(content), columns=["file", "line"])
        return [(str(file), str(line)) for file, line in zip(rows["file"], rows["line"], strict=True)]
    except Exception as fault:  # of many kinds, by what is wrong with the file
        raise ValueError(f"is no parquet file of a run: {type(fault).__name__}") from fault
