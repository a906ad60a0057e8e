"""The training loop: learning, stopping and going on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from qbench.errors import UserError
from qbench.training.loop import LOG_FILE, Recipe, train


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
    recipe = Recipe(60, 1e-2, warm_up=1, save_every=20, log_every=20)
    with pytest.raises(KeyboardInterrupt):
        train(Summing(stop_at=45), batches, recipe, tmp_path, {})
    log = tmp_path / LOG_FILE
    whole = log.read_text("utf-8")
    log.write_text(whole + '{"step": 41, "lo', "utf-8")
    with pytest.raises(KeyboardInterrupt):
        train(Summing(stop_at=1), batches, recipe, tmp_path, {})
    assert log.read_text("utf-8") == whole
