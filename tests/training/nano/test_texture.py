"""The texture of patches: values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.training.nano.texture import STATISTICS, texture

PATCH = 32
LIGHT, RED_GREEN, YELLOW_BLUE, RANGE, DARK, BRIGHT, SPREAD = range(STATISTICS - 7, STATISTICS)
"""The last statistics: of the colours of a patch."""
FLAT_DOWN, FLAT_ACROSS = STATISTICS - 9, STATISTICS - 8
SMOOTH = float(np.log(0.5))
"""Logarithm of no detail."""


def flat(red: int, green: int, blue: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.full((1, 2 * PATCH, 3 * PATCH, 3), (red, green, blue), np.uint8)


def test_a_flat_picture_has_a_colour_and_no_detail() -> None:
    told = texture(flat(200, 100, 50), PATCH).numpy()
    assert told.shape == (1, 6, STATISTICS)
    assert told[0, :, LIGHT] == pytest.approx(0.299 * 200 + 0.587 * 100 + 0.114 * 50, abs=0.01)
    assert told[0, :, RED_GREEN] == pytest.approx(100)
    assert told[0, :, YELLOW_BLUE] == pytest.approx(150 - 50)
    assert told[0, :, RANGE] == pytest.approx(150)
    assert told[0, :, [DARK, BRIGHT, SPREAD]] == pytest.approx(0, abs=0.1)
    assert told[0, :, [FLAT_DOWN, FLAT_ACROSS]] == pytest.approx(1)
    # Detail at the finest scale: around the neighbourhood, and towards four neighbours.
    assert told[0, :, :5] == pytest.approx(SMOOTH, abs=1e-3)


def test_stripes_are_seen_across_and_not_along() -> None:
    pixels = flat(0, 0, 0)
    pixels[:, :, ::2] = 255  # columns of black and white: the blur of five leaves 128 everywhere
    told = texture(pixels, PATCH).numpy()[0, 1]  # a patch away from the left and right edges
    around, across, along, *slanted = told[:5]
    assert around == pytest.approx(np.log(127.5 + 0.5), abs=1e-3)
    assert across == pytest.approx(np.log(255 + 0.5), abs=1e-3)
    assert along == pytest.approx(SMOOTH, abs=1e-3)
    assert slanted == pytest.approx([np.log(255.5)] * 2, abs=1e-3)
    assert told[FLAT_ACROSS] == pytest.approx(0, abs=1e-3)
    assert told[FLAT_DOWN] == pytest.approx(1)
    assert told[[DARK, BRIGHT]] == pytest.approx(0.5)
    assert told[SPREAD] == pytest.approx(127.5, abs=0.01)


def test_only_the_patch_with_noise_is_loud() -> None:
    pixels = flat(120, 120, 120)
    noise = np.random.default_rng(0).integers(-40, 40, (PATCH, PATCH, 1))
    pixels[0, :PATCH, :PATCH] = (pixels[0, :PATCH, :PATCH] + noise).astype(np.uint8)
    loud = texture(pixels, PATCH).numpy()[0, :, 0]
    assert loud[0] > 2
    assert loud[[2, 4, 5]] == pytest.approx(SMOOTH, abs=0.1)
