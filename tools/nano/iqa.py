"""nano-iqa: views of photos are looked at once, what is seen of them is kept, and heads are fitted to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.stats import rankdata

from qbench.datasets import open_dataset
from qbench.images import load_pixels, open_picture
from qbench.models.iqa.features import at_both_scales, look, open_backbone, pooled, scene_statistics
from qbench.models.iqa.heads import FACTS, FAULTS, FILE, Heads, read_heads
from tools.nano.iqa_heads import Targets, fit_heads, make_basis
from tools.nano.iqa_parts import fit_parts, look_at_parts
from tools.nano.options import NanoOptions
from tools.nano.people import read_ratings, what_is_left
from tools.nano.photos import Photos, Pixels
from tools.nano.scenes import VIEWS, View, in_files, make_pictures, plan_scene

REFERENCE = "demo-assessment"
_SHOWN = 1.2
"""From this level on a damage counts as seen."""
_SEED = 1
"""Keeps its scenes apart from the eye's."""


def make_iqa(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Fit the heads, and write them beside the network that they look through."""
    network = open_backbone(options.eye, options.device)
    kept, seed = read_ratings(options.ratings), options.seed + _SEED

    def rows(number: int) -> dict[str, NDArray[Any]]:
        made = make_pictures(photos, plan_scene(seed, number, local=False), seed, number)
        seen = np.concatenate([pooled(at_both_scales(network, made)), np.array([*map(scene_statistics, made)])], axis=1)
        return {"features": seen}

    features = in_files(options.work / "rows of nano-iqa", options.scenes, rows)["features"]
    views = [view for number in range(options.scenes) for view in plan_scene(seed, number, local=False)]
    people = [what_is_left(kept, view.damages) for view in views]
    numbers = np.repeat(np.arange(options.scenes) % len(photos.images), VIEWS)
    targets = Targets(qualities(people, views), faults_of(views), numbers)
    basis = make_basis(features, network)
    parts = list(look_at_parts(photos, network, basis, options.parts, seed))
    head, found = fit_parts(parts, basis, level_cost(targets.quality, views), seed)
    heads, figures = fit_heads(features, targets, basis, head)
    facts = {"photos": len(photos.images), "seed": options.seed, "held_out": {**figures, "damaged_part_found": found}}
    save_heads(heads, folder, {**facts, "photos_digest": photos.digest})
    for path in options.eye.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    write_reference(folder, options.device)


def qualities(people: list[float], views: list[View]) -> NDArray[np.float64]:
    """From 0 (worst) to 100: two thirds the rank by what people leave of the damages, a third that by their level."""
    by_level = rankdata([view.by_level for view in views])
    quality: NDArray[np.float64] = (2 * rankdata(people) + by_level) / 3
    return 100 * quality / len(views)


def faults_of(views: list[View]) -> NDArray[np.float64]:
    """View × kind of damage: 1 where it is plain to see."""
    plain = [{damage.kind for damage in view.damages if damage.level >= _SHOWN} for view in views]
    return np.array([[not kinds.isdisjoint(types) for types in FAULTS.values()] for kinds in plain], np.float64)


def level_cost(quality: NDArray[np.float64], views: list[View]) -> float:
    """Points of quality that a level of damage costs, by a line through the views with one damage."""
    one = [(view.damages[0].level, worth) for view, worth in zip(views, quality, strict=True) if len(view.damages) == 1]
    levels, points = np.array(one).T
    return -float(np.polyfit(levels, points, 1)[0])


def save_heads(heads: Heads, folder: Path, facts: Mapping[str, object]) -> None:
    """Write the weights, and what is known of them beside."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    parts = {"basis.": vars(heads.basis), "parts.": vars(heads.parts)}
    parts[""] = {name: value for name, value in vars(heads).items() if name not in ("basis", "parts")}
    arrays = {f"{below}{name}": value for below, own in parts.items() for name, value in own.items()}
    save_file({name: np.ascontiguousarray(value) for name, value in arrays.items()}, folder / FILE)
    (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def open_scorer(folder: Path, device: str) -> Callable[[Pixels], float]:
    """What a nano-iqa says of pixels, about 0 to 100."""
    network, heads = open_backbone(folder, device), read_heads(folder)
    return lambda pixels: heads.rate(look(network, Image.fromarray(pixels)).features()).score


def write_reference(folder: Path, device: str) -> None:
    """Score the pictures of the demo set of assessment, so that a photo's score can be placed among theirs."""
    score = open_scorer(folder, device)
    paths = [Path(sample.images[0]) for sample in open_dataset(REFERENCE).samples]
    scores = sorted(round(score(np.asarray(load_pixels(open_picture(path)))), 2) for path in paths)
    reference = {"title": f"photos and damaged copies ({REFERENCE})", "scores": scores}
    (folder / "reference.json").write_text(json.dumps(reference) + "\n", encoding="utf-8")
