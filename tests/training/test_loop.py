"""The training loop: learning, stopping and going on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from qbench.errors import UserError
from qbench.training.loop import LOG, Recipe, train


def batches(start: int) -> Iterator[torch.Tensor]:
    for step in range(start, 60):
        yield torch.randn(8, 3, generator=torch.Generator().manual_seed(step))


def learner() -> torch.nn.Linear:
    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


def run(folder: Path, model: torch.nn.Linear, steps: int = 60, settings: dict[str, int] | None = None) -> None:
    def loss_of(batch: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"error": ((model(batch) - batch.sum(dim=1, keepdim=True)) ** 2).mean()}

    recipe = Recipe(steps=steps, rate=0.1, warm_up=5, save_every=20, log_every=10)
    train(model, loss_of, batches, recipe, folder, settings or {"seed": 0})


def test_it_learns_a_sum(tmp_path: Path) -> None:
    model = learner()
    run(tmp_path, model)
    assert model.weight.detach().flatten().tolist() == pytest.approx([1, 1, 1], abs=0.05)
    log = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert [row["step"] for row in log] == [10, 20, 30, 40, 50, 60]
    assert log[-1]["error"] < log[0]["error"] / 50


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    whole = learner()
    run(tmp_path / "whole", whole)

    interrupted = learner()
    count = 0
    plain = type(interrupted).forward

    def failing(batch: torch.Tensor) -> torch.Tensor:
        nonlocal count
        count += 1
        if count == 34:
            raise KeyboardInterrupt
        return plain(interrupted, batch)

    interrupted.forward = failing  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", interrupted)
    resumed = learner()
    run(tmp_path / "parts", resumed)
    assert torch.equal(resumed.weight, whole.weight)
    assert torch.equal(resumed.bias, whole.bias)
    assert (tmp_path / "parts" / LOG).read_text() == (tmp_path / "whole" / LOG).read_text()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    run(tmp_path, learner())
    with pytest.raises(UserError, match=r"other settings \(seed\)"):
        run(tmp_path, learner(), settings={"seed": 1})
