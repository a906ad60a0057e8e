"""What comparing by embeddings costs: it grows with images, not with comparisons.

    python -m bench.similarity [--checkpoint FOLDER]

Random pairs of noise against a third image, with an encoder from disk (by default a tiny one with random weights).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.models import open_model


def measure(checkpoint: Path, images: int, comparisons: int) -> tuple[int, float, float]:
    """How many prompts were asked, and seconds for all of it and with every embedding at hand."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(images):
            pixels = rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / f"{number}.png")
        drawn = [[f"{number}.png" for number in rng.choice(images, 3, replace=False)] for _ in range(comparisons)]
        rows = [{"reference": triple, "images": others, "label": 0} for triple, *others in drawn]
        (folder / "list.json").write_text(json.dumps(rows), encoding="utf-8")
        data, model = open_dataset(str(folder / "list.json")), open_model(str(checkpoint))
        seconds = []
        for _ in range(2):
            started = time.perf_counter()
            [result] = evaluate("img-2afc", data, model, folder / "out")
            seconds.append(time.perf_counter() - started)
        return int(result.status["asked"]), seconds[0], seconds[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path)
    checkpoint = parser.parse_args().checkpoint
    with tempfile.TemporaryDirectory() as folder:
        if checkpoint is None:
            from tests.models import tiny

            checkpoint = tiny.build("clip", Path(folder))
        print(f"{'images':>8} {'comparisons':>12} {'embedded':>9} {'seconds':>8} {'again':>8}")
        for images, comparisons in ((100, 100), (100, 1000), (100, 10_000), (400, 1000), (1600, 1000)):
            asked, first, again = measure(checkpoint, images, comparisons)
            print(f"{images:>8,} {comparisons:>12,} {asked:>9,} {first:>8.2f} {again:>8.2f}")


if __name__ == "__main__":
    main()
