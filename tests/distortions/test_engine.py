"""Distortions: what every type promises, damage that grows with the level, and types against hand-worked values."""

from __future__ import annotations

import io
import math
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from qbench.distortions import LEVELS, TYPES, distort, distort_array
from qbench.distortions.colour_space import from_lab, to_lab

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


# --- single types by hand, by definition, or by the library that defines them


def damaged(kind: str, strength: float, pixels: np.ndarray, seed: int = 0) -> np.ndarray:
    """Applied at a strength rather than a level, in numbers that can be negative."""
    return TYPES[kind].apply(pixels, strength, np.random.default_rng(seed)).astype(int)


def flat(value: int, height: int = 200, width: int = 200) -> np.ndarray:
    return np.full((height, width, 3), value, np.uint8)


def pixel(*colour: int) -> np.ndarray:
    return np.array([[colour]], np.uint8)


def test_levels_between_are_interpolated() -> None:
    jpeg = TYPES["jpeg"]
    assert [jpeg.strength(level) for level in (1, 5, 3.5, 4.75)] == [43, 4, 15.5, 4.75]
    assert TYPES["white-noise"].strength(0.5) == pytest.approx(0.0005)


@pytest.mark.parametrize(
    ("colour", "lab"),
    [
        ((255, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 255, 0), (87.73, -86.18, 83.18)),
        ((0, 0, 255), (32.30, 79.19, -107.86)),
        ((255, 255, 255), (100, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
    ],
)
def test_lab_has_the_published_values_and_comes_back(colour: tuple[int, ...], lab: tuple[float, ...]) -> None:
    assert to_lab(pixel(*colour))[0, 0] == pytest.approx(lab, abs=0.01)
    assert tuple(from_lab(to_lab(pixel(*colour)))[0, 0]) == colour


def test_gaussian_blur_spreads_a_point_by_its_kernel() -> None:
    point = flat(0, 41, 41)
    point[20, 20] = 255
    weight = np.exp(-(np.arange(-4, 5) ** 2) / 8)
    expected = 255 * np.outer(weight, weight) / weight.sum() ** 2
    assert np.abs(damaged("gaussian-blur", 2, point)[16:25, 16:25, 0] - expected).max() <= 0.5


def test_colour_quantisation_leaves_so_many_colours() -> None:
    for count in (8, 64):
        assert len(np.unique(damaged("colour-quantisation", count, made_photo(3)).reshape(-1, 3), axis=0)) == count


def test_jpeg_is_pillows() -> None:
    photo = made_photo(4)
    file = io.BytesIO()
    Image.fromarray(photo).save(file, "JPEG", quality=24)
    assert np.array_equal(damaged("jpeg", 24.3, photo), np.asarray(Image.open(file)))


def test_jpeg_2000_costs_a_small_picture_as_much_as_a_large_one() -> None:
    large = np.tile(made_photo(5, side=128), (3, 4, 1))
    errors = [np.abs(damaged("jpeg-2000", 120, pixels) - pixels).mean() for pixels in (large, large[:128, :128])]
    assert errors[1] == pytest.approx(errors[0], rel=0.15)


def test_noise_has_the_variance_it_says() -> None:
    grey = flat(128)
    white = damaged("white-noise", 0.01, grey) - 128
    assert white.std() == pytest.approx(25.5, rel=0.02)
    assert abs(np.corrcoef(white.reshape(-1, 3).T)[0, 1]) < 0.02
    assert (damaged("multiplicative-noise", 0.02, grey) - 128).std() == pytest.approx(128 * math.sqrt(0.02), rel=0.02)
    assert damaged("multiplicative-noise", 0.05, flat(0)).max() == 0
    # R = 1.16438 Y + 1.59603 Cr, B = 1.16438 Y + 2.01723 Cb
    coloured = damaged("ycbcr-noise", 0.003, grey).reshape(-1, 3)
    unit = 255 * math.sqrt(0.003)
    assert coloured.std(axis=0) == pytest.approx(unit * np.array([1.9756, 1.4736, 2.3291]), rel=0.03)


def test_impulse_noise_is_black_and_white_in_equal_parts() -> None:
    noisy = damaged("impulse-noise", 0.03, flat(128))
    assert [(noisy == value).mean() for value in (0, 255)] == pytest.approx([0.015, 0.015], abs=0.002)
    assert np.isin(noisy, (0, 128, 255)).all()


@pytest.mark.parametrize(
    ("kind", "strength", "value", "expected"),
    [
        ("darken", 0.8, 204, 139),  # −0.6 × 0.8 + 1.6 × 0.64 = 0.544
        ("darken", 0.8, 51, 0),
        ("mean-shift-up", 0.15, 100, 138),
        ("mean-shift-down", -0.15, 30, 0),
        ("overexposure", 1, 128, 176),
        ("overexposure", 3, 128, 255),
        ("underexposure", -1, 176, 128),
        ("contrast-up", 0, 91, 91),
        ("contrast-up", 0.5, 0, 0),
        ("contrast-up", 0.5, 255, 255),
    ],
)
def test_curves_by_hand(kind: str, strength: float, value: int, expected: int) -> None:
    assert damaged(kind, strength, pixel(value, value, value))[0, 0].tolist() == [expected] * 3


def test_patches_and_blocks_begin_anywhere_and_end_within_the_picture() -> None:
    """A patch of 16 pixels has two places on each side of 17, and a block of 32 two on each side of 33."""
    places = np.dstack([*np.indices((17, 17)), np.zeros((17, 17))]).astype(np.uint8)
    steps, corners = set(), set()
    for seed in range(60):
        moved = damaged("displaced-patches", 1, places, seed) - places.astype(int)
        steps |= {tuple(step) for step in moved[..., :2].reshape(-1, 2)}
        covered = (damaged("colour-blocks", 180, flat(1, 33, 33), seed) != 1).any(axis=-1)
        assert covered.sum() == 32 * 32
        corners.add(tuple(np.argwhere(covered)[0]))
    assert steps == {(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1)}
    assert corners == {(0, 0), (0, 1), (1, 0), (1, 1)}
