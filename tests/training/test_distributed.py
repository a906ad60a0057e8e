"""Two processes that train together come to what one alone comes to."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from functools import partial
from pathlib import Path
import torch
from accelerate import Accelerator
from qbench.training.loop import Recipe, train

accelerator, folder = Accelerator(cpu=True, mixed_precision="no"), Path(sys.argv[1])
process, processes = accelerator.process_index, accelerator.num_processes

class Summing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(3, 1)
    def forward(self, batch):
        mine = batch[process::processes]
        return {"error": ((self.layer(mine) - mine.sum(dim=1, keepdim=True)) ** 2).mean()}

def batches(stop, start):
    for step in range(start, 30):
        if step == stop and processes > 1:
            return  # as if interrupted, after the checkpoint of step 10
        yield torch.randn(8, 3, generator=torch.Generator().manual_seed(step))

with accelerator.main_process_first():
    (folder / f"was-here-{process}").touch()
    assert (folder / "was-here-0").exists()
for stop in (15, None):
    learner = Summing()
    recipe = Recipe(30, rate=0.1, warm_up=5, save_every=10)
    train(accelerator.prepare_model(learner), partial(batches, stop), recipe, folder / "work", {}, writes=process == 0)
torch.save(learner.layer.weight, folder / f"weight-{process}.pt")
"""


def launched(folder: Path, count: int) -> list[torch.Tensor]:
    """The weights of each of so many processes."""
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    known = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "MASTER_ADDR": "127.0.0.1"}
    known |= {"MASTER_PORT": port, "WORLD_SIZE": str(count)}
    ranks = [{"RANK": str(number), "LOCAL_RANK": str(number)} for number in range(count)]
    command = [sys.executable, "-c", SCRIPT, str(folder)]
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
