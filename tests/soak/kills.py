"""Writers of one store, and runs, as forks that are killed; whatever is lost, doubled or unreadable raises."""

from __future__ import annotations

import io
import json
import os
import random
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from leaderboard.store.local import Store
from qbench.__main__ import main as qbench
from qbench.errors import UserError
from tests.leaderboard.handed_in import submission
from tests.soak.forks import Survived, fork, kill

LONGEST = 0.25
"""Seconds until a process is killed, at the most; a submission takes some milliseconds."""
RUN = ["run", "--task", "assessment", "--dataset", "demo-assessment", "--model", "brightness", "--limit", "40"]


def kill_writers(folder: Path, kills: int, seed: int) -> Survived:
    """Two writers and a reviewer on one store, each killed and begun again.

    Raises:
        AssertionError: A submission that was acknowledged is not there, or is there twice, or a file cannot be read.
    """
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    receipts = [folder.parent / f"receipts-{number}" for number in range(2)]
    works = [*(lambda file=file, number=number: _add(folder, file, number) for number, file in enumerate(receipts))]
    works.append(lambda: _review(folder))
    going = [fork(work) for work in works]
    for _ in range(kills):
        place = rng.randrange(len(works))
        time.sleep(rng.uniform(0, LONGEST))
        kill(going[place])
        going[place] = fork(works[place])
    for process in going:
        kill(process)
    acknowledged = [line for file in receipts if file.exists() for line in file.read_text("utf-8").split()]
    loaded = Store(folder).load()
    names = [entry.digest for entry in loaded.entries]
    assert loaded.problems == (), loaded.problems
    assert set(acknowledged) <= set(names), f"{len(set(acknowledged) - set(names))} acknowledged are lost"
    assert len(names) == len(set(names)) == len({entry.submission.content for entry in loaded.entries}), "doubled"
    places = [path.stem for kind in ("pending", "submissions") for path in folder.glob(f"{kind}/*/*.json")]
    assert len(places) == len(set(places)), "one submission lies in two places"
    Store(folder).add(submission("after", 0.5, identity="ada"))  # the lock of the dead is free
    assert not list(folder.glob(".incoming/*")), "what the dead were writing was left behind"
    return Survived(kills, len(acknowledged))


def kill_runs(folder: Path, kills: int, seed: int) -> Survived:
    """One run, killed again and again, and the same run undisturbed.

    Raises:
        AssertionError: It ends otherwise than the undisturbed one.
    """
    rng = random.Random(seed)
    _run(folder / "undisturbed")
    started = time.monotonic()
    _run(folder / "measured")
    takes = time.monotonic() - started
    for _ in range(kills):
        process = fork(lambda: _run(folder / "killed"))
        time.sleep(rng.uniform(0, takes))
        kill(process)
    _run(folder / "killed")
    [expected], [got] = (_records(folder / name) for name in ("undisturbed", "killed"))
    assert got["metrics"] == expected["metrics"], "another record"
    answers = [json.loads(line) for file in (folder / "killed" / "raw").glob("*.jsonl") for line in file.open("rb")]
    samples = [answer["sample"] for answer in answers]
    assert len(samples) == len(set(samples)), "an answer is there twice"
    return Survived(kills, len(samples))


def _add(folder: Path, receipts: Path, number: int) -> None:
    """Hand in one submission after the other, and write down each that is acknowledged."""
    store, rng = Store(folder), random.Random(os.urandom(8))
    while True:
        made = submission(f"model {number}", rng.random(), identity=None if rng.random() < 0.5 else "ada")
        digest = store.add(made).entry.digest
        with receipts.open("a", encoding="utf-8") as file:
            file.write(f"{digest}\n")


def _review(folder: Path) -> None:
    """Accept and decline what waits."""
    store, rng = Store(folder), random.Random(os.urandom(8))
    while True:
        for entry in store.load().pending[:3]:
            with suppress(UserError):  # it was decided meanwhile
                store.decide(entry.digest, "accepted" if rng.random() < 0.7 else "declined", "ola")


def _run(out: Path) -> None:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert qbench([*RUN, "--out", str(out)]) == 0


def _records(out: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_bytes()) for path in out.glob("*.json")]
