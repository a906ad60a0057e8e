"""Processes killed at random moments, a disk that is full or read-only, a clock that jumps: nothing is lost or doubled.

What was acknowledged is there, once, and what was half done is gone.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from leaderboard.store.local import Store
from qbench.errors import UserError
from tests.leaderboard.handed_in import decide, submission

pytestmark = [
    pytest.mark.slow(reason="processes are killed at moments that come by waiting"),
    pytest.mark.skipif(sys.platform == "win32", reason="kills forks"),
]
ROOT = Path(__file__).resolve().parents[2]
KILLS = 20
LONGEST = 0.25
"""Seconds until a process is killed, at the most; a submission takes some milliseconds."""
MOUNT = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
"""In a space of names of its own, where anybody may mount; nothing of it is seen outside."""


def fork(work: Callable[[], None]) -> int:
    process = os.fork()
    if process == 0:
        try:
            work()
        finally:
            os._exit(0)
    return process


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def test_two_writers_and_a_reviewer_of_one_store_lose_and_double_nothing(tmp_path: Path) -> None:
    rng, folder = random.Random(1), tmp_path / "store"
    folder.mkdir()
    receipts = [tmp_path / f"receipts-{number}" for number in range(2)]
    works = [*(lambda file=file, number=number: add(folder, file, number) for number, file in enumerate(receipts))]
    works.append(lambda: review(folder))
    going = [fork(work) for work in works]
    for _ in range(KILLS):
        place = rng.randrange(len(works))
        time.sleep(rng.uniform(0, LONGEST))
        kill(going[place])
        going[place] = fork(works[place])
    for process in going:
        kill(process)
    acknowledged = [line for file in receipts if file.exists() for line in file.read_text("utf-8").split()]
    loaded = Store(folder).load()
    names = [entry.digest for entry in loaded.entries]
    assert acknowledged and loaded.problems == ()
    assert set(acknowledged) <= set(names), f"{len(set(acknowledged) - set(names))} acknowledged are lost"
    assert len(names) == len(set(names)) == len({entry.submission.content for entry in loaded.entries}), "doubled"
    places = [path.stem for kind in ("pending", "submissions") for path in folder.glob(f"{kind}/*/*.json")]
    assert len(places) == len(set(places)), "one submission lies in two places"
    Store(folder).add(submission("after", 0.5, identity="ada"))  # the lock of the dead is free
    assert not list(folder.rglob("*.part")), "what the dead were writing was left behind"


def test_a_small_disk_loses_nothing_and_says_so(tmp_path: Path) -> None:
    if subprocess.run([*MOUNT, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    python = f"'{sys.executable}' -m tests.soak.small_disk"
    script = (
        f"mount -t tmpfs -o size=2m tmpfs '{tmp_path}' && {python} '{tmp_path}' && "
        f"mount -o remount,ro '{tmp_path}' && {python} '{tmp_path}' --read-only"
    )
    done = subprocess.run([*MOUNT, script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def add(folder: Path, receipts: Path, number: int) -> None:
    """Hand in one submission after the other, and write down each that is acknowledged."""
    store, rng = Store(folder), random.Random(os.urandom(8))
    while True:
        made = submission(f"model {number}", rng.random(), identity=None if rng.random() < 0.5 else "ada")
        digest = store.add(made).entry.digest
        with receipts.open("a", encoding="utf-8") as file:
            file.write(f"{digest}\n")


def review(folder: Path) -> None:
    """Accept and decline what waits."""
    store, rng = Store(folder), random.Random(os.urandom(8))
    while True:
        for entry in store.load().pending[:3]:
            with suppress(UserError):  # it was decided meanwhile
                decide(store, entry.digest, "accepted" if rng.random() < 0.7 else "declined", "ola")
