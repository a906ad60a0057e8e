"""sRGB to CIE L*a*b* (D65) and linear light, by tables where a power would be slow."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]
"""Height × width × 3, sRGB."""
Planes = NDArray[np.float64]
"""Double precision, so that the last digits, on which processors disagree, never decide a rounded value."""

_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _TO_XYZ.sum(axis=1)
_LUMA = np.array([0.299, 0.587, 0.114])
_STEPS = 1 << 14
"""Entries of the table from linear light to sRGB: within 0.2 of a grey level at the steep dark end."""
_KNEE = 6 / 29
_FROM_RGB = np.ascontiguousarray(_TO_XYZ.T / _WHITE)
_TO_LAB = np.array([[0.0, 500, 0], [116, -500, 200], [0, 0, -200]])
_BLACK = np.array([16.0, 0, 0])


def luma(pixels: Pixels) -> Planes:
    """Rec. 601 grey in 0..255, height × width."""
    return np.asarray(pixels @ _LUMA)


def from_picture(picture: Image.Image) -> Pixels:
    """An 8-bit RGB picture's pixels, in memory of their own."""
    return np.array(picture, np.uint8)


def to_uint8(values: Planes) -> Pixels:
    """Values in 0..255, rounded and clipped.

    Halves are common (means of whole numbers) and arrive a last digit above or below; a hair more than a half takes
    them all up.
    """
    return np.clip(values + (0.5 + 1e-7), 0, 255.5).astype(np.uint8)


@lru_cache(maxsize=1)
def linear_table() -> Planes:
    """Linear light in 0..1 of each of the 256 sRGB values."""
    value = np.arange(256) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


@lru_cache(maxsize=1)
def _srgb_table() -> Pixels:
    light = np.arange(_STEPS + 1) / _STEPS
    return to_uint8(255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055))


def from_linear(light: Planes) -> Pixels:
    """sRGB of linear light; what is outside 0..1 is clipped as a sensor clips."""
    return _srgb_table()[(np.clip(light, 0, 1) * _STEPS + 0.5).astype(np.int32)]


def to_lab(pixels: Pixels) -> Planes:
    """L* in 0..100, a* and b* as they come."""
    ratio = linear_table()[pixels] @ _FROM_RGB
    f = np.where(ratio > _KNEE**3, np.cbrt(ratio), ratio / (3 * _KNEE**2) + 4 / 29)
    return np.asarray(f @ _TO_LAB - _BLACK)


def from_lab(lab: Planes) -> Pixels:
    """The nearest sRGB by clipping in linear light."""
    f = (lab + _BLACK) @ np.linalg.inv(_TO_LAB)
    ratio = np.where(f > _KNEE, f * f * f, 3 * _KNEE**2 * (f - 4 / 29))
    return from_linear(ratio @ np.linalg.inv(_FROM_RGB))
