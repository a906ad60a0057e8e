"""What UniSim's training sees in a step: comparisons of every task, drawn by the step's number alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qbench import prompts
from qbench.images import load_pixels, open_picture
from qbench.records import Sample

QUALITY_CAPTION = prompts.NAIVE_CAPTIONS["quality"]
"""What the better of two pictures is nearer to."""
Triplet = tuple[str, str, str]
"""What is measured against, the alternative that is nearer to it, and the other: texts, or paths of images."""
_TEXTS: Mapping[str, tuple[bool, bool, bool]] = {
    "img-2afc": (False, False, False),
    "it-2afc": (True, False, False),
    "text-2afc": (False, True, True),
    "iqa-2afc": (True, False, False),
}
"""Task -> which of the three are texts."""


def to_triplet(task: str, sample: Sample) -> Triplet:
    """A comparison by what is right in it."""
    against = {"it-2afc": "".join(sample.texts[:1]), "iqa-2afc": QUALITY_CAPTION}.get(task, sample.reference)
    alternatives = sample.texts if task == "text-2afc" else sample.images[-2:]
    assert against is not None
    assert sample.answer is not None
    return against, alternatives[sample.answer], alternatives[1 - sample.answer]


@dataclass(frozen=True)
class TripletBatch:
    """Comparisons of every task; an image or a text that is in several is there once."""

    step: int
    pixels: Any
    tokens: Mapping[str, Any]
    triplets: Mapping[str, Any]
    """Task -> comparison × 3: places among the images followed by the texts."""


@dataclass(frozen=True)
class TripletBatches:
    """Step -> batch, equally many comparisons of every task, drawn with replacement."""

    pools: Mapping[str, Sequence[Triplet]]
    """Task -> what is drawn from."""
    processor: Any
    longest: int
    """Tokens that the model reads of a text."""
    size: int
    """How many of each task, over all processes."""
    seed: int
    side: int | None = None
    """Pixels a side at which pictures are shown; None is as the processor does."""
    process: int = 0
    """Which of the processes that train together this is; it takes its share of each batch."""
    processes: int = 1

    @property
    def digest(self) -> str:
        """SHA-256 of what is drawn from: images by their names in their folder, which says how they were made."""
        named = {
            task: [
                [
                    item if is_text else "/".join(Path(item).parts[-2:])
                    for item, is_text in zip(triplet, _TEXTS[task], strict=True)
                ]
                for triplet in pool
            ]
            for task, pool in self.pools.items()
        }
        return hashlib.sha256(json.dumps(named).encode()).hexdigest()

    def __getitem__(self, step: int) -> TripletBatch:
        generator = np.random.default_rng([self.seed, 7, step])
        drawn = {
            task: [pool[place] for place in generator.integers(len(pool), size=self.size)]
            for task, pool in self.pools.items()
        }
        return self.make(step, {task: chosen[self.process :: self.processes] for task, chosen in drawn.items()})

    def make(self, step: int, drawn: Mapping[str, Sequence[Triplet]]) -> TripletBatch:
        """The batch of these comparisons."""
        import torch

        items = [
            (is_text, item)
            for task, chosen in drawn.items()
            for triplet in chosen
            for is_text, item in zip(_TEXTS[task], triplet, strict=True)
        ]
        unique = sorted(set(items))  # images before texts
        place = {item: number for number, item in enumerate(unique)}
        triplets = {
            task: torch.tensor([[place[key] for key in zip(_TEXTS[task], triplet, strict=True)] for triplet in chosen])
            for task, chosen in drawn.items()
        }
        pixels = [load_pixels(open_picture(Path(item))) for is_text, item in unique if not is_text]
        texts = [item for is_text, item in unique if is_text] or [QUALITY_CAPTION]
        square = {"height": self.side, "width": self.side}
        size: dict[str, Any] = {"size": {"shortest_edge": self.side}, "crop_size": square} if self.side else {}
        values = self.processor.image_processor(pixels, return_tensors="pt", **size)["pixel_values"]
        cut = {"padding": True, "truncation": True, "max_length": self.longest}
        return TripletBatch(step, values, dict(self.processor.tokenizer(texts, return_tensors="pt", **cut)), triplets)

    def load(self, first: int, end: int, workers: int) -> Iterable[TripletBatch]:
        """The batches of these steps, made ahead by other processes where there are any."""
        from torch.utils.data import DataLoader

        loader: Iterable[TripletBatch] = DataLoader(
            self, batch_size=None, sampler=range(first, end), num_workers=workers
        )
        return loader
