"""NIQE: how far an image's local statistics lie from those of pristine photos; lower is better.

Mittal, Soundararajan and Bovik, "Making a Completely Blind Image Quality Analyzer", IEEE SPL 2013. Features of patches
are generalised Gaussians fitted to locally normalised luminance and to products of neighbours, on two scales; two
multivariate Gaussians of them are compared (Eq. 10). `python -m tools.nano niqe` fits the pristine one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import linalg, ndimage
from scipy.special import gamma

from qbench.cancelling import check_cancelled
from qbench.errors import DataError

Array = NDArray[np.float64]

PATCH = 96
_SIGMA, _RADIUS = 7 / 6, 3
"""The 7 x 7 Gaussian window of the local mean and deviation."""
NEIGHBOURS = ((0, 1), (1, 0), (1, 1), (1, -1))
_SHAPES = np.arange(0.2, 10.0, 0.001)
_RATIOS = gamma(2 / _SHAPES) ** 2 / (gamma(1 / _SHAPES) * gamma(3 / _SHAPES))
"""Of moments, which theory gives each of the shapes."""


@dataclass(frozen=True, eq=False)
class PatchGaussian:
    """Mean and covariance of patch features."""

    mean: Array
    covariance: Array


def niqe_distance(image: Image.Image, pristine: PatchGaussian | None = None) -> float:
    """Distance of an image from pristine photos (Eq. 10); DataError where it has no patch with structure."""
    pristine = pristine or shipped_pristine()
    features, _ = patch_features(image)
    features = features[np.all(np.isfinite(features), axis=1)]
    if len(features) == 0:
        raise DataError("NIQE finds no structure in this image: every patch is flat")
    covariance = np.cov(features, rowvar=False) if len(features) > 1 else np.zeros_like(pristine.covariance)
    gap = pristine.mean - features.mean(axis=0)
    return float(np.sqrt(gap @ linalg.pinvh((pristine.covariance + covariance) / 2) @ gap))


@cache
def shipped_pristine() -> PatchGaussian:
    """The Gaussian that comes with the package; `python -m tools.nano niqe` wrote it, and what it was fitted to."""
    stored = json.loads(Path(__file__).with_name("niqe_pristine.json").read_text(encoding="utf-8"))
    return PatchGaussian(*(np.array(stored[name], dtype=np.float64) for name in ("mean", "covariance")))


def patch_features(image: Image.Image) -> tuple[Array, Array]:
    """The features of every whole patch, and each patch's sharpness (mean local deviation)."""
    width, height = image.width // PATCH * PATCH, image.height // PATCH * PATCH
    if not width or not height:
        raise DataError(f"NIQE needs at least {PATCH} × {PATCH} pixels, not {image.width} × {image.height}")
    full = image.convert("L").crop((0, 0, width, height))
    half = full.resize((width // 2, height // 2), Image.Resampling.BICUBIC)
    scales, sharpness = [], np.empty(0)
    for luminance, side in ((full, PATCH), (half, PATCH // 2)):
        normal, deviation = _normalised_strips(np.asarray(luminance), side)
        strips = [_strip_features(normal, top, side) for top in range(0, len(normal), side)]
        scales.append(np.concatenate(strips))
        if side == PATCH:
            sharpness = deviation
    return np.concatenate(scales, axis=1), sharpness


def _normalised_strips(luminance: NDArray[np.uint8], side: int) -> tuple[Array, Array]:
    """`normalised` in strips of one row of patches, which takes a tenth of the memory; and each patch's deviation."""
    normal, deviations = np.empty(luminance.shape), []
    for top in range(0, len(luminance), side):
        above = min(top, _RADIUS)
        strip, deviation = normalised(luminance[top - above : top + side + _RADIUS].astype(np.float64))
        normal[top : top + side] = strip[above : above + side]
        deviations.append(_patches(deviation[above : above + side], side).mean(axis=1))
    return normal, np.concatenate(deviations)


def normalised(luminance: NDArray[np.floating[Any]]) -> tuple[Array, Array]:
    """Luminance less its local mean, over its local deviation plus one (Eqs. 1-3); and that deviation."""

    def blurred(values: NDArray[np.floating[Any]]) -> Array:
        out: Array = ndimage.gaussian_filter(values, _SIGMA, mode="nearest", radius=_RADIUS)
        return out

    check_cancelled()
    mean = blurred(luminance)
    deviation = np.sqrt(np.abs(blurred(luminance**2) - mean**2))
    return (luminance - mean) / (deviation + 1), deviation


def _strip_features(normal: Array, top: int, side: int) -> Array:
    """Features of one row of patches; the neighbours of the first row and column are the last ones."""
    check_cancelled()
    strip = normal[top : top + side]
    above = normal.take(range(top - 1, top + side - 1), axis=0, mode="wrap")
    fits = [fit_asymmetric(_patches(strip, side))]
    for down, across in NEIGHBOURS:
        fits.append(fit_asymmetric(_patches(strip * np.roll(above if down else strip, across, axis=1), side)))
    return texture_values(fits)


def texture_values(fits: Sequence[tuple[Array, Array, Array]]) -> Array:
    """The features of one scale from shape, left and right scale of luminance and of its products with neighbours."""
    (shape, left, right), *products = fits
    columns = [shape, (left + right) / 2]
    for shape, left, right in products:
        spread = (right - left) * gamma(2 / shape) / gamma(1 / shape)
        columns += [shape, spread, left, right]
    return np.stack(columns, axis=1)


def _patches(values: Array, side: int) -> Array:
    rows, columns = values.shape[0] // side, values.shape[1] // side
    tiles: Array = values.reshape(rows, side, columns, side).swapaxes(1, 2).reshape(rows * columns, side * side)
    return tiles


def fit_asymmetric(rows: NDArray[np.floating[Any]]) -> tuple[Array, Array, Array]:
    """Shape, left and right scale of an asymmetric generalised Gaussian, by moments (Lasmar et al. 2009), per row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        negative, positive = rows < 0, rows > 0
        left = np.sqrt((rows**2 * negative).sum(axis=1) / negative.sum(axis=1))
        right = np.sqrt((rows**2 * positive).sum(axis=1) / positive.sum(axis=1))
        flatness = np.abs(rows).mean(axis=1) ** 2 / (rows**2).mean(axis=1)
    return fit_moments(left, right, flatness)


def fit_moments(left: Array, right: Array, flatness: Array) -> tuple[Array, Array, Array]:
    """As `fit_asymmetric`, of the root mean squares below and above 0 and of (mean size)² / (mean square)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        balance = left / right
        ratio = flatness * (balance**3 + 1) * (balance + 1) / (balance**2 + 1) ** 2
    shape = _shape_of(ratio)
    scale = np.sqrt(gamma(1 / shape) / gamma(3 / shape))
    return shape, left * scale, right * scale


def _shape_of(ratio: Array) -> Array:
    """The shape whose theoretical moment ratio is nearest; NaN stays NaN."""
    upper = np.clip(np.searchsorted(_RATIOS, ratio), 1, len(_RATIOS) - 1)
    nearer_below = ratio - _RATIOS[upper - 1] < _RATIOS[upper] - ratio
    shape: Array = _SHAPES[np.where(nearer_below, upper - 1, upper)]
    shape[~np.isfinite(ratio)] = np.nan
    return shape
