"""What tells a damaged part from the rest of its photo, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.models.iqa.heads import Basis, PartsHead


def test_a_part_is_as_much_worse_as_it_differs_from_the_median_part() -> None:
    head = PartsHead(
        directions=np.zeros((0, 2), np.float16),
        scale=np.array([2, 1], np.float32),
        hidden=np.array([[1, 0], [0, -3]], np.float16),
        hidden_bias=np.array([0, 1], np.float32),
        out=np.array([10, 5], np.float32),
        out_bias=np.array([7], np.float32),
        margin=np.array([20], np.float32),
    )
    parts = np.array([[4, 1], [4, 1], [4, 1], [8, 1], [4, 0]], np.float32)
    # Differences over the scale: (0, 0) three times, (2, 0) and (0, -1); hidden (0, 1), (2, 1) and (0, 4).
    assert head.drops(parts).tolist() == pytest.approx([0, 0, 0, 20, 15])


def test_parts_are_seen_along_the_head_s_directions_then_the_basis() -> None:
    nothing = np.zeros(0, np.float32)
    directions = np.array([[0, 0, 2]], np.float16)
    head = PartsHead(directions, nothing, nothing.astype(np.float16), *[nothing] * 4)
    of_basis = np.array([[1, 0, 0], [1, 1, 0]], np.float16)
    basis = Basis(nothing.astype(np.int32), *[nothing] * 4, of_basis, of_basis, nothing)
    assert head.along(np.array([[3, 4, 5]], np.float32), basis).tolist() == [[10, 3, 7]]
