"""Damage grows with the level, by a full-reference measure that the engine knows nothing of."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from qbench.distortions import TYPES, distort_array

CURVED_IN_COLOUR = {"colour", "brightness"}
"""Families that leave structure alone; SSIM on grey hardly sees them."""


def made_photo(seed: int, side: int = 128) -> np.ndarray:
    """Dead leaves (discs hiding discs: edges and sizes as in nature) under a texture with a 1/f spectrum."""
    generator = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side]
    photo = np.zeros((side, side, 3))
    for _ in range(250):
        radius = 4 / generator.uniform(0.07, 1)
        centre = generator.uniform(0, side, 2)
        photo[np.hypot(y - centre[0], x - centre[1]) < radius] = generator.uniform(30, 215, 3)
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.fftfreq(side))
    frequency[0, 0] = np.inf
    texture = np.fft.ifft2(np.fft.fft2(generator.standard_normal((side, side))) / frequency).real
    photo = ndimage.gaussian_filter(photo, (0.6, 0.6, 0)) + 15 * (texture / texture.std())[..., None]
    return np.clip(photo, 0, 255).astype(np.uint8)


def structural_loss(reference: np.ndarray, damaged: np.ndarray) -> float:
    """1 − SSIM of greys (Wang et al., 2004: Gaussian window of 1.5 pixels, K = 0.01 and 0.03)."""
    x, y = (np.asarray(Image.fromarray(picture).convert("L"), float) for picture in (reference, damaged))

    def local(values: np.ndarray) -> np.ndarray:
        return ndimage.gaussian_filter(values, 1.5, truncate=3.5)

    mean_x, mean_y = local(x), local(y)
    var_x, var_y, cov = local(x * x) - mean_x**2, local(y * y) - mean_y**2, local(x * y) - mean_x * mean_y
    c1, c2 = 2.55**2, 7.65**2
    top, bottom = (2 * mean_x * mean_y + c1) * (2 * cov + c2), (mean_x**2 + mean_y**2 + c1) * (var_x + var_y + c2)
    return 1 - float((top / bottom).mean())


def colour_difference(reference: np.ndarray, damaged: np.ndarray) -> float:
    """Mean distance of RGB values."""
    return float(np.linalg.norm(reference.astype(float) - damaged, axis=-1).mean())


def mean_damage(kind: str, level: float, photos: list[np.ndarray]) -> float:
    measure = colour_difference if TYPES[kind].family in CURVED_IN_COLOUR else structural_loss
    damaged = (distort_array(photo, kind, level, np.random.default_rng(n)) for n, photo in enumerate(photos))
    return float(np.mean([measure(photo, picture) for photo, picture in zip(photos, damaged, strict=True)]))


@pytest.fixture(scope="module")
def made_photos() -> list[np.ndarray]:
    return [made_photo(seed) for seed in range(3)]


@pytest.mark.parametrize("kind", TYPES)
def test_every_level_damages_made_photos_more(kind: str, made_photos: list[np.ndarray]) -> None:
    steps = [mean_damage(kind, half / 2, made_photos) for half in range(1, 11)]
    assert all(a <= b for a, b in pairwise(steps)), steps
    assert all(a < b for a, b in pairwise([0.0, *steps[1::2]])), steps
