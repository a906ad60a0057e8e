"""Spatial damage: jitter, displaced patches, pixelation, quantisation, colour blocks (KADID-10k 19 to 23).

Counts are those of KADID-10k's 512 × 384 pixels and grow with the area, so that the density stays.
"""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from qbench.distortions.colour_space import Pixels, from_picture, luma, to_uint8

_AREA = 512 * 384
_PATCH = 16
_BLOCK = 32


def jitter(pixels: Pixels, amount: float, generator: np.random.Generator) -> Pixels:
    """Every pixel taken from a random place nearby.

    KADID-10k warps five times with offsets of this deviation; five such steps end sqrt(5) as far, in one warp.
    """
    height, width = pixels.shape[:2]
    offsets = generator.standard_normal((2, height, width)) * (amount * math.sqrt(5))
    y = np.clip(np.arange(height)[:, None] + offsets[0], 0, height - 1)
    x = np.clip(np.arange(width) + offsets[1], 0, width - 1)
    top, left = y.astype(np.int64), x.astype(np.int64)
    down, across = (y - top)[..., None], (x - left)[..., None]
    corner, below = top * width + left, np.minimum(top + 1, height - 1) * width + left
    right = np.minimum(left + 1, width - 1) - left
    flat = pixels.reshape(-1, 3).astype(np.float64)
    upper, upper_right = flat.take(corner, axis=0), flat.take(corner + right, axis=0)
    lower, lower_right = flat.take(below, axis=0), flat.take(below + right, axis=0)
    upper += across * (upper_right - upper)
    lower += across * (lower_right - lower)
    return to_uint8(upper + down * (lower - upper))


def displaced_patches(pixels: Pixels, count: float, generator: np.random.Generator) -> Pixels:
    """Patches of 16 × 16 copied to a place at most 8 pixels away; a weaker level's are among a stronger's."""
    damaged: Pixels = pixels.copy()
    height, width = pixels.shape[:2]
    side = min(_PATCH, height, width)
    for _ in range(max(round(count * height * width / _AREA), 1)):
        y, x = (generator.random(2) * (height - side + 1, width - side + 1)).astype(int)
        down, across = np.rint(generator.uniform(-side / 2, side / 2, 2)).astype(int)
        to_y, to_x = min(max(y + down, 0), height - side), min(max(x + across, 0), width - side)
        damaged[to_y : to_y + side, to_x : to_x + side] = damaged[y : y + side, x : x + side].copy()
    return damaged


def pixelate(pixels: Pixels, strength: float, _: np.random.Generator) -> Pixels:
    """Shrunk to 0.95 − strength^0.6 of each side and enlarged again, both by the nearest pixel."""
    height, width = pixels.shape[:2]
    scale = 0.95 - strength**0.6
    fewer = (max(int(width * scale), 1), max(int(height * scale), 1))
    small = Image.fromarray(pixels).resize(fewer, Image.Resampling.NEAREST)
    return from_picture(small.resize((width, height), Image.Resampling.NEAREST))


def quantisation(pixels: Pixels, thresholds: float, _: np.random.Generator) -> Pixels:
    """Values rounded to the means of the classes that so many thresholds make of the picture's greys.

    The thresholds leave the least variance within classes (Otsu's criterion for several classes), by Lloyd's method.
    """
    counts = np.bincount(to_uint8(luma(pixels)).ravel(), minlength=256) + 1e-3
    values = np.arange(256.0)
    classes = round(thresholds) + 1
    share = np.cumsum(counts) / counts.sum()
    centres = np.interp((np.arange(classes) + 0.5) / classes, share, values)
    for _iteration in range(20):
        member = np.searchsorted((centres[1:] + centres[:-1]) / 2, values)
        weight = np.bincount(member, counts, classes)
        total = np.bincount(member, counts * values, classes)
        centres = np.where(weight > 0, total / np.maximum(weight, 1e-9), centres)
    table: Pixels = to_uint8(centres[member])
    return table[pixels]


def colour_blocks(pixels: Pixels, count: float, generator: np.random.Generator) -> Pixels:
    """Squares of 32 × 32 in random colours; the last is smaller where the count is not whole."""
    damaged: Pixels = pixels.copy()
    height, width = pixels.shape[:2]
    left = count * height * width / _AREA
    while left > 0:
        side = min(math.ceil(_BLOCK * math.sqrt(min(left, 1))), height, width)
        y, x = (generator.random(2) * (height - side + 1, width - side + 1)).astype(int)
        damaged[y : y + side, x : x + side] = generator.integers(0, 256, 3)
        left -= 1
    return damaged
