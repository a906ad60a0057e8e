"""Noise (KADID-10k 11 to 15). Strengths are variances, on a scale where white is 1, except impulse noise's share."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import fft

from qbench.distortions.colour_space import Pixels, Planes, to_uint8

_FROM_YCBCR = np.array([[1.16438, 0.0, 1.59603], [1.16438, -0.39176, -0.81297], [1.16438, 2.01723, 0.0]])
"""Studio-range YCbCr to RGB, as MATLAB's ycbcr2rgb; its constant part does not touch noise."""
_SIDE = 8
_SHIFTS = (0, 2, 4, 6)


def white_noise(pixels: Pixels, variance: float, generator: np.random.Generator) -> Pixels:
    """Independent in each channel."""
    return to_uint8(pixels + _gaussian(pixels, variance, generator))


def ycbcr_noise(pixels: Pixels, variance: float, generator: np.random.Generator) -> Pixels:
    """White noise added in YCbCr, so that most of it is seen as colour."""
    return to_uint8(pixels + _gaussian(pixels, variance, generator) @ _FROM_YCBCR.T)


def impulse_noise(pixels: Pixels, share: float, generator: np.random.Generator) -> Pixels:
    """Salt and pepper: this share of all values is 0 or 255."""
    drawn = generator.random(pixels.shape)
    return np.where(drawn < share / 2, 0, np.where(drawn > 1 - share / 2, 255, pixels)).astype(np.uint8)


def multiplicative_noise(pixels: Pixels, variance: float, generator: np.random.Generator) -> Pixels:
    """Speckle: uniform noise in proportion to the value (MATLAB's imnoise)."""
    speckle = (generator.random(pixels.shape) - 0.5) * math.sqrt(12 * variance)
    return to_uint8(pixels * (1 + speckle))


def denoised(pixels: Pixels, variance: float, generator: np.random.Generator) -> Pixels:
    """White noise, then a denoiser that leaves blotches and smears texture.

    KADID-10k's denoiser is a network (DnCNN); here the small coefficients of overlapping 8 × 8 cosine transforms are
    set to zero, channel by channel.
    """
    noisy = pixels + _gaussian(pixels, variance, generator)
    threshold = 2.7 * 255 * math.sqrt(variance)
    height, width = pixels.shape[:2]
    rows, columns = (-(-side // _SIDE) + 1 for side in (height, width))
    below, right = (count * _SIDE - side for count, side in ((rows, height), (columns, width)))
    padded = np.pad(noisy, ((_SIDE, below), (_SIDE, right), (0, 0)), mode="edge")
    down, across = _cosines()
    total = np.zeros_like(noisy)
    for shift in _SHIFTS:
        part = padded[shift : shift + rows * _SIDE, shift : shift + columns * _SIDE]
        waves = (down @ part.reshape(rows, _SIDE, -1)).reshape(-1, across.shape[0]) @ across.T
        blocks = waves.reshape(rows, _SIDE, columns, _SIDE, 3)
        means = blocks[:, 0, :, 0].copy()
        waves[np.abs(waves) < threshold] = 0
        blocks[:, 0, :, 0] = means
        clean = (down.T @ (waves @ across).reshape(rows, _SIDE, -1)).reshape(part.shape)
        start = _SIDE - shift
        total += clean[start : start + height, start : start + width]
    return to_uint8(total / len(_SHIFTS))


def _gaussian(pixels: Pixels, variance: float, generator: np.random.Generator) -> Planes:
    return generator.standard_normal(pixels.shape) * (255 * math.sqrt(variance))


@lru_cache(maxsize=1)
def _cosines() -> tuple[Planes, Planes]:
    """The transform down a column, and along a row whose three channels are interleaved."""
    one = fft.dct(np.eye(_SIDE), axis=0, norm="ortho")
    return one, np.kron(one, np.eye(3))
