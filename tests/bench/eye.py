"""What searching with the eye of nano-vlm can be expected to find: `python -m tests.bench.eye`.

Its embedding of an image is the mean of the tokens that its language model is given. Beside it stand the mean of the
same tokens before the projector, nano-clip's own vector, and vectors drawn at random.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.models import Model, open_model
from qbench.models.checkpoint.inputs import decode_pictures
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Estimate, Picture, Prompt, Response

DRAWS = 100


class Vectors(Model):
    """Images embedded by a function."""

    wants = frozenset({"embedding"})
    batch_size = 16

    def __init__(self, name: str, embed: Callable[[Picture], NDArray[np.float64]]) -> None:
        self.name, self.identity, self._embed = name, {"name": name}, embed

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        pictures = [part for prompt in prompts for part in prompt.parts if isinstance(part, Picture)]
        return [Response(embedding=tuple(map(float, self._embed(picture)))) for picture in pictures]


def search(model: object) -> Estimate:
    """Mean average precision on the demo set."""
    with tempfile.TemporaryDirectory() as folder:
        [result] = evaluate("retrieval", open_dataset("demo-retrieval"), model, Path(folder))  # type: ignore[arg-type]
    return result.metrics["retrieval_map"]


def main() -> None:
    seeing = open_model("nano-vlm")
    assert isinstance(seeing, Vlm)

    def before_projector(picture: Picture) -> NDArray[np.float64]:
        pixels = seeing.network.processor.image_processor(
            images=[decode_pictures([picture])[picture]], return_tensors="pt"
        )
        with torch.inference_mode():
            maps = seeing.network.model.model.vision_tower(pixels["pixel_values"]).last_hidden_state[0]
        return np.asarray(maps.double().mean(dim=(1, 2)))

    for name, model in (
        ("mean of what the language model is given", seeing),
        ("mean of the same before the projector", Vectors("before", before_projector)),
        ("nano-clip", open_model("nano-clip")),
    ):
        found = search(model)
        print(f"{name:42} {found.value:.3f} ({found.low:.3f} to {found.high:.3f})", flush=True)
    generator = np.random.default_rng(0)
    drawn = [search(Vectors("drawn", lambda _: generator.normal(size=64))).value or 0.0 for _ in range(DRAWS)]
    print(f"{'drawn at random':42} {np.mean(drawn):.3f} (mean of {DRAWS} draws)")


if __name__ == "__main__":
    main()
