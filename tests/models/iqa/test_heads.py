"""What the heads of nano-iqa weigh, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qbench.models.iqa.features import SCENE_STATISTICS
from qbench.models.iqa.scorer import Basis, PartsHead, tones

COLOURS = [0.1, 0.2, 0.5, 0.8, 0.85, 0.5, 0.2, 0.09, 0.19, 0.04]


def features(*network: float) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rest = [0.0] * (SCENE_STATISTICS - len(COLOURS))
    return np.array([[*network, *COLOURS, *rest]], np.float32)


def basis() -> Basis:
    """Looks at the first and the third feature, the latter by its logarithm; the tones count nothing."""
    none = np.zeros(13, np.float32)
    return Basis(
        kept=np.array([0, 2], np.int32),
        floor=np.array([0, 1], np.float32),
        mean=np.array([3, 0, *none], np.float32),
        deviation=np.array([4, 0.1, *(none + 1)], np.float32),
        weight=np.array([2, 1, *none], np.float32),
        directions=np.array([[1, 0, *none]], np.float16),
        centres=np.array([[3], [1]], np.float16),
        width=np.array([4], np.float32),
    )


def test_features_are_standardised_and_far_ones_cut_off() -> None:
    [row] = basis().of(features(5, 99, np.exp(2) - 1))
    assert row[:2].tolist() == pytest.approx([2 * (5 - 3) / 4, 6])  # log(e^2) / 0.1 is 20
    assert not row[2 : 2 + 13].any()


def test_a_bump_falls_with_the_square_of_the_distance() -> None:
    [row] = basis().of(features(5, 99, 0))  # at 1 along the direction
    assert row[-2:].tolist() == pytest.approx([np.exp(-((3 - 1) ** 2) / 4), 1])
    [wide] = replace(basis(), width=np.array([8], np.float32)).of(features(5, 99, 0))
    assert wide[-2] == pytest.approx(np.exp(-0.5))


def test_tones_by_hand() -> None:
    [found] = tones(features(0))
    expected = [0.1, np.sqrt(0.1 * 0.15), *np.log([0.77, 0.62, 0.21]), 0, 0, *np.log([0.52, 0.52, 0.05, 0.1, 0.2]), 0]
    assert found.tolist() == pytest.approx(expected, abs=1e-5)


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
