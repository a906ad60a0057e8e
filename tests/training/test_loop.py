"""The training loop: learning, stopping and going on, alone and by two processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from qbench.errors import UserError
from qbench.training.loop import LOG_FILE, Recipe, train

ROOT = Path(__file__).resolve().parents[2]


def batches(start: int) -> Iterator[torch.Tensor]:
    for step in range(start, 60):
        yield torch.randn(8, 3, generator=torch.Generator().manual_seed(step))


class Summing(torch.nn.Module):
    """Learns to add three numbers; stops at a call, where it is told to."""

    def __init__(self, stop_at: int = 0) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.stop_at, self.calls = torch.nn.Linear(3, 1), stop_at, 0

    def forward(self, batch: torch.Tensor) -> dict[str, torch.Tensor]:
        self.calls += 1
        if self.calls == self.stop_at:
            raise KeyboardInterrupt
        return {"error": ((self.layer(batch) - batch.sum(dim=1, keepdim=True)) ** 2).mean()}


def run(folder: Path, model: Summing, settings: dict[str, int] | None = None) -> None:
    recipe = Recipe(steps=60, rate=0.1, warm_up=5, save_every=20, log_every=10)
    train(model, batches, recipe, folder, settings or {"seed": 0})


def test_it_learns_a_sum(tmp_path: Path) -> None:
    model = Summing()
    run(tmp_path, model)
    assert model.layer.weight.detach().flatten().tolist() == pytest.approx([1, 1, 1], abs=0.05)
    log = [json.loads(line) for line in (tmp_path / LOG_FILE).read_text().splitlines()]
    assert [row["step"] for row in log] == [10, 20, 30, 40, 50, 60]
    assert log[-1]["error"] < log[0]["error"] / 50


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    whole, resumed = Summing(), Summing()
    run(tmp_path / "whole", whole)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", Summing(stop_at=34))
    run(tmp_path / "parts", resumed)
    assert resumed.calls == 40  # the checkpoint is of step 20
    assert torch.equal(resumed.layer.weight, whole.layer.weight)
    assert torch.equal(resumed.layer.bias, whole.layer.bias)
    assert (tmp_path / "parts" / LOG_FILE).read_text() == (tmp_path / "whole" / LOG_FILE).read_text()
    run(tmp_path / "parts", resumed)
    assert resumed.calls == 40  # nothing is left to do
    with pytest.raises(UserError, match=r"other settings \(seed\)"):
        run(tmp_path / "parts", Summing(), settings={"seed": 1})


def test_a_log_that_is_cut_off_is_mended(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, Summing(stop_at=45))
    log = tmp_path / LOG_FILE
    whole = log.read_text("utf-8")
    log.write_text(whole + '{"step": 41, "lo', "utf-8")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, Summing(stop_at=1))
    assert log.read_text("utf-8") == whole


SHARED = """
import sys
from functools import partial
from itertools import islice
from pathlib import Path
import torch
from accelerate import Accelerator
from qbench.training.loop import Recipe, train
from tests.training.test_loop import Summing, batches

accelerator, folder = Accelerator(cpu=True, mixed_precision="no"), Path(sys.argv[1])
process, processes = accelerator.process_index, accelerator.num_processes

class Sharing(Summing):
    def forward(self, batch):
        return super().forward(batch[process::processes])

def until(stop, start):
    return islice(batches(start), stop - start)

with accelerator.main_process_first():
    (folder / f"was-here-{process}").touch()
    assert (folder / "was-here-0").exists()
for stop in (15 if processes > 1 else 30, 30):  # two are interrupted, after the checkpoint of step 10
    learner = Sharing()
    recipe = Recipe(30, rate=0.1, warm_up=5, save_every=10)
    train(accelerator.prepare_model(learner), partial(until, stop), recipe, folder / "work", {}, writes=process == 0)
torch.save(learner.layer.weight, folder / f"weight-{process}.pt")
"""
"""What each of several processes runs that train together."""


def launched(folder: Path, count: int) -> list[torch.Tensor]:
    """The weights of each of so many processes."""
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    known = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "MASTER_ADDR": "127.0.0.1"}
    known |= {"MASTER_PORT": port, "WORLD_SIZE": str(count)}
    ranks = [{"RANK": str(number), "LOCAL_RANK": str(number)} for number in range(count)]
    command = [sys.executable, "-c", SHARED, str(folder)]
    processes = [subprocess.Popen(command, env=known | rank) for rank in ranks]
    assert [process.wait() for process in processes] == [0] * count
    return [torch.load(folder / f"weight-{number}.pt", weights_only=False) for number in range(count)]


def test_two_processes_come_to_what_one_does_and_go_on_together(tmp_path: Path) -> None:
    (alone,) = launched(tmp_path / "one", 1)
    first, second = launched(tmp_path / "two", 2)
    assert torch.equal(first, second)
    assert torch.allclose(first, alone, atol=1e-5)
    assert sorted(path.name for path in (tmp_path / "two" / "work").iterdir()) == ["checkpoint.pt", "log.jsonl"]
    log = (tmp_path / "two" / "work" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["step"] for line in log] == [20, 30]  # one process wrote it
