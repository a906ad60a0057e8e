"""What every type promises: sizes, modes, seeds, regions, messages, and damage that grows with the level."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from qbench.distortions import LEVELS, TYPES, distort, distort_array

DRAWN = {
    "motion-blur", "zoom-blur", "glass-blur", "colour-shift", "transmission-error", "white-noise", "ycbcr-noise",
    "impulse-noise", "multiplicative-noise", "denoised", "jitter", "displaced-patches", "colour-blocks",
}  # fmt: skip
"""Types that depend on the seed."""
OF_A_SEED = {
    "gaussian-blur": (125.01, 0.47),
    "lens-blur": (124.99, 0.41),
    "motion-blur": (124.99, 0.55),
    "zoom-blur": (124.97, 0.42),
    "glass-blur": (125.12, 0.18),
    "colour-diffusion": (131.78, 0.49),
    "colour-shift": (125.03, 0.28),
    "undersaturation": (191.11, 0.21),
    "oversaturation": (114.34, 1.23),
    "banding": (125.89, 0.31),
    "transmission-error": (122.36, 0.43),
    "white-noise": (125.30, 0.49),
    "ycbcr-noise": (125.46, 0.58),
    "impulse-noise": (125.17, 0.34),
    "multiplicative-noise": (124.44, 0.31),
    "denoised": (125.81, 0.32),
    "brighten": (163.86, 0.48),
    "darken": (107.81, 0.34),
    "mean-shift-up": (160.78, 0.41),
    "mean-shift-down": (89.97, 0.26),
    "overexposure": (175.36, 0.38),
    "underexposure": (62.08, 0.18),
    "jitter": (124.56, 0.69),
    "displaced-patches": (125.05, 0.64),
    "pixelate": (124.86, 0.55),
    "quantisation": (124.03, 0.32),
    "colour-blocks": (126.24, 0.37),
    "oversharpening": (122.29, -0.08),
    "contrast-up": (124.98, 0.31),
    "contrast-down": (125.05, 0.38),
}
"""Mean, and mean with random signs, of one picture at level 3; not of types that are an image library's."""


@pytest.fixture(scope="module")
def photo() -> np.ndarray:
    return made_photo(7, side=96)


def test_every_type_of_kadid_is_there_and_named() -> None:
    assert {kind.kadid for kind in TYPES.values()} - {None} == set(range(1, 26))
    assert all(key == kind.key and key.replace("-", "").isalnum() for key, kind in TYPES.items())
    assert all(len(kind.strengths) == 1 + len(LEVELS) for kind in TYPES.values())


@pytest.mark.parametrize("kind", TYPES)
def test_sizes_are_kept_the_input_is_left_alone_the_seed_decides_and_a_region_confines(
    kind: str, photo: np.ndarray
) -> None:
    for size in ((1, 1), (3, 500), (500, 3), (37, 41)):
        pixels = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
        before = pixels.copy()
        for level in (0.01, 2.5, 5):
            damaged = distort_array(pixels, kind, level, np.random.default_rng(1))
            assert (damaged.shape, damaged.dtype) == (pixels.shape, np.uint8)
            damaged[:] = 0
        assert np.array_equal(pixels, before)
    picture = Image.fromarray(photo)
    first, again, other = (distort(picture, kind, 4, seed=seed).tobytes() for seed in (3, 3, 4))
    assert first == again
    assert (first != other) == (kind in DRAWN)
    damaged = distort_array(photo, kind, 5, np.random.default_rng(5), (0.25, 0.5, 0.75, 1))
    changed = (damaged != photo).any(axis=-1)
    assert changed[48:, 24:72].any()
    changed[48:, 24:72] = False
    assert not changed.any()


def test_a_seed_means_the_same_everywhere() -> None:
    """Up to the last digit of a pixel, which the processor's own sums may turn."""
    ramp = np.arange(64 * 48 * 3, dtype=np.int64).reshape(48, 64, 3)
    pixels = (ramp * 7919 % 251).astype(np.uint8)
    signs = np.random.default_rng(5).choice((-1, 1), pixels.shape)
    assert TYPES.keys() - OF_A_SEED.keys() == {"jpeg", "jpeg-2000", "colour-quantisation"}
    for kind, expected in OF_A_SEED.items():
        damaged = distort_array(pixels, kind, 3, np.random.default_rng(11)).astype(float)
        assert (damaged.mean(), (damaged * signs).mean()) == pytest.approx(expected, abs=0.05), kind


def test_a_region_has_a_soft_edge(photo: np.ndarray) -> None:
    grey = np.full_like(photo, 100)
    damaged = distort_array(grey, "mean-shift-up", 5, np.random.default_rng(0), (0, 0, 1, 0.5))[..., 0].astype(int)
    assert damaged[24, 48] == 177  # 100 + 0.3 × 255 = 176.5
    assert (np.diff(damaged[:8, 48]) >= 0).all()
    assert 100 <= damaged[0, 48] < 105 < damaged[2, 48] < 177
    assert (damaged[48:] == 100).all()


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
