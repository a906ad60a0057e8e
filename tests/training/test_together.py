"""Two processes that train together come to what one alone comes to."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from qbench.errors import UserError
from qbench.training.together import Team, join

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from functools import partial
from pathlib import Path
import torch
from qbench.training.loop import Recipe, train
from qbench.training.together import join

team, folder = join("cpu"), Path(sys.argv[1])

class Summing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(3, 1)
    def forward(self, batch):
        mine = batch[team.number :: team.count]
        return {"error": ((self.layer(mine) - mine.sum(dim=1, keepdim=True)) ** 2).mean()}

def batches(stop, start):
    for step in range(start, 30):
        if step == stop and team.count > 1:
            return  # as if interrupted, after the checkpoint of step 10
        yield torch.randn(8, 3, generator=torch.Generator().manual_seed(step))

with team.first_alone():
    (folder / f"was-here-{team.number}").touch()
    assert (folder / "was-here-0").exists()
for stop in (15, None):
    learner = Summing()
    team.average_gradients(learner)
    recipe = Recipe(30, rate=0.1, warm_up=5, save_every=10)
    train(learner, partial(batches, stop), recipe, team.own_folder(folder), {})
torch.save(learner.layer.weight, folder / f"weight-{team.number}.pt")
"""


def launched(folder: Path, count: int) -> list[torch.Tensor]:
    """The weights of each of so many processes."""
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    known = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "MASTER_ADDR": "127.0.0.1"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(folder)],
            env={**known, "MASTER_PORT": port, "WORLD_SIZE": str(count), "RANK": str(one), "LOCAL_RANK": str(one)},
        )
        for one in range(count)
    ]
    assert [one.wait() for one in processes] == [0] * count
    return [torch.load(folder / f"weight-{one}.pt", weights_only=False) for one in range(count)]


def test_two_processes_come_to_what_one_does_and_go_on_together(tmp_path: Path) -> None:
    (alone,) = launched(tmp_path / "one", 1)
    first, second = launched(tmp_path / "two", 2)
    assert torch.equal(first, second)
    assert torch.allclose(first, alone, atol=1e-5)
    assert (tmp_path / "two" / "process-1" / "checkpoint.pt").is_file()


def test_a_process_by_itself_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert join("cpu") == Team(0, 1)


def test_without_accelerate_several_processes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(UserError, match="pip install 'accelerate"):
        join("cpu")
