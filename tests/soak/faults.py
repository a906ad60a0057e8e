"""A disk that is full, one that cannot be written to, and a clock that jumps."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from leaderboard.store.local import Store
from tests.leaderboard.handed_in import submission

ROOT = Path(__file__).resolve().parents[2]
MOUNT = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
"""In a space of names of its own, where anybody may mount; nothing of it is seen outside."""
JUMPS = 200


def meet_faults() -> Iterator[str]:
    """What happened, a line each; raises where anything was lost."""
    yield from _small_disk()
    yield _jumping_clock()


def _small_disk() -> Iterator[str]:
    if subprocess.run([*MOUNT, "true"], capture_output=True, check=False).returncode:
        yield "full disk, read-only folder: not tried, since nothing can be mounted here"
        return
    with TemporaryDirectory() as name:
        folder, python = Path(name, "disk"), f"'{sys.executable}' -m tests.soak.small_disk"
        folder.mkdir()
        script = (
            f"mount -t tmpfs -o size=2m tmpfs '{folder}' && {python} '{folder}' && "
            f"mount -o remount,ro '{folder}' && {python} '{folder}' --read-only"
        )
        done = subprocess.run([*MOUNT, script], capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr
        yield from done.stdout.splitlines()


def _jumping_clock() -> str:
    """Submissions and their corrections at times that go forth and back by years."""
    rng = random.Random(0)
    with TemporaryDirectory() as name:
        store = Store(Path(name))
        made: dict[str, str | None] = {}
        for number in range(JUMPS):
            at = f"{rng.randint(1990, 2090)}-01-01T00:00:00+00:00"
            standing = [digest for digest in made if digest not in made.values()]
            corrected = rng.choice(standing) if standing and rng.random() < 0.5 else None
            handed = submission(f"model {number}", number / JUMPS, at=at, supersedes=corrected)
            made[store.add(handed).entry.digest] = corrected
        entries = {entry.digest: entry for entry in store.load().entries}
        assert set(entries) == set(made)
        for digest, corrected in made.items():
            assert entries[digest].status == ("superseded" if digest in made.values() else "accepted")
            assert corrected is None or entries[corrected].superseded_by == digest
    return f"a clock that jumps by up to 100 years: {JUMPS} submissions and corrections, each there and counted right"
