"""What tells a damaged part from the rest of its photo, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.models.iqa.heads import PartsHead


def test_a_part_is_as_much_worse_as_it_differs_from_the_median_part() -> None:
    head = PartsHead(
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
