"""Fifty authors at once, from several processes that are killed, while a Hub throws every fault at random."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from leaderboard.store.folders import place
from leaderboard.store.hub import HubStore
from leaderboard.store.hub_client import HubClient
from leaderboard.store.submission import Submission, record_bytes
from tests.hub_double import FAULTS, REPO, TOKEN, Hub, serve
from tests.leaderboard.handed_in import submission
from tests.leaderboard.store.test_hub import path_of

ROOT = Path(__file__).resolve().parents[3]
AUTHORS = 50
PROCESSES = 3

BOARD = r"""
import sys, threading
from pathlib import Path
from types import SimpleNamespace
from huggingface_hub.utils import _http
from leaderboard.store.hub import HubStore
from leaderboard.store.hub_client import HubClient, limit_waiting
from tests.leaderboard.store.test_hub_crowd import author

_http.time = SimpleNamespace(sleep=lambda seconds: None)
address, token, folder, first, end = sys.argv[1:]
limit_waiting(0.5)
client = HubClient("REPO", token, address, pause=lambda seconds: None)
private = HubClient("REPO-private", token, address, private=True, pause=lambda seconds: None)
store = HubStore(Path(folder), client, private, every=0.05, patience=0.0)
store._worker.start(store.sync, store.every, "Sending", "")

def submit(number):
    receipt = store.add(author(number), contact=f"author-{number}@example.org")
    sys.stdout.write(f"{number} {receipt.entry.digest}\n")  # one call: threads must not mix their lines
    sys.stdout.flush()

threads = [threading.Thread(target=submit, args=(number,)) for number in range(int(first), int(end))]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.stdout.write("all\n")
sys.stdout.flush()
sys.stdin.read()
store.stop()
"""


def author(number: int) -> Submission:
    """What one of the authors hands in; every fifth is anonymous."""
    return submission(f"model-{number}", value=number / 100, identity=None if number % 5 == 0 else f"author-{number}")


def start(address: str, folder: Path, authors: range) -> subprocess.Popen[str]:
    code = BOARD.replace("REPO", REPO)
    command = [sys.executable, "-c", code, address, TOKEN, str(folder), str(authors.start), str(authors.stop)]
    with (folder / "log").open("a", encoding="utf-8") as log:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        return subprocess.Popen(command, cwd=ROOT, text=True, **pipes)  # type: ignore[call-overload, no-any-return]


def start_all(address: str, folder: Path) -> list[subprocess.Popen[str]]:
    share = -(-AUTHORS // PROCESSES)
    return [start(address, folder, range(first, min(first + share, AUTHORS))) for first in range(0, AUTHORS, share)]


def accepted(lines: Iterable[str]) -> set[str]:
    return {line.split()[1] for line in lines if line.strip() not in ("", "all") and len(line.split()) == 2}


@pytest.mark.slow(reason="fifty authors in three processes, which are killed and started anew")
def test_every_accepted_submission_is_there_exactly_once(tmp_path: Path) -> None:
    hub, secret = Hub(rate=0.3, seed=1), Hub(repo=f"{REPO}-private", missing=True, rate=0.3, seed=11)
    chance = random.Random(1)
    confirmed: set[str] = set()
    with serve(hub, secret) as address:
        boards = start_all(address, tmp_path)
        for board in boards:  # killed in the middle: after some of the authors were told that theirs is kept
            assert board.stdout is not None
            confirmed |= accepted([board.stdout.readline() for _ in range(chance.randint(1, 8))])
            board.send_signal(signal.SIGKILL)
            confirmed |= accepted(board.communicate()[0].splitlines()[:-1])
        assert confirmed

        boards = start_all(address, tmp_path)  # started again; the authors who were told nothing try again
        for board in boards:
            assert board.stdout is not None
            for line in board.stdout:
                if line.strip() == "all":
                    break
                confirmed |= accepted([line])
        everybody = {author(number).digest for number in range(AUTHORS)}
        assert confirmed == everybody, (tmp_path / "log").read_text(encoding="utf-8")
        for board in boards:
            board.communicate()  # its input ends: it stops
        hub.rate = secret.rate = 0.0
        private = HubClient(f"{REPO}-private", TOKEN, address, private=True)
        HubStore(tmp_path, HubClient(REPO, TOKEN, address), private).sync()

    reviewed = {number for number in range(AUTHORS) if number % 5 == 0}
    direct = {
        path_of(author(number)): record_bytes(author(number)) for number in range(AUTHORS) if number not in reviewed
    }
    assert hub.tree() == {"README.md": b"# Results\n", **direct}
    written = [path for branch, paths in hub.history if branch == "main" for path in paths]
    assert sorted(written) == sorted(["README.md", *direct])  # each in one commit, never in two
    waiting = {path for path in secret.tree() or {} if path.startswith("pending/")}
    assert waiting == {place("pending", author(number).digest).as_posix() for number in reviewed}
    assert list((tmp_path / "outbox").rglob("*.json")) == []
    assert sum(1 for fault in FAULTS if hub.thrown[fault] + secret.thrown[fault]) >= len(FAULTS) - 4
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).decode()
    assert TOKEN not in files  # the log of all boards among them
