"""Least squares against minima worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.errors import UndefinedError
from qbench.stats.levenberg_marquardt import least_squares


def test_a_line_is_found_in_one_step_or_two():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 4.0])
    asked = []

    def slopes(_):
        asked.append(1)
        return np.stack([np.ones(3), x], axis=1)

    # Least squares by hand: slope 3/2, intercept 8/3 - 3/2.
    assert least_squares(lambda p: p[0] + p[1] * x - y, slopes, [0, 0]) == pytest.approx([7 / 6, 3 / 2])
    assert len(asked) <= 3


def test_rosenbrocks_valley_is_followed_to_its_end():
    """The first problem of More, Garbow and Hillstrom (1981): from (-1.2, 1) to (1, 1)."""
    found = least_squares(
        lambda p: np.array([10 * (p[1] - p[0] ** 2), 1 - p[0]]),
        lambda p: np.array([[-20 * p[0], 10], [-1, 0]]),
        [-1.2, 1],
    )
    assert found == pytest.approx([1, 1])


def test_what_overflows_or_never_ends_is_said():
    with pytest.raises(UndefinedError, match="diverged"):
        least_squares(lambda p: np.full(2, np.inf) * p, lambda _: np.ones((2, 1)), [1])
    with pytest.raises(UndefinedError, match="did not converge"):
        least_squares(lambda p: np.exp(-p), lambda p: -np.exp(-p)[:, None], [0], most_steps=5)
