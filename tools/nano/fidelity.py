"""Full-reference measures: how far a damaged picture is from the clean one.

GMSD (https://arxiv.org/abs/1308.3052), HaarPSI (https://arxiv.org/abs/1607.06140), MDSI
(https://arxiv.org/abs/1608.07433) and DSS (https://doi.org/10.1109/ICIP.2015.7351172), with their authors' constants.
They teach the embedded models how severe damage of different types is, which levels alone do not say. Here because the
library that has them imports torchvision, for which a CPU has no small build.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import fft, ndimage

Plane: TypeAlias = NDArray[np.floating[Any]]
_YIQ = np.array([[0.299, 0.587, 0.114], [0.5959, -0.2746, -0.3213], [0.2115, -0.5227, 0.3112]], np.float32)
_LHM = np.array([[0.2989, 0.587, 0.114], [0.3, 0.04, -0.35], [0.34, -0.6, 0.17]], np.float32)

_NOTHING: Plane = np.zeros((), np.float32)
_HALF = np.float32(np.sqrt(0.5))


def gmsd(damaged: NDArray[np.uint8], clean: NDArray[np.uint8]) -> float:
    """Gradient magnitude similarity deviation; 0 is identical."""
    ours, theirs = (_halved(_mixed(pixels, _YIQ[:1])[0] / 255) for pixels in (damaged, clean))
    return float(_similarity(_gradient(ours), _gradient(theirs), 170 / 255**2).std())


def haarpsi(damaged: NDArray[np.uint8], clean: NDArray[np.uint8]) -> float:
    """Haar wavelet-based perceptual similarity; 1 is identical."""
    ours, theirs = ([_halved(plane) for plane in _mixed(pixels, _YIQ)] for pixels in (damaged, clean))
    maps, weights = [], []
    for axis in (0, 1):
        mine, yours = ([_haar(side[0], 2**scale, axis) for scale in (1, 2, 3)] for side in (ours, theirs))
        maps.append((_similarity(mine[0], yours[0], 30) + _similarity(mine[1], yours[1], 30)) / 2)
        weights.append(np.maximum(mine[2], yours[2]))
    hues = [[np.abs(_blurred(plane)) for plane in side[1:]] for side in (ours, theirs)]
    maps.append((_similarity(hues[0][0], hues[1][0], 30) + _similarity(hues[0][1], hues[1][1], 30)) / 2)
    weights.append((weights[0] + weights[1]) / 2)
    steep, tiny = 4.2, np.finfo(float).eps
    squashed = sum(
        (weight / (1 + np.exp(-steep * similarity))).sum() for similarity, weight in zip(maps, weights, strict=True)
    )
    share = (squashed + tiny) / (sum(weight.sum() for weight in weights) + tiny)
    return float((np.log(share / (1 - share)) / steep) ** 2)


def mdsi(damaged: NDArray[np.uint8], clean: NDArray[np.uint8]) -> float:
    """Mean deviation similarity index, of gradients and of colours; 0 is identical."""
    step = max(1, round(min(clean.shape[:2]) / 256))
    (ours, *our_hues), (theirs, *their_hues) = (
        [_reduced(plane, step) for plane in _mixed(pixels, _LHM)] for pixels in (damaged, clean)
    )
    edges, clean_edges, mean_edges = _gradient(ours), _gradient(theirs), _gradient((ours + theirs) / 2)
    structure = (
        _similarity(edges, clean_edges, 140)
        + _similarity(edges, mean_edges, 55)
        - _similarity(clean_edges, mean_edges, 55)
    )
    products = sum(hue * their_hue for hue, their_hue in zip(our_hues, their_hues, strict=True))
    squares = sum(hue**2 for hue in (*our_hues, *their_hues))
    colour = (2 * products + 550) / (squares + 550)
    both = 0.6 * structure + 0.4 * colour
    length = np.sqrt(np.sqrt(np.abs(both)))
    # The fourth root of a negative number has the angle of 45 degrees.
    real, imaginary = length * np.where(both < 0, _HALF, 1), length * np.where(both < 0, _HALF, 0)
    return float(np.sqrt((real - real.mean()) ** 2 + (imaginary - imaginary.mean()) ** 2).mean() ** 0.25)


def _mixed(pixels: NDArray[np.uint8], weights: NDArray[np.float32]) -> list[Plane]:
    planes = pixels.astype(np.float32)
    return [planes @ row for row in weights]


def _halved(plane: Plane) -> Plane:
    height, width = (length + length % 2 for length in plane.shape)
    padded = np.zeros((height, width), plane.dtype)
    padded[: plane.shape[0], : plane.shape[1]] = plane
    return _reduced(padded, 2)


def _reduced(plane: Plane, step: int) -> Plane:
    """Means of step × step pixels; what is left over at the right and bottom is dropped."""
    height, width = (length // step for length in plane.shape)
    inside = plane[: height * step, : width * step]
    return sum((inside[row::step, column::step] for row in range(step) for column in range(step)), _NOTHING) / step**2


def _gradient(plane: Plane) -> Plane:
    """Length of the gradient by Prewitt's filters, with nothing outside the picture."""
    padded = np.pad(plane, 1)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    columns = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    size: Plane = np.sqrt((rows[:, 2:] - rows[:, :-2]) ** 2 + (columns[2:] - columns[:-2]) ** 2) / 3
    return size


def _haar(plane: Plane, size: int, axis: int) -> Plane:
    """Absolute response to a step of size × size pixels along an axis, with nothing outside the picture."""
    before = size // 2 - 1
    padded = np.pad(plane, (before + 1, size // 2)).astype(np.float64)
    total = padded.cumsum(axis=0).cumsum(axis=1)
    if axis:
        total = total.T
    half, (height, width) = size // 2, (total.shape[0] - size, total.shape[1] - size)

    def rows(start: int) -> Any:
        return total[start : start + height, size : size + width] - total[start : start + height, :width]

    response: Plane = (np.abs(2 * rows(half) - rows(0) - rows(size)) / size).astype(np.float32)
    return response.T if axis else response


def _blurred(plane: Plane) -> Plane:
    """Means of 2 × 2 pixels at every position, with nothing outside the picture."""
    padded = np.pad(plane, (0, 1))
    means: Plane = (padded[:-1, :-1] + padded[1:, :-1] + padded[:-1, 1:] + padded[1:, 1:]) / 4
    return means


def _similarity(first: Plane, second: Plane, constant: float) -> Plane:
    return (2 * first * second + constant) / (first**2 + second**2 + constant)


def dss(damaged: NDArray[np.uint8], clean: NDArray[np.uint8]) -> float:
    """DCT subband similarity; 1 is identical."""
    ours, theirs = (_subbands(_mixed(pixels, _YIQ[:1])[0]) for pixels in (damaged, clean))
    offsets = (np.arange(8) + 0.5) ** 2
    weights = np.exp(-(offsets[:, None] + offsets) / (2 * 1.55**2))
    weights[weights < 0.01] = 0
    similarity = sum(
        weights[row, column]
        * _subband_similarity(ours[row, column], theirs[row, column], is_mean=not row and not column)
        for row, column in zip(*np.nonzero(weights), strict=True)
    )
    return float(similarity / weights.sum())


def _subbands(luminance: Plane) -> Plane:
    """Coefficients of the cosine transform of blocks of 8 × 8 pixels: 8 × 8 × rows × columns of blocks."""
    height, width = (length // 8 * 8 for length in luminance.shape)
    blocks = luminance[:height, :width].reshape(height // 8, 8, width // 8, 8)
    bands: Plane = fft.dctn(blocks, axes=(1, 3), norm="ortho").transpose(1, 3, 0, 2)
    return bands


def _subband_similarity(ours: Plane, theirs: Plane, *, is_mean: bool) -> float:
    """Mean of the lowest twentieth of the local similarities of variance; for the mean's band, of correlation too."""
    constant = 1000 if is_mean else 300
    mine, yours = _window(ours), _window(theirs)
    variances = [np.maximum(_window(band**2) - mean**2, 0) for band, mean in ((ours, mine), (theirs, yours))]
    both = np.sqrt(variances[0] * variances[1])
    similarity = _lowest((2 * both + constant) / (variances[0] + variances[1] + constant))
    if is_mean:
        covariance = _window(ours * theirs) - mine * yours
        similarity *= _lowest((covariance + constant) / (both + constant))
    return similarity


def _window(band: Plane) -> Plane:
    """Local means by a 3 × 3 Gaussian of deviation 1.5, with nothing outside the band."""
    means: Plane = ndimage.gaussian_filter(band, 1.5, mode="constant", radius=1)
    return means


def _lowest(similarities: Plane) -> float:
    count = max(1, round(0.05 * similarities.size))
    return float(np.partition(similarities, count - 1, axis=None)[:count].mean())
