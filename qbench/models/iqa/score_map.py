"""Scores of a photo's parts: the features that its own score is made of, of overlapping windows instead of the whole.

A photo is cut into cells, sixteen along its longer side. Nearly every feature is a function of means over the photo:
the network looks once, means are taken over cells, and those of a window are the means of its cells.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from qbench.errors import DataError
from qbench.models.iqa.features import (
    SCALES,
    Looked,
    Plane,
    colour_statistics,
    halved,
    luminance_of,
    texture_planes,
)
from qbench.models.iqa.heads import Heads
from qbench.models.niqe import fit_moments, texture_values

Floats = NDArray[np.floating[Any]]
Indices = NDArray[np.int_]
Shape: TypeAlias = tuple[int, int]

_CELLS = 16
"""Along the longer side of a photo."""
_LEAST_CELL = 16
"""Pixels; a small photo has fewer cells."""
_WINDOW = 4
"""Cells along a side of a window. Of 4 and 6, this finds a damaged part of held-out training photos more often."""


def score_map(heads: Heads, looked: Looked) -> Floats:
    """The score of each cell of a photo: the mean over the windows that hold it.

    Raises:
        DataError: The photo has no room for two windows.
    """
    grid, window = layout(*looked.pixels.shape[:2])
    if grid == window:
        width, height = looked.size
        raise DataError(f"a photo of {width} × {height} pixels is too small to tell its parts apart")
    scores = heads.part_scores(window_features(looked, grid, window))
    windows = (grid[0] - window[0] + 1, grid[1] - window[1] + 1)
    return _mean_over_windows(scores.reshape(windows), grid, window)


def window_features(looked: Looked, grid: Shape, window: Shape) -> NDArray[np.float32]:
    """The features that `Looked.features` has of a photo, of each window of it; row by row from the top left."""
    colours = looked.pixels.astype(np.float32)
    luminance = luminance_of(colours)
    parts = [_network(looked, grid, window), _colours(colours, luminance, grid, window)]
    for _ in range(SCALES):
        parts.append(_textures(luminance, grid, window))
        luminance = halved(luminance)
    features = np.concatenate(parts, axis=1).astype(np.float32)
    return np.nan_to_num(features, posinf=0, neginf=0)


def layout(height: int, width: int) -> tuple[Shape, Shape]:
    """Rows and columns of cells, and those of a window."""
    side = max(max(height, width) / _CELLS, _LEAST_CELL)
    rows, columns = (max(round(length / side), 1) for length in (height, width))
    return (rows, columns), (min(_WINDOW, rows), min(_WINDOW, columns))


def _network(looked: Looked, grid: Shape, window: Shape) -> NDArray[np.float32]:
    """As `features.pooled`: means of all stages, then deviations, at full and at half size."""
    import torch

    def over_windows(values: Any) -> Any:
        cells = torch.nn.functional.adaptive_avg_pool2d(values, grid)
        return torch.nn.functional.avg_pool2d(cells, window, stride=1)[0].flatten(1)

    features = []
    with torch.inference_mode():
        for maps in looked.scales:
            means = [over_windows(stage) for stage in maps]
            squares = [over_windows(stage.square()) for stage in maps]
            features += means
            features += [
                (square - mean.square()).clamp(min=0).sqrt() for square, mean in zip(squares, means, strict=True)
            ]
        found: NDArray[np.float32] = torch.cat(features).T.float().cpu().numpy()
    return found


def _textures(luminance: Plane, grid: Shape, window: Shape) -> Floats:
    """As `niqe.texture_values`, of one scale."""

    def means(values: Plane) -> Floats:
        over: Floats = sliding_window_view(_cell_means(values, grid), window).mean(axis=(2, 3)).ravel()
        return over

    fits = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for plane in texture_planes(luminance):
            squares, below, above = plane**2, plane < 0, plane > 0
            left, right = (np.sqrt(means(squares * side) / means(side.astype(np.float32))) for side in (below, above))
            fits.append(fit_moments(left, right, means(np.abs(plane)) ** 2 / means(squares)))
        values: Floats = texture_values(fits)
    return values


def _colours(colours: NDArray[np.float32], luminance: Plane, grid: Shape, window: Shape) -> Floats:
    """As `colour_statistics`: percentiles are no means, so each window is looked at by itself."""
    rows, columns = _edges(luminance.shape, grid)
    parts = [
        (slice(rows[top], rows[top + window[0]]), slice(columns[left], columns[left + window[1]]))
        for top in range(grid[0] - window[0] + 1)
        for left in range(grid[1] - window[1] + 1)
    ]
    return np.array([colour_statistics(colours[part], luminance[part]) for part in parts])


def _edges(shape: tuple[int, ...], grid: Shape) -> tuple[Indices, Indices]:
    """Where cells begin, down and across, and where the last one ends."""
    rows, columns = (np.linspace(0, side, count + 1).astype(int) for side, count in zip(shape, grid, strict=True))
    return rows, columns


def _cell_means(values: Plane, grid: Shape) -> Floats:
    rows, columns = _edges(values.shape, grid)
    sums = np.add.reduceat(np.add.reduceat(values, rows[:-1], axis=0), columns[:-1], axis=1)
    means: Floats = sums / np.outer(np.diff(rows), np.diff(columns))
    return means


def _mean_over_windows(scores: Floats, grid: Shape, window: Shape) -> Floats:
    """Of each cell, the mean score of the windows that hold it."""
    total, count = np.zeros(grid), np.zeros(grid)
    for top in range(scores.shape[0]):
        for left in range(scores.shape[1]):
            held = slice(top, top + window[0]), slice(left, left + window[1])
            total[held] += scores[top, left]
            count[held] += 1
    return total / count
