"""Comparisons of one's own photos to train UniSim on: parts of them, clean and damaged, and captions of the damage.

They are of the four core tasks and true by construction, as those of the demo sets are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from PIL import Image
from tqdm import tqdm

from qbench.datasets.similarity.files import ManifestRows, in_random_order
from tools.demo.descriptions import caption
from tools.nano.options import Options
from tools.nano.photos import middle, read_photos
from tools.nano.scenes import View, make_pictures, plan_scene

CLEAR = 1.0
"""Levels by which the same damage differs at least where one picture is called better."""


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions(Options):
    """Which comparisons to make."""

    scenes: int = 2000
    """Parts of photos, each of which is seen in four versions."""
    side: int = 224
    """Pixels a side of a picture."""
    whole: int = 224
    """Pixels that the shorter side of a whole photo would have at this scale: the model's own input."""


def write_comparisons(options: ComparisonOptions) -> None:
    """Write a list for each task, and the pictures that they name beside it.

    Raises:
        UserError: Too few photos.
    """
    photos = read_photos(options.photos).images
    options.out.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng([options.seed, 6])
    rows: dict[str, ManifestRows] = {}
    for number in tqdm(range(options.scenes), desc="making", unit="scene", disable=None):
        planned = plan_scene(generator)
        made = make_pictures(photos[number % len(photos)], planned, generator, options.side / options.whole)
        names = [f"{number}-{place}.png" for place in range(len(made))]
        for name, pixels in zip(names, made, strict=True):
            middle(Image.fromarray(pixels), options.side).save(options.out / name, compress_level=1)
        for task, row in comparisons_in(planned, names, generator):
            rows.setdefault(task, []).append({**row, "cluster": f"photo {number % len(photos)}"})
    for task, listed in rows.items():
        lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in listed)
        (options.out / f"{task}.jsonl").write_text(lines, encoding="utf-8")


def comparisons_in(
    views: Sequence[View], names: Sequence[str], generator: np.random.Generator
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every comparison within a scene whose right answer is clear, as the row of a manifest, under its task."""
    for first, second in permutations(range(len(views)), 2):
        if _is_better(views[first], views[second]):
            images, label = in_random_order(names[first], names[second], generator)
            yield "iqa-2afc", {"images": images, "label": label}
            if first and second:
                images, label = in_random_order(names[first], names[second], generator)
                yield "img-2afc", {"reference": names[0], "images": images, "label": label}
        words, others = caption(views[first].damage), caption(views[second].damage)
        if views[first].has_words and views[second].has_words and words != others:
            images, label = in_random_order(names[first], names[second], generator)
            yield "it-2afc", {"texts": [words], "images": images, "label": label}
            texts, label = in_random_order(words, others, generator)
            yield "text-2afc", {"reference": names[first], "texts": texts, "label": label}


def _is_better(view: View, other: View) -> bool:
    """Whether it is clean and the other is not, or has clearly less of the same damage."""
    if view.damage is None or other.damage is None:
        return len(view.damages) < len(other.damages)
    same = len(view.damages) == len(other.damages) == 1 and view.damage.kind == other.damage.kind
    return same and view.damage.place == other.damage.place and view.damage.level + CLEAR <= other.damage.level
