"""The real app under requests, and the real commands, killed at random moments."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

import torch

from leaderboard.app import make_app
from leaderboard.settings import read_settings
from leaderboard.store.local import Store
from qbench.assets import assets_folder
from qbench.training.loop import CHECKPOINT_FILE, LOG_FILE, Recipe, train
from tests.leaderboard.handed_in import submission
from tests.soak.forks import Survived, fork, free_port, kill

ROOT = Path(__file__).resolve().parents[2]
REPLICAS = 2
WAITING = 20
"""Submissions that a review declines."""
PATIENCE = 180.0
"""Seconds for an app to start, on a machine that does other things."""


def kill_apps(folder: Path, kills: int, seed: int) -> Survived:
    """Two served apps over one folder of submissions, each with an author who hands in file after file.

    Raises:
        AssertionError: What was acknowledged is not there, or is there twice, or the board does not start any more.
    """
    rng = random.Random(seed)
    environment = {"QBENCH_SUBMISSIONS": str(folder), "QBENCH_MODELS": "niqe", "QBENCH_AUTHOR": "ada"}
    acknowledged: list[str] = []
    done = 0
    while done < kills:
        with TemporaryDirectory() as scratch:
            apps = [_serve({**environment, "QBENCH_RESULTS": scratch}) for _ in range(min(REPLICAS, kills - done))]
            addresses = [_answers(process, port) for process, port in apps]
            authors = [_hand_in(address, acknowledged) for address in addresses]
            for process, _ in apps:
                time.sleep(rng.uniform(0.2, 4))
                process.kill()
                process.wait()
                done += 1
            for author in authors:
                author.result(PATIENCE)
    loaded = Store(folder).load()
    names = [entry.digest for entry in loaded.entries]
    assert acknowledged, "no app kept anything; let each live longer"
    assert loaded.problems == (), loaded.problems
    assert set(acknowledged) <= set(names), f"{len(set(acknowledged) - set(names))} acknowledged are lost"
    assert len({entry.submission.content for entry in loaded.entries}) == len(names), "doubled"
    settings = read_settings(environment, folder.parent, assets_folder())
    assert len(make_app(settings).current().loaded.entries) == len(names), "the board does not start as it was"
    return Survived(done, len(acknowledged))


def kill_reviews(folder: Path, kills: int, seed: int) -> Survived:
    """`review decline --source anonymous`, killed and begun again until it comes to its end."""
    rng, store = random.Random(seed), Store(folder)
    environment = {"QBENCH_SUBMISSIONS": str(folder)}
    for number in range(WAITING):
        store.add(submission(f"warm {number}", number / 100, identity=None))
    review = ["-m", "leaderboard", "review", "decline", "--source", "anonymous"]
    takes = _seconds(review, environment)
    declined = 0
    for round_ in range(kills):
        for number in range(WAITING):
            store.add(submission(f"{round_} {number}", rng.random(), identity=None))
        process = _start(review, environment)
        time.sleep(rng.uniform(0.4 * takes, takes))
        process.kill()
        process.wait()
        loaded = store.load()
        assert loaded.problems == (), loaded.problems
        declined = sum(entry.status == "withdrawn" for entry in loaded.entries)
        assert declined + len(loaded.pending) == WAITING * (round_ + 2), "one is neither declined nor waits"
    _start(review, environment).wait()
    assert store.load().pending == ()
    return Survived(kills, declined)


def kill_trainings(folder: Path, kills: int, seed: int) -> Survived:
    """The loop under every training, on a small sum, and the same undisturbed."""
    rng = random.Random(seed)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a fork of a process whose threads hold locks may wait for ever
    started = time.monotonic()
    _train(folder / "undisturbed")
    takes = time.monotonic() - started
    for _ in range(kills):
        process = fork(lambda: _train(folder / "killed"))
        time.sleep(rng.uniform(0, takes / 2))
        kill(process)
    _train(folder / "killed")
    torch.set_num_threads(threads)
    first, second = (torch.load(folder / name / CHECKPOINT_FILE) for name in ("undisturbed", "killed"))
    assert first["step"] == second["step"]
    assert all(torch.equal(value, second["states"][0][name]) for name, value in first["states"][0].items())
    logs = [(folder / name / LOG_FILE).read_text() for name in ("undisturbed", "killed")]
    assert [json.loads(line)["step"] for line in logs[1].splitlines()] == [
        json.loads(line)["step"] for line in logs[0].splitlines()
    ], "a line of the log is lost or doubled"
    return Survived(kills, len(logs[0].splitlines()))


class _Summing(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, batch: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"error": ((self.layer(batch) - batch.sum(dim=1, keepdim=True)) ** 2).mean()}


def _train(folder: Path) -> None:
    def batches(start: int) -> Iterator[torch.Tensor]:
        for step in range(start, 400):
            yield torch.randn(8, 3, generator=torch.Generator().manual_seed(step))

    recipe = Recipe(steps=400, rate=0.1, warm_up=5, save_every=10, log_every=10)
    with open(os.devnull, "w") as nowhere, _errors_to(nowhere.fileno()):
        train(_Summing(), batches, recipe, folder, {"seed": 0})


@contextmanager
def _errors_to(descriptor: int) -> Iterator[None]:
    """Without the bar of progress."""
    kept = os.dup(2)
    os.dup2(descriptor, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _start(arguments: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment}, **quiet)


def _seconds(arguments: Sequence[str], environment: dict[str, str]) -> float:
    started = time.monotonic()
    assert _start(arguments, environment).wait() == 0
    return time.monotonic() - started


def _serve(environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    port = free_port()
    return _start(["app.py"], {**environment, "GRADIO_SERVER_PORT": f"{port}"}), port


def _answers(process: subprocess.Popen[bytes], port: int) -> str:
    """The address of an app once it answers."""
    address, until = f"http://127.0.0.1:{port}/", time.monotonic() + PATIENCE
    while time.monotonic() < until:
        assert process.poll() is None, "the app has stopped"
        with suppress(OSError), urlopen(f"{address}healthz") as answer:
            assert json.load(answer)["problems"] == 0
            return address
        time.sleep(0.2)
    raise AssertionError("the app does not start")


def _hand_in(address: str, acknowledged: list[str]) -> Future[None]:
    """Submit file after file until nobody answers, and note what is acknowledged."""
    done: Future[None] = Future()

    def work() -> None:
        try:
            while True:
                acknowledged.append(_submit(f"{address}gradio_api/"))
        except (OSError, HTTPException, ValueError):  # the app is gone, perhaps in the middle of an answer
            done.set_result(None)
        except AssertionError as fault:
            done.set_exception(fault)

    threading.Thread(target=work, daemon=True).start()
    return done


def _submit(api: str) -> str:
    """Hand in a file as scripts do; returns the name of the submission."""
    rows = "".join(f"{k}.jpg,{k + random.random()},{k}\r\n" for k in range(20))
    head = '--x\r\nContent-Disposition: form-data; name="files"; filename="koniq.csv"\r\n\r\n'
    upload = f"{head}img_path,score,gt_score\r\n{rows}\r\n--x--\r\n"
    [path] = _post(f"{api}upload", upload.encode(), "multipart/form-data; boundary=x")
    file = {"path": path, "meta": {"_type": "gradio.FileData"}}
    asked = json.dumps({"file": file, "model": f"model {os.urandom(6).hex()}"}).encode()
    call = _post(f"{api}call/v2/submit", asked, "application/json")["event_id"]
    with urlopen(f"{api}call/v2/submit/{call}", timeout=PATIENCE) as answer:
        told = json.loads(answer.read().decode().rpartition("data: ")[2])
    assert isinstance(told, list), f"it was refused: {told}"
    return str(told[0]["submission"])


def _post(address: str, body: bytes, kind: str) -> Any:
    with urlopen(Request(address, body, {"Content-Type": kind}), timeout=PATIENCE) as answer:
        return json.load(answer)
