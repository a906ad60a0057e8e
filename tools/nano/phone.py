"""Views that went through the chain of a phone, or several damages: they have a quality, but no one kind of damage."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PIL import Image

from qbench.distortions import distort_array
from tools.nano.iqa_rows import several_damages
from tools.nano.photos import Photos, Pixels, crop
from tools.nano.scenes import LEVEL_RANGE, Calibration, quality_among


def phone_views(
    photos: Photos, calibration: Calibration, size: int, whole: int, seed: int, count: int
) -> Iterator[tuple[Pixels, float]]:
    """Pixels and quality of views, made and judged as `scenes.make_scene` does; a third is the level of damage."""
    for index in range(count):
        generator = np.random.default_rng([seed, 7, index])
        clean = crop(photos.images[int(generator.integers(len(photos.images)))], size / whole, generator)
        damages = several_damages(generator)
        damaged = clean
        for kind, level in damages:
            damaged = distort_array(damaged, kind, level, generator)
        level = min(LEVEL_RANGE[1], float(np.hypot.reduce([level for _, level in damages] or [0.0])))
        quality = (2 * quality_among(calibration, damaged, clean) + 1 - level / LEVEL_RANGE[1]) / 3
        image = Image.fromarray(damaged).resize((size, size), Image.Resampling.BICUBIC)
        yield np.asarray(image), quality
