"""Single types against hand-worked values, definitions, or the library that defines them."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from PIL import Image

from qbench.distortions import TYPES
from qbench.distortions.colour_space import from_lab, to_lab
from tests.distortions.test_engine import made_photo


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
