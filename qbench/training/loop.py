"""The loop under every training: AdamW with warm-up and cosine decay, a log of curves, checkpoints and resume.

Nothing in it is random: batches are made from their step's number, so a resumed run goes on as if it had never stopped.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qbench.atomic import written_aside
from qbench.errors import UserError

CHECKPOINT_FILE = "checkpoint.pt"
LOG_FILE = "log.jsonl"


@dataclass(frozen=True)
class Recipe:
    """How long and how fast."""

    steps: int
    rate: float
    warm_up: int = 100
    decay: float = 0.05
    save_every: int = 200
    log_every: int = 20


def train(
    learner: Any,
    batches: Callable[[int], Iterable[Any]],
    recipe: Recipe,
    folder: Path,
    settings: Mapping[str, Any],
    *,
    writes: bool = True,
) -> None:
    """Train until the last step, from the folder's checkpoint where it has one.

    Args:
        learner: A torch module holding everything that learns; called with a batch it gives named losses to be summed.
        batches: Step to start from -> a batch for each step that is left.
        recipe: How long and how fast.
        folder: Takes the checkpoint and the log.
        settings: All else that changes the outcome; a checkpoint made with others is refused.
        writes: Whether this process writes the log and the checkpoints; of several that train together the first does,
            and since no step ends before all have begun it, the others have read a checkpoint before it is replaced.

    Raises:
        UserError: The folder's checkpoint belongs to another run.
    """
    import torch
    from tqdm import tqdm

    folder.mkdir(parents=True, exist_ok=True)
    optimiser = torch.optim.AdamW(_groups(learner, recipe.decay), lr=recipe.rate, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _share(step, recipe))
    known = {**settings, "recipe": asdict(recipe)}
    done, log = _resume(folder, known, learner, optimiser, schedule)
    if writes:
        (folder / LOG_FILE).write_text("".join(log), encoding="utf-8")
    totals: dict[str, float] = {}
    counted = 0
    with tqdm(total=recipe.steps, initial=done, unit="step", disable=None) as bar:
        for step, batch in enumerate(batches(done), done + 1):
            losses = learner(batch)
            total = sum(losses.values())
            optimiser.zero_grad(set_to_none=True)
            total.backward()
            torch.nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            counted += 1
            for name, loss in losses.items():
                totals[name] = totals.get(name, 0.0) + float(loss.detach())
            if writes and (step % recipe.log_every == 0 or step == recipe.steps):
                means = {name: round(value / counted, 5) for name, value in totals.items()}
                log.append(json.dumps({"step": step, **means}) + "\n")
                with (folder / LOG_FILE).open("a", encoding="utf-8") as file:
                    file.write(log[-1])
                bar.set_postfix(means)
                totals, counted = {}, 0
            if writes and (step % recipe.save_every == 0 or step == recipe.steps):
                _save(folder, {"known": known, "step": step, "log": log}, learner, optimiser, schedule)
            bar.update()


def _groups(learner: Any, decay: float) -> list[dict[str, Any]]:
    """Decay only for matrices that mix; scales, offsets and positions keep their size."""
    named = [(name, weight) for name, weight in learner.named_parameters() if weight.requires_grad]
    mixing = [weight for name, weight in named if weight.ndim > 1 and "embed" not in name]
    others = [weight for name, weight in named if weight.ndim <= 1 or "embed" in name]
    return [{"params": mixing, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


def _share(step: int, recipe: Recipe) -> float:
    """Share of the learning rate at a step."""
    if step < recipe.warm_up:
        return (step + 1) / recipe.warm_up
    way = (step - recipe.warm_up) / max(1, recipe.steps - recipe.warm_up)
    return 0.5 * (1 + math.cos(math.pi * min(1.0, way)))


def _save(folder: Path, about: dict[str, Any], *parts: Any) -> None:
    import torch

    with written_aside(folder / CHECKPOINT_FILE) as part, part.open("wb") as file:
        torch.save({**about, "states": [each.state_dict() for each in parts]}, file)
        file.flush()
        os.fsync(file.fileno())  # or a power cut leaves the new name with nothing behind it


def _resume(folder: Path, known: Mapping[str, Any], *parts: Any) -> tuple[int, list[str]]:
    """How many steps the checkpoint has behind it, and the log of them."""
    import torch

    path = folder / CHECKPOINT_FILE
    if not path.is_file():
        return 0, []
    saved = torch.load(path, map_location="cpu", weights_only=True)  # whatever it was written on, or this one has
    if saved["known"] != known:
        differing = [name for name, value in known.items() if saved["known"].get(name) != value]
        raise UserError(
            f"{path} was made with other settings ({', '.join(differing)}); continue with those, or name another --work"
        )
    for part, state in zip(parts, saved["states"], strict=True):
        part.load_state_dict(state)
    return saved["step"], saved.get("log", [])
