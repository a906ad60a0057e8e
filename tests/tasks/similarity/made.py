"""Images that are told apart by name, and an encoder whose embeddings are given by hand."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image

from qbench.commands.evaluate import evaluate
from qbench.datasets import Dataset, open_dataset
from qbench.models import Model
from qbench.records import Picture, Prompt, Response, Result
from qbench.tasks import TASKS, RunOptions

SIMILARITY = tuple(name for name, task in TASKS.items() if task.result in ("choices", "searches"))
"""UniSim-Bench's tasks."""


def at(degrees: float) -> tuple[float, float]:
    """A vector at an angle, of no particular length."""
    return 3 * math.cos(math.radians(degrees)), 3 * math.sin(math.radians(degrees))


def dataset(folder: Path, rows: Sequence[Mapping[str, object]], names: str) -> Dataset:
    """A manifest of these rows beside one image for each name, no two alike."""
    for number, name in enumerate(names.split()):
        Image.new("RGB", (8, 8), (10 * number, 0, 0)).save(folder / f"{name}.png")
    path = folder / "list.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return open_dataset(str(path))


class HandMade(Model):
    """An encoder whose vectors are given, by text or by file name without its suffix; it counts what it embeds."""

    name = "hand-made"
    wants = frozenset({"embedding", "words"})
    identity = {"made": "by hand"}  # noqa: RUF012 - never changed
    batch_size = 3

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self.vectors = vectors
        self.embedded: Counter[str] = Counter()

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        assert all(prompt.want == "embedding" for prompt in prompts)
        answers = []
        for prompt in prompts:
            [part] = prompt.parts
            name = Path(part.path).stem if isinstance(part, Picture) else part
            self.embedded[name] += 1
            known = name in self.vectors
            answers.append(Response(embedding=tuple(self.vectors[name])) if known else Response(failure="no vector"))
        return answers


def run(task: str, folder: Path, rows: list, names: str, vectors: Mapping[str, Sequence[float]], **how: str) -> Result:
    """What the encoder of these vectors is worth on these rows."""
    [result] = evaluate(task, dataset(folder, rows, names), HandMade(vectors), folder, options=RunOptions(**how))
    return result
