"""Brightness, exposure, contrast and sharpness (KADID-10k 16 to 18, 24 and 25).

All but two are one curve for every value, which is a table of 256.
"""

from __future__ import annotations

import numpy as np

from qbench.distortions.blurs import smooth
from qbench.distortions.colour_space import Pixels, Planes, from_lab, from_linear, linear_table, to_lab, to_uint8

_RAMP = np.arange(256) / 255


def brighten(pixels: Pixels, amount: float, _: np.random.Generator) -> Pixels:
    """Middle tones raised: two parts in RGB, one in lightness, so colours pale less than they would in RGB alone."""
    middle = 0.5 + amount / 2
    lab = to_lab(pixels)
    lab[..., 0] = 100 * _bent(lab[..., 0] / 100, middle)
    curved = 255 * _bent(_RAMP, middle)[pixels]
    return to_uint8((2 * curved + from_lab(lab)) / 3)


def darken(pixels: Pixels, amount: float, _: np.random.Generator) -> Pixels:
    """Middle tones lowered in RGB."""
    return to_uint8(255 * _bent(_RAMP, 0.5 - amount / 2))[pixels]


def mean_shift(pixels: Pixels, amount: float, _: np.random.Generator) -> Pixels:
    """A constant added to every value, on a scale where white is 1."""
    return to_uint8(255 * (_RAMP + amount))[pixels]


def exposure(pixels: Pixels, stops: float, _: np.random.Generator) -> Pixels:
    """Linear light doubled so many times and clipped, as a camera's sensor does."""
    return from_linear(linear_table() * 2**stops)[pixels]


def contrast_change(pixels: Pixels, amount: float, _: np.random.Generator) -> Pixels:
    """Values at 30 % and 70 % moved apart (or together, below zero) by amount / 4 each, black, grey and white kept.

    KADID-10k's curve with its parameter moved by 0.2, where that curve is a straight line.
    """
    from scipy.interpolate import CubicSpline  # half a second to import, which the start need not wait for

    outer = 0.3 - amount / 4
    curve = CubicSpline([0, 0.3, 0.5, 0.7, 1], [0, outer, 0.5, 1 - outer, 1])
    return to_uint8(255 * curve(_RAMP))[pixels]


def oversharpening(pixels: Pixels, amount: float, _: np.random.Generator) -> Pixels:
    """Unsharp mask of the lightness with a radius of 3 pixels."""
    lab = to_lab(pixels)
    lab[..., 0] += amount * (lab[..., 0] - smooth(lab[..., 0], 3.0))
    lab[..., 0] = np.clip(lab[..., 0], 0, 100)
    return from_lab(lab)


def _bent(values: Planes, middle: float) -> Planes:
    """The parabola through (0, 0), (1/2, middle) and (1, 1), clipped."""
    return np.clip(values * (4 * middle - 1) + values * values * (2 - 4 * middle), 0, 1)
