"""Scores of a photo's parts: what the heads say of overlapping windows instead of the whole.

A photo is cut into cells, sixteen along its longer side.
"""

from __future__ import annotations

import numpy as np

from qbench.errors import DataError
from qbench.models.iqa.features import Looked, Plane, Shape
from qbench.models.iqa.heads import Heads

_CELLS = 16
"""Along the longer side of a photo."""
_LEAST_CELL = 16
"""Pixels; a small photo has fewer cells."""
_WINDOW = 4
"""Cells along a side of a window. Of 4 and 6, this finds a damaged part of held-out training photos more often."""


def score_map(heads: Heads, looked: Looked) -> Plane:
    """The score of each cell of a photo: the mean over the windows that hold it.

    Raises:
        DataError: The photo has no room for two windows.
    """
    grid, window = layout(*looked.pixels.shape[:2])
    if grid == window:
        width, height = looked.size
        raise DataError(f"a photo of {width} × {height} pixels is too small to tell its parts apart")
    total, count = np.zeros(grid), np.zeros(grid)
    windows = np.ndindex(grid[0] - window[0] + 1, grid[1] - window[1] + 1)
    for (top, left), score in zip(windows, heads.part_scores(looked.features(grid, window)), strict=True):
        held = slice(top, top + window[0]), slice(left, left + window[1])
        total[held] += score
        count[held] += 1
    return total / count


def layout(height: int, width: int) -> tuple[Shape, Shape]:
    """Rows and columns of cells, and those of a window."""
    side = max(max(height, width) / _CELLS, _LEAST_CELL)
    rows, columns = (max(round(length / side), 1) for length in (height, width))
    return (rows, columns), (min(_WINDOW, rows), min(_WINDOW, columns))
