"""Comparisons to train UniSim on, made of one's own photos: crops of them, clean and damaged, and captions of damage.

They are of the four core tasks and true by construction, as those of the demo sets are. Only quality across types of
damage is judged, by full-reference measures (`qbench.training.nano.scenes`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from qbench.datasets.demo.descriptions import caption
from qbench.datasets.manifest import read_sample
from qbench.datasets.similarity.random_pairs import ManifestRows, in_random_order
from qbench.records import Sample
from qbench.rows import Row
from qbench.training.nano.photos import Photos, read_photos
from qbench.training.nano.scenes import VIEWS, Scene, Scenes, calibrate

CLEAR = 0.1
"""Views whose qualities differ by less are not compared."""
_LISTED = "comparisons.json"


@dataclass(frozen=True)
class PhotoComparisons:
    """Which comparisons to make of one's own photos."""

    photos: Path
    scenes: int
    """Crops, each of which is seen in four versions."""
    side: int
    """Pixels a side of a crop."""
    whole: int
    """Pixels that the shorter side of a whole photo would have at the scale of the crops."""
    seed: int = 0
    workers: int = 0


def make_photo_comparisons(wanted: PhotoComparisons, folder: Path) -> dict[str, list[Sample]]:
    """Task -> comparisons; their pictures are made below the folder, unless they are there from an earlier call.

    Raises:
        UserError: Too few photos.
    """
    photos = read_photos(wanted.photos)
    made = {"photos": photos.digest} | {name: getattr(wanted, name) for name in ("scenes", "side", "whole", "seed")}
    name = hashlib.sha256(json.dumps(made).encode()).hexdigest()[:12]
    below = folder / f"comparisons-{name}"
    listed = below / _LISTED
    if not listed.is_file():
        fresh = below / f"{_LISTED}.new"  # a list that is there is whole, and so are its pictures
        fresh.write_text(json.dumps(_make(photos, wanted, below), ensure_ascii=False), encoding="utf-8")
        fresh.replace(listed)
    rows_of: Mapping[str, ManifestRows] = json.loads(listed.read_text(encoding="utf-8"))
    return {
        task: [_sample(row, f"{task} {number}", below) for number, row in enumerate(rows)]
        for task, rows in rows_of.items()
    }


def _sample(row: dict[str, Any], name: str, folder: Path) -> Sample:
    placed = {**row, "images": [str(folder / image) for image in row.get("images", ())]}
    if "reference" in row:
        placed["reference"] = str(folder / row["reference"])
    return read_sample(Row(placed, name), name)


def _make(photos: Photos, wanted: PhotoComparisons, folder: Path) -> dict[str, ManifestRows]:
    from tqdm import tqdm

    folder.mkdir(parents=True, exist_ok=True)
    calibration = calibrate(photos, wanted.side / wanted.whole, wanted.seed)
    scenes = Scenes(photos, calibration, wanted.whole, wanted.seed)
    batches = [[(wanted.side, index)] for index in range(wanted.scenes)]
    generator = np.random.default_rng([wanted.seed, 6])
    rows: dict[str, ManifestRows] = {"img-2afc": [], "it-2afc": [], "text-2afc": [], "iqa-2afc": []}
    loaded = scenes.load(batches, wanted.workers)
    for number, (scene,) in enumerate(tqdm(loaded, total=wanted.scenes, desc="making", unit="scene", disable=None)):
        names = [f"{number}-{place}.png" for place in range(VIEWS)]
        for name, view in zip(names, scene.views, strict=True):
            Image.fromarray(view.pixels).save(folder / name, compress_level=1)
        for task, row in comparisons_in(scene, names, generator):
            rows[task].append({**row, "cluster": f"photo {scene.photo}"})
    return rows


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
