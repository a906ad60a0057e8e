"""Visitors' runs in a private dataset on the Hub, for disks that go with every restart.

The folder of a run stays the truth while it goes on; what is new in it is sent every few minutes, and when it ends.
On a fresh disk what is on the Hub is fetched, and a run goes on from its answers.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

from filelock import FileLock
from huggingface_hub.utils.tqdm import disable_progress_bars

from leaderboard.store.hub_client import HubClient, limit_waiting
from leaderboard.store.records import stamp
from leaderboard.store.run_parts import STATE, Packed, mark_sent, pack, place_of, unpack
from leaderboard.store.worker import Worker
from qbench.errors import ProviderError, UserError

log = logging.getLogger(__name__)
BATCH = 50
"""Runs in a commit, at most."""
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


class HubRuns:
    """The runs of an installation on the Hub.

    Args:
        folder: Where each run has its own.
        client: The dataset, which is made where it is missing.
        days: How old a run may be that is fetched to a fresh disk before anybody asks for it.
        most: How many are.
        every: Seconds between two looks.
        patience: Seconds that whoever opens a link waits for the first look.
    """

    def __init__(
        self, folder: Path, client: HubClient, days: int, most: int, every: float = 180.0, patience: float = 20.0
    ) -> None:
        self._folder = folder
        self._client = client
        self._days = days
        self._most = most
        self._every = every
        self._patience = patience
        self._worker = Worker()
        self._revision = ""
        self._runs: dict[str, list[str]] | None = None
        """Name of a run -> its files; None before the first look."""
        self._restored = False
        self._stamps: dict[Path, str] = {}
        """Folder of a run -> what it was like when all of it was on the Hub."""

    @property
    def fault(self) -> str:
        """Why runs are not on the Hub, in words for the page."""
        return self._worker.fault

    def start(self) -> None:
        """Keep sending in the background until the process ends."""
        limit_waiting()
        disable_progress_bars()  # of uploads, which would fill the server's log
        self._worker.start(
            self.sync, self._every, "Sending runs to the Hub", "Runs are kept on this disk, and sent later."
        )

    def stop(self) -> None:
        """End the work in the background."""
        self._worker.stop()

    def send_soon(self) -> None:
        """Send what is new without waiting for the next look."""
        self._worker.wait(lambda: True, 0)

    def fetch(self, name: str) -> bool:
        """Bring a run here, where the Hub has it; whether it is here.

        Raises:
            UserError: The Hub could not be asked.
        """
        self._worker.wait(lambda: self._runs is not None or bool(self.fault), self._patience)
        if self._runs is None:
            raise UserError(f"this run is not on this disk, and {self._client.repo} could not be asked; try later")
        try:
            return name in self._runs and self._bring(name, self._runs[name])
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
        found: dict[tuple[str, str], list[str]] = {}
        for path in paths:
            if (run := place_of(path)) is not None:
                found.setdefault(run, []).append(path)
        self._runs = {name: found[date, name] for date, name in found}
        if "README.md" not in paths:
            self._client.commit({"README.md": CARD.encode()}, "Say what is here")
        if not self._restored:
            oldest = (datetime.now(timezone.utc) - timedelta(days=self._days)).date().isoformat()
            for _, name in [run for run in sorted(found, reverse=True) if run[0] >= oldest][: self._most]:
                self._bring(name, self._runs[name])
            self._restored = True
        self._revision = head

    def _bring(self, name: str, paths: Sequence[str]) -> bool:
        folder = self._folder / name
        if (folder / STATE).exists():
            return True
        try:
            return unpack(folder, {path: self._client.read(path, "main") for path in paths})
        except ValueError:
            log.exception("A run on the Hub is damaged and was not fetched.")
            return False

    def _send(self) -> None:
        waiting: list[Packed] = []
        for path in sorted(self._folder.glob(f"*/{STATE}")):
            seen = stamp(sorted(path.parent.rglob("*")))
            if self._stamps.get(path.parent) == seen:
                continue
            if (packed := pack(path.parent)) is None:
                self._stamps[path.parent] = seen
            else:
                waiting.append(packed)
            if len(waiting) == BATCH:
                self._commit(waiting)
                waiting = []
        self._commit(waiting)

    def _commit(self, runs: Sequence[Packed]) -> None:
        """Commit runs together, or one by one where one is refused, so that it holds up no other."""
        if not runs:
            return
        sent, refused = self._client.commit_each({run.folder.name: run.parts for run in runs}, f"{len(runs)} runs")
        for run in runs:
            if run.folder.name in sent:
                mark_sent(run.folder, run.after)
        if refused:
            raise refused
