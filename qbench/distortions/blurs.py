"""Blurs: Gaussian, lens, motion (KADID-10k 1 to 3), zoom and glass. Strengths are in pixels except zoom's."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image
from scipy import fft, ndimage

from qbench.distortions.colour_space import Pixels, Planes, to_uint8


def smooth(planes: Planes, sigma: float) -> Planes:
    """Gaussian blur of the first two axes, cut at two standard deviations as KADID-10k's kernels are."""
    for axis in (0, 1):
        planes = ndimage.gaussian_filter1d(planes, sigma, axis=axis, mode="nearest", truncate=2.0)
    return planes


def gaussian_blur(pixels: Pixels, sigma: float, _: np.random.Generator) -> Pixels:
    """Strength is the standard deviation."""
    return to_uint8(smooth(pixels.astype(np.float64), sigma))


def lens_blur(pixels: Pixels, radius: float, _: np.random.Generator) -> Pixels:
    """Out-of-focus disk of this radius."""
    reach = math.ceil(radius)
    fine = (np.arange((2 * reach + 1) * 8) + 0.5) / 8 - reach - 0.5
    inside = fine[:, None] ** 2 + fine**2 <= radius**2
    side = 2 * reach + 1
    return _convolved(pixels, inside.reshape(side, 8, side, 8).mean(axis=(1, 3)))


def motion_blur(pixels: Pixels, length: float, generator: np.random.Generator) -> Pixels:
    """Camera moving in a straight line of this length, at a random angle (MATLAB's fspecial("motion"))."""
    angle = generator.uniform(0, math.pi)
    half = max(length - 1, 0) / 2
    reach = math.ceil(half) + 1
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    along = x * math.cos(angle) + y * math.sin(angle)
    across = y * math.cos(angle) - x * math.sin(angle)
    away = np.hypot(across, np.maximum(np.abs(along) - half, 0))
    return _convolved(pixels, np.maximum(1 - away, 0))


def zoom_blur(pixels: Pixels, extent: float, generator: np.random.Generator) -> Pixels:
    """Zooming during exposure up to 1 + extent, towards a point near the middle; averaged by doubling."""
    height, width = pixels.shape[:2]
    x, y = generator.uniform(0.4, 0.6, 2) * (width, height)
    # So many moments that the outermost pixels move by less than two pixels between them.
    doublings = max(math.ceil(math.log2(max(extent * max(height, width), 4) / 3)), 1)
    blurred = pixels.astype(np.float64)
    for doubling in range(doublings):
        scale = (1 + extent) ** -(2.0**doubling / (2**doublings - 1))
        frame = (scale, 0, x * (1 - scale), 0, scale, y * (1 - scale))
        source = Image.fromarray(to_uint8(blurred))
        moved = source.transform((width, height), Image.Transform.AFFINE, frame, Image.Resampling.BILINEAR)
        blurred = (blurred + np.asarray(moved)) / 2
    return to_uint8(blurred)


def glass_blur(pixels: Pixels, reach: float, generator: np.random.Generator) -> Pixels:
    """Pixels swapped with neighbours up to `reach` away between two light blurs (Hendrycks and Dietterich, 2019)."""
    height, width = pixels.shape[:2]
    sigma = 0.3 + 0.15 * reach
    frosted = smooth(pixels.astype(np.float64), sigma)
    offsets = np.rint(generator.uniform(-reach, reach, (2, height, width))).astype(np.int64)
    rows = np.clip(np.arange(height)[:, None] + offsets[0], 0, height - 1)
    columns = np.clip(np.arange(width) + offsets[1], 0, width - 1)
    shuffled = frosted.reshape(-1, 3).take(rows * width + columns, axis=0)
    return to_uint8(smooth(shuffled, sigma))


def _convolved(pixels: Pixels, kernel: Planes) -> Pixels:
    """Convolution with a kernel of odd sides, the border pixels repeated outside."""
    high, wide = pixels.shape[:2]
    down, right = kernel.shape[0] // 2, kernel.shape[1] // 2
    padded = np.pad(pixels.astype(np.float64), ((down, down), (right, right), (0, 0)), mode="edge")
    shape = [fft.next_fast_len(side, real=True) for side in padded.shape[:2]]
    spectrum = fft.rfft2(kernel / kernel.sum(), shape)[..., None]
    whole = fft.irfft2(fft.rfft2(padded, shape, axes=(0, 1)) * spectrum, shape, axes=(0, 1))
    return to_uint8(whole[2 * down : 2 * down + high, 2 * right : 2 * right + wide])
