"""Submissions in two datasets on the Hub: safe on disk first, sent and fetched in the background.

What is public is in the one; what waits for review, and how authors are reached, in the other, which its owner alone
reads. Below the store's folder `outbox/` holds what is still to be sent, `mirror/` what the Hub had when it was last
asked; both are laid out as every store is. A file moves from one to the other, so it is always read from one of them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock

from leaderboard.store import Loaded, SkippedFile
from leaderboard.store.files import LARGEST_FILE, locked, move, write_durably
from leaderboard.store.folders import ACCEPTED, ANSWERS, DECISIONS, PENDING, WITHDRAWN, place
from leaderboard.store.hub_client import HubClient, RefusedError, set_timeouts
from leaderboard.store.local import CONTACTS, Store
from leaderboard.store.submission import Entry
from leaderboard.store.worker import Worker
from qbench.errors import ProviderError

BATCH = 50
"""Files in a commit, of which the Hub advises fewer than 100, and that are fetched before they are written."""
MOST_CHANGES = 1000
"""Looks at which the Hub had changed, until its history is made one commit: it shows one of some thousands slowly."""
AT_ONCE = 8
"""Files that are fetched together."""
PUBLIC = (DECISIONS, ACCEPTED, WITHDRAWN, ANSWERS)
PRIVATE = (CONTACTS, PENDING)
FETCHED = (*PUBLIC, PENDING)
"""How authors are reached is read only when an owner opens a submission."""
NOTICE = "Submissions for review"
"""Title of the discussion in the private dataset in which owners are told that submissions wait."""
NOTICE_EVERY = 3600.0
"""Seconds between two comments there at least, however many submissions come."""


class HubStore(Store):
    """What the Hub had when it was last asked, with what is still to be sent; no reader waits for the network.

    Args:
        folder: Of the copies.
        client: The dataset that everybody reads.
        private: The one that its owner alone reads.
        every: Seconds between two looks at the Hub.
        patience: Seconds an author waits for the Hub's answer before being told that the submission is kept and will
            be sent.
        notice: Where owners decide and who they are, the end of each notice that submissions wait.
    """

    def __init__(
        self,
        folder: Path,
        client: HubClient,
        private: HubClient,
        every: float = 60.0,
        patience: float = 10.0,
        notice: str = "",
    ) -> None:
        super().__init__(folder, parts=("mirror", "outbox"))
        self.client = client
        self.private = private
        self.patience = patience
        self._mirror, self._outbox = self.roots
        shown = "The board shows what was last fetched; submissions are kept here and sent later."
        self._worker = Worker(self.sync, every, "Sending to and fetching from the Hub", shown)
        self.notice = notice
        # By a thread of its own: authors wait for the other one.
        self._notices = Worker(self.tell_owners, every, "Telling the owners", "Submissions wait all the same.")
        self._told: set[str] = set()
        self._next_notice = 0.0

    def load(self) -> Loaded:
        loaded = super().load()
        fault = self._worker.fault
        return replace(loaded, problems=(*loaded.problems, *([SkippedFile(self.client.repo, fault)] if fault else [])))

    def stamp(self) -> str:
        return super().stamp() + self._worker.fault

    def sync(self) -> None:
        """Send what waits and fetch what changed, now; only one process of those that share the folder at a time.

        Raises:
            ProviderError: The Hub is away or refuses; nothing is lost, and whatever else could be done was done.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        faults: list[ProviderError] = []
        with FileLock(self.folder / ".sending"):
            for step in (self._push, self._pull):
                for client, kinds in ((self.client, PUBLIC), (self.private, PRIVATE)):
                    try:
                        step(client, kinds)
                    except ProviderError as fault:
                        faults.append(fault)
        if faults:
            raise faults[0]

    def tell_owners(self, now: float | None = None) -> None:
        """Tell the owners on the Hub of submissions that began to wait, all of an hour in one comment.

        What they were told before a restart is in the discussion itself.

        Raises:
            ProviderError: The Hub is away or refuses; it is tried again in an hour.
        """
        now = time.monotonic() if now is None else now
        waiting = {entry.digest: entry.submission.submitted_at for entry in self.load().pending}
        if waiting.keys() <= self._told or now < self._next_notice:
            return
        self._next_notice = now + NOTICE_EVERY
        if not self._told:
            before = max(re.findall(r"\(the last of (\S+)\)", self.private.said(NOTICE)), default="")
            self._told = {digest for digest, at in waiting.items() if at <= before}
        if not waiting.keys() <= self._told:
            said = f"{len(waiting)} {'submission waits' if len(waiting) == 1 else 'submissions wait'} for review"
            self.private.say(NOTICE, f"{said} (the last of {max(waiting.values())}). {self.notice}")
        self._told = set(waiting)

    def unsent(self) -> int:
        return sum(1 for _ in self._outbox.glob("**/*.json"))

    def lag(self) -> float:
        return time.monotonic() - self._worker.succeeded

    def start(self) -> None:
        set_timeouts()
        self._worker.start()
        self._notices.start()

    def stop(self) -> None:
        """Stop the background work, once what it is doing is done."""
        self._worker.stop()
        self._notices.stop()

    def contact(self, entry: Entry) -> str:
        known = super().contact(entry)
        path = place(CONTACTS, entry.digest).as_posix()
        with suppress(RefusedError):  # none was given
            return known or str(json.loads(self.private.read(path, "main", retries=0))["contact"])
        return ""

    def _wait_until_sent(self, *paths: Path) -> bool:
        return self._worker.wait(lambda: not any(path.exists() for path in paths), self.patience)

    def address(self, digest: str) -> str | None:
        path = place(ACCEPTED, digest)
        return f"{self.client.address}/blob/main/{path.as_posix()}" if (self._mirror / path).exists() else None

    def _push(self, client: HubClient, kinds: Sequence[str]) -> None:
        """Send what waits in the outbox; what was sent moves to the mirror. Sending twice changes nothing."""
        waiting: dict[str, bytes] = {}
        for kind in kinds:
            for file in sorted((self._outbox / kind).glob("**/*.json")):
                with suppress(FileNotFoundError):  # decided on since it was listed
                    waiting[file.relative_to(self._outbox).as_posix()] = file.read_bytes()
        refused = None
        for paths in _batches(list(waiting)):
            title = f"{len(paths)} records" if len(paths) > 1 else f"Add {paths[0]}"
            sent, fault = client.commit_each({path: {path: waiting[path]} for path in paths}, title)
            refused = refused or fault
            with locked(self.folder):
                for path in sent:
                    if (self._outbox / path).exists():  # not decided on in the meantime
                        move(self._outbox / path, self._mirror / path)
        if refused:
            raise refused

    def _pull(self, client: HubClient, kinds: Sequence[str]) -> None:
        """Bring the mirror up to date: one listing where the Hub moved on, and only the files that changed."""
        state, head = self._read_state(), client.head()
        known = state.get(client.repo, {})
        if known.get("revision") == head:
            return
        changes = known.get("changes", 0) + 1
        if changes >= MOST_CHANGES:
            with suppress(ProviderError):  # a token that may not do this may fetch all the same
                client.squash()
            changes, head = 0, client.head()
        listed = {path: size for path, size in client.tree(head).items() if _is_ours(path, kinds)}
        held = {path.relative_to(self._mirror).as_posix(): path.stat().st_size for path in self._mirror.rglob("*.json")}
        wanted = [path for path, size in listed.items() if size <= LARGEST_FILE and held.get(path) != size]
        for paths in _batches(wanted):
            with ThreadPoolExecutor(AT_ONCE) as pool:
                contents = list(pool.map(partial(client.read, revision=head), paths))
            with locked(self.folder):
                for path, content in zip(paths, contents, strict=True):
                    write_durably(self._mirror / path, content)
        with locked(self.folder):
            # A listing may lag behind what was just sent: only what was listed before can have been removed.
            for path in set(known.get("files", ())) - listed.keys():
                (self._mirror / path).unlink(missing_ok=True)
            state[client.repo] = {"revision": head, "files": list(listed), "changes": changes}
            write_durably(self.folder / "state.json", json.dumps(state).encode())

    def _read_state(self) -> dict[str, dict[str, Any]]:
        """What the Hub said when it was last asked; an unreadable one means that everything is looked at again."""
        try:
            return dict(json.loads((self.folder / "state.json").read_bytes()))
        except (OSError, ValueError):
            return {}


def _batches(paths: list[str]) -> list[list[str]]:
    return [paths[start : start + BATCH] for start in range(0, len(paths), BATCH)]


def _is_ours(path: str, kinds: Sequence[str]) -> bool:
    kind, stem = path.split("/", 1)[0], Path(path).stem
    try:
        return kind in kinds and kind in FETCHED and place(kind, stem).as_posix() == path
    except ValueError:
        return False
