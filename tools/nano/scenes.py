"""What the embedded models learn from: a crop of a photo, damaged in several ways, with what is known of each view.

Damage of different types is compared by full-reference measures, since levels alone do not say which is worse: the
target is the mean rank of three of them among random damages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.datasets.demo import PLACES, region_of
from qbench.distortions import TYPES, distort_array
from qbench.models.classical import MEASURES
from tools.demo.damage import Damage
from tools.nano.fidelity import gmsd, haarpsi, mdsi
from tools.nano.photos import Photos, Pixels, crop

KINDS = tuple(TYPES)
VIEWS = 4
"""Of each scene, the clean one first."""
LOCAL = 0.5
"""Share of the third damaged views whose damage is confined to one place."""
LEVEL_RANGE = (0.6, 5.0)
CALIBRATION_DAMAGES = 400
"""Random damages that a rank is taken among."""


@dataclass(frozen=True)
class SceneView:
    """One version of a scene."""

    pixels: Pixels
    damage: Damage | None
    quality: float
    """1 is undamaged; 0 is worse than every damage of the calibration."""
    attributes: tuple[float, ...]
    """Of `qbench.models.classical.MEASURES`, in their order."""


@dataclass(frozen=True)
class Scene:
    """A crop of one photo, clean and damaged; the second and third view have the same type of damage."""

    photo: int
    views: tuple[SceneView, ...]


Calibration = NDArray[np.float64]
"""Measure × calibration damage: how far from clean, sorted."""


def calibrate(photos: Photos, share: float, seed: int) -> Calibration:
    """Distances of random damages to crops of this share of a photo, which ranks are taken among."""
    generator = np.random.default_rng([seed, 1])
    rows = []
    for _ in range(CALIBRATION_DAMAGES):
        clean = crop(photos.images[int(generator.integers(len(photos.images)))], share, generator)
        rows.append(_distances(apply_damage(clean, _draw(generator), generator), clean))
    sorted_: Calibration = np.sort(np.array(rows), axis=0).T
    return sorted_


def make_scene(photos: Photos, calibration: Calibration, size: int, whole: int, seed: int, index: int) -> Scene:
    """The scene of this index; the same arguments give the same scene.

    Args:
        photos: Where it is taken from.
        calibration: From `calibrate`.
        size: Pixels a side that a model gets to see of it.
        whole: Pixels that the shorter side of the whole photo would have then. The damage is done at the photo's own
            size, and the picture is resized as the model's processor would.
        seed: Of the whole training.
        index: Of the scene.
    """
    generator = np.random.default_rng([seed, 0, index])
    photo = int(generator.integers(len(photos.images)))
    clean = crop(photos.images[photo], size / whole, generator)
    first = _draw(generator)
    second = Damage(first.kind, other_level(first.level, generator))
    third = _draw(generator, PLACES[generator.integers(len(PLACES))] if generator.random() < LOCAL else None)
    views = [_view(clean, None, 1.0, size)]
    for damage in (first, second, third):
        pixels = apply_damage(clean, damage, generator)
        views.append(_view(pixels, damage, quality_among(calibration, pixels, clean), size))
    return Scene(photo, tuple(views))


def quality_among(calibration: Calibration, damaged: Pixels, clean: Pixels) -> float:
    """1 less the mean rank of a damaged crop's distances from the clean one, among those of random damages."""
    ranks = [
        np.searchsorted(sorted_, distance) / len(sorted_)
        for sorted_, distance in zip(calibration, _distances(damaged, clean), strict=True)
    ]
    return 1 - float(np.mean(ranks))


@dataclass(frozen=True)
class Scenes:
    """Scenes by size and index."""

    photos: Photos
    calibration: Calibration
    whole: int
    seed: int

    def __getitem__(self, which: tuple[int, int]) -> Scene:
        size, index = which
        return make_scene(self.photos, self.calibration, size, self.whole, self.seed, index)

    def load(
        self, batches: Sequence[Sequence[tuple[int, int]]], workers: int, collate: Callable[[list[Scene]], Any] = list
    ) -> Any:
        """Batches of scenes, made ahead by other processes; with no workers by this one, as they are asked for."""
        from torch.utils.data import DataLoader

        ahead = 8 if workers else None
        return DataLoader(self, batch_sampler=batches, num_workers=workers, collate_fn=collate, prefetch_factor=ahead)


def stack_pixels(scenes: Iterable[Scene]) -> Pixels:
    """Every view of scenes of one size, one after the other."""
    return np.stack([view.pixels for scene in scenes for view in scene.views])


def without_pixels(scene: Scene) -> Scene:
    """The scene with empty pictures, for where only what is known of it is needed."""
    return replace(scene, views=tuple(replace(view, pixels=view.pixels[:0].copy()) for view in scene.views))


def _draw(generator: np.random.Generator, place: str | None = None) -> Damage:
    return Damage(KINDS[generator.integers(len(KINDS))], float(generator.uniform(*LEVEL_RANGE)), place)


def other_level(level: float, generator: np.random.Generator) -> float:
    """A level at least one away."""
    low, high = LEVEL_RANGE
    below, above = max(0.0, level - 1 - low), max(0.0, high - level - 1)
    drawn = float(generator.uniform(0, below + above))
    return low + drawn if drawn < below else level + 1 + drawn - below


def apply_damage(clean: Pixels, damage: Damage, generator: np.random.Generator) -> Pixels:
    """What a crop looks like afterwards."""
    region = region_of(damage.place, clean.shape[1], clean.shape[0])
    return distort_array(clean, damage.kind, damage.level, generator, region)


def _distances(damaged: Pixels, clean: Pixels) -> Sequence[float]:
    return gmsd(damaged, clean), 1 - haarpsi(damaged, clean), mdsi(damaged, clean)


def _view(pixels: Pixels, damage: Damage | None, quality: float, size: int) -> SceneView:
    image = Image.fromarray(pixels).resize((size, size), Image.Resampling.BICUBIC)
    return SceneView(np.asarray(image), damage, quality, tuple(measure(image) for measure in MEASURES.values()))
