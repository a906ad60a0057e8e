"""The engine that degrades a photo: a type, a level, a seed.

Strengths are pixels of the picture as it is given (KADID-10k's are 512 × 384), so bring a large photo to its viewing
size first: a blur of 5 pixels is not seen on 20 megapixels.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from qbench.distortions.colour_space import Pixels, Planes, from_picture, to_uint8
from qbench.distortions.kinds import LEVELS, TYPES, Distortion

__all__ = ["LEVELS", "TYPES", "Distortion", "Region", "distort", "distort_array"]

Region = tuple[float, float, float, float]
"""Left, top, right and bottom, as shares of width and height."""


def distort(
    picture: Image.Image, kind: str, level: float, *, seed: int = 0, region: Region | None = None
) -> Image.Image:
    """A damaged copy of the picture, of the same size.

    Args:
        picture: RGB, as `qbench.images.to_rgb` makes it.
        kind: A key of `TYPES`.
        level: Above 0, up to 5; between whole levels the strength is interpolated.
        seed: The same seed gives the same picture. Random types grow from the same draw as the level grows.
        region: Left, top, right and bottom as shares of width and height: damage is confined to this box, with a soft
            edge inside it.
    """
    return Image.fromarray(distort_array(from_picture(picture), kind, level, np.random.default_rng(seed), region))


def distort_array(
    pixels: Pixels, kind: str, level: float, generator: np.random.Generator, region: Region | None = None
) -> Pixels:
    """The fast path of `distort`: height × width × 3 bytes in and out; the input is not changed."""
    distortion = TYPES[kind]
    if region is None:
        return distortion.apply(pixels, distortion.strength(level), generator)
    left, top, right, bottom = _corners(region, pixels.shape[1], pixels.shape[0])
    inside = pixels[top:bottom, left:right]
    weight = _soft_mask(bottom - top, right - left)[..., None]
    damaged = distortion.apply(np.ascontiguousarray(inside), distortion.strength(level), generator)
    blended: Pixels = pixels.copy()
    blended[top:bottom, left:right] = to_uint8(inside + weight * (damaged.astype(np.float64) - inside))
    return blended


def _corners(region: Region, width: int, height: int) -> tuple[int, int, int, int]:
    """The box in pixels, at least one wide and high."""
    left, top, right, bottom = region
    first, upper = min(int(left * width), width - 1), min(int(top * height), height - 1)
    return first, upper, max(round(right * width), first + 1), max(round(bottom * height), upper + 1)


def _soft_mask(height: int, width: int) -> Planes:
    """1 in the middle, falling smoothly towards the edge over a tenth of the shorter side."""
    feather = max(min(height, width) / 10, 1)
    rows, columns = (np.minimum(np.arange(side) + 0.5, side - 0.5 - np.arange(side)) for side in (height, width))
    ramp = np.clip(np.minimum(rows[:, None], columns) / feather, 0, 1)
    return np.asarray(ramp * ramp * (3 - 2 * ramp))
