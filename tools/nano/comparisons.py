"""Comparisons of one's own photos to train UniSim on: crops, clean and damaged, and captions of the damage.

They are of the four core tasks and true by construction, as those of the demo sets are. Only quality across types of
damage is judged, by full-reference measures (`tools.nano.scenes`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from PIL import Image

from qbench.datasets.similarity.random_pairs import ManifestRows, in_random_order
from tools.demo.descriptions import caption
from tools.nano.options import Options
from tools.nano.photos import read_photos
from tools.nano.scenes import VIEWS, Scene, Scenes, calibrate

CLEAR = 0.1
"""Views whose qualities differ by less are not compared."""


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions(Options):
    """Which comparisons to make."""

    scenes: int = 2000
    """Crops, each of which is seen in four versions."""
    side: int = 224
    """Pixels a side of a crop."""
    whole: int = 224
    """Pixels that the shorter side of a whole photo would have at the scale of the crops: the model's own input."""
    workers: int = 1
    """Processes that damage photos."""


def write_comparisons(options: ComparisonOptions) -> None:
    """Write a list for each task, and the pictures that they name beside it.

    Raises:
        UserError: Too few photos.
    """
    from tqdm import tqdm

    photos = read_photos(options.photos)
    options.out.mkdir(parents=True, exist_ok=True)
    calibration = calibrate(photos, options.side / options.whole, options.seed)
    scenes = Scenes(photos, calibration, options.whole, options.seed)
    batches = [[(options.side, index)] for index in range(options.scenes)]
    generator = np.random.default_rng([options.seed, 6])
    rows: dict[str, ManifestRows] = {}
    loaded = scenes.load(batches, options.workers)
    for number, (scene,) in enumerate(tqdm(loaded, total=options.scenes, desc="making", unit="scene", disable=None)):
        names = [f"{number}-{place}.png" for place in range(VIEWS)]
        for name, view in zip(names, scene.views, strict=True):
            Image.fromarray(view.pixels).save(options.out / name, compress_level=1)
        for task, row in comparisons_in(scene, names, generator):
            rows.setdefault(task, []).append({**row, "cluster": f"photo {scene.photo}"})
    for task, listed in rows.items():
        lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in listed)
        (options.out / f"{task}.jsonl").write_text(lines, encoding="utf-8")


def comparisons_in(
    scene: Scene, names: list[str], generator: np.random.Generator
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every comparison within a scene whose right answer is clear, as the row of a manifest, under its task."""
    for first, second in permutations(range(VIEWS), 2):
        view, other = scene.views[first], scene.views[second]
        if view.quality - other.quality >= CLEAR:
            images, label = in_random_order(names[first], names[second], generator)
            yield "iqa-2afc", {"images": images, "label": label}
            if first and second:
                images, label = in_random_order(names[first], names[second], generator)
                yield "img-2afc", {"reference": names[0], "images": images, "label": label}
        words, others = caption(view.damage), caption(other.damage)
        if words != others:
            images, label = in_random_order(names[first], names[second], generator)
            yield "it-2afc", {"texts": [words], "images": images, "label": label}
            texts, label = in_random_order(words, others, generator)
            yield "text-2afc", {"reference": names[first], "texts": texts, "label": label}
