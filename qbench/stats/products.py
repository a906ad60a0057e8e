"""Sums of products whose last digits are the same however many threads the machine's linear algebra uses.

BLAS deals a large product out to its threads, and how it is dealt out decides the order in which numbers are added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PIECE = 64
"""Rows and columns of what is multiplied at once: of so few numbers no BLAS makes work for several threads (OpenBLAS
from 262,144 multiplications on), and 1,000 resamples of 10,000 items take as long as in one go."""


def dot(first: NDArray[Any], second: NDArray[Any]) -> np.floating[Any]:
    """The inner product of two vectors; NumPy's number, which divided by zero is no error."""
    summed: np.floating[Any] = (first * second).sum()
    return summed


def product(left: Array, right: Array) -> Array:
    """The matrix product, `left @ right`."""
    made = np.zeros((len(left), right.shape[1]))
    for depth in _pieces(len(right)):
        for columns in _pieces(right.shape[1]):
            factor = right[depth, columns]
            for rows in _pieces(len(left)):
                made[rows, columns] += left[rows, depth] @ factor
    return made


def _pieces(length: int) -> list[slice]:
    return [slice(start, start + _PIECE) for start in range(0, length, _PIECE)]
