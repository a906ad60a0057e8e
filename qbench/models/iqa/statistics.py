"""Natural-scene statistics of a whole photo: generalised Gaussians fitted to its locally normalised luminance.

The features of BRISQUE (Mittal, Moorthy and Bovik, "No-Reference Image Quality Assessment in the Spatial Domain", IEEE
TIP 2012), at three scales, and four of brightness and colour, which normalisation takes away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gamma

from qbench.models.niqe import NEIGHBOURS, Array, fit_asymmetric, normalised

Plane = NDArray[np.floating[Any]]

SCALES = 3
COLOUR_STATISTICS = 10
SCENE_STATISTICS = COLOUR_STATISTICS + SCALES * 18
"""How many there are: those of luminance and colour, then 18 a scale."""
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_PERCENTILES = (1, 10, 50, 90, 99)


def scene_statistics(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The statistics of height × width × 3 bytes; 0 where a flat photo has none."""
    colours = pixels.astype(np.float32)
    luminance = luminance_of(colours)
    values = colour_statistics(colours, luminance)
    plane = luminance
    for _ in range(SCALES):
        values += _texture_statistics(plane)
        plane = halved(plane)
    return np.nan_to_num(np.array(values, np.float32), posinf=0, neginf=0)


def luminance_of(colours: NDArray[np.float32]) -> Plane:
    """Luminance of height × width × 3 values."""
    luminance: Plane = colours @ _LUMA
    return luminance


def halved(plane: Plane) -> Plane:
    """Means of 2 × 2 pixels; an odd last row or column is dropped."""
    height, width = (max(length // 2 * 2, 2) for length in plane.shape[:2])
    plane = plane[:height, :width]
    half: Plane = (plane[::2, ::2] + plane[1::2, ::2] + plane[::2, 1::2] + plane[1::2, 1::2]) / 4
    return half


def _texture_statistics(luminance: Plane) -> list[float]:
    fits = [fit_asymmetric(plane.reshape(1, -1)) for plane in texture_planes(luminance)]
    return [float(value) for value in texture_values(fits)[0]]


def texture_planes(luminance: Plane) -> Iterator[Plane]:
    """What generalised Gaussians are fitted to: normalised luminance, and its products with four neighbours."""
    normal, _ = normalised(luminance)
    height, width = normal.shape
    yield normal
    for down, across in NEIGHBOURS:
        beside = normal[down:, max(across, 0) : width + min(across, 0)]
        before = normal[: height - down, max(-across, 0) : width + min(-across, 0)]
        yield before * beside


def texture_values(fits: Sequence[tuple[Array, Array, Array]]) -> Array:
    """The statistics of one scale from the shape, left and right scale of each of `texture_planes`; a row a photo."""
    (shape, left, right), *products = fits
    columns = [shape, (left + right) / 2]
    for shape, left, right in products:
        spread = (right - left) * gamma(2 / shape) / gamma(1 / shape)
        columns += [shape, spread, left, right]
    return np.stack(columns, axis=1)


def colour_statistics(colours: NDArray[np.float32], luminance: Plane) -> list[float]:
    """Percentiles, mean and deviation of luminance, and means and deviations of two opponent colours, from 0 to 1."""
    small, grey = colours[::2, ::2] / 255, luminance[::2, ::2] / 255
    red_green = small[..., 0] - small[..., 1]
    yellow_blue = (small[..., 0] + small[..., 1]) / 2 - small[..., 2]
    chroma = np.hypot(red_green, yellow_blue)
    spread = [red_green.std(), yellow_blue.std(), chroma.mean()]
    return [float(value) for value in [*np.percentile(grey, _PERCENTILES), grey.mean(), grey.std(), *spread]]
