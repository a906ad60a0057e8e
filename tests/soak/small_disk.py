"""On a file system that is full, or read-only: `python -m tests.soak.small_disk FOLDER [--read-only]`."""

from __future__ import annotations

import io
import os
import random
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from leaderboard.__main__ import main as leaderboard
from leaderboard.boards import all_boards
from leaderboard.snapshot import Snapshot
from leaderboard.store.local import Store
from leaderboard.submissions.form import SubmissionForm
from leaderboard.submissions.scoring import AnswerKeys
from leaderboard.submissions.service import SubmissionService
from qbench.errors import UserError
from qbench.models.catalogue import find_model

LEFT = 40_000
"""Bytes that are free when it begins: room for some submissions."""


def main() -> None:
    folder, *read_only = sys.argv[1:]
    (_read_only if read_only else _full)(Path(folder))


def _full(folder: Path) -> None:
    filler, store = folder / "filler", Store(folder / "store")
    disk = os.statvfs(folder)
    filler.write_bytes(b"x" * (disk.f_bavail * disk.f_frsize - LEFT))
    acknowledged: list[str] = []
    refused = ""
    while not refused:
        try:
            acknowledged.append(_submit(store, folder.parent))
        except UserError as fault:
            refused = str(fault)
    assert "the server could not keep it (No space left on device) and kept nothing" in refused
    loaded = Store(folder / "store").load()
    assert loaded.problems == ()
    assert {entry.digest for entry in loaded.entries} == set(acknowledged)
    filler.write_bytes(filler.read_bytes() + b"x" * _room(folder))
    code, text = _review(folder, "decline", acknowledged[0])
    assert code, "it says that it was done"
    assert "Traceback" not in text
    assert len(text.splitlines()) == 1, text
    assert [entry.status for entry in Store(folder / "store").load().entries] == ["pending"] * len(acknowledged)
    filler.unlink()
    assert _review(folder, "decline", acknowledged[0])[0] == 0
    acknowledged.append(_submit(store, folder.parent))
    assert {entry.digest for entry in Store(folder / "store").load().entries} == set(acknowledged)


def _read_only(folder: Path) -> None:
    store = Store(folder / "store")
    before = store.load()
    assert before.entries and before.problems == ()
    try:
        _submit(store, folder.parent)
    except UserError as fault:
        assert "the server could not keep it (Read-only file system)" in str(fault)
    else:
        raise AssertionError("it says that it was kept")
    waiting = next(entry.digest for entry in before.pending)
    code, text = _review(folder, "accept", waiting)
    assert code
    assert "Traceback" not in text
    assert len(text.splitlines()) == 1, text
    assert Store(folder / "store").load().revision == before.revision


def _room(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def _submit(store: Store, scratch: Path) -> str:
    file = scratch / "koniq.csv"
    rows = "".join(f"{k}.jpg,{k + random.random()},{k}\n" for k in range(20))
    file.write_text(f"img_path,score,gt_score\n{rows}", encoding="utf-8")
    service = SubmissionService(store, AnswerKeys(scratch), lambda: Snapshot(store.load(), all_boards(), find_model))
    return service.submit(file, "", SubmissionForm(f"model {os.urandom(6).hex()}"), None).entry.digest


def _review(folder: Path, decision: str, digest: str) -> tuple[int, str]:
    """What the command returns, and what it says of its faults."""
    os.environ["QBENCH_SUBMISSIONS"] = str(folder / "store")
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as faults:
        code = leaderboard(["review", decision, digest])
    return code, faults.getvalue()


if __name__ == "__main__":
    main()
