from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import brentq
from scipy.stats import norm

from qbench.stats.likelihood import cluster_errors, fit_map


def votes(first: int, second: int) -> sparse.csr_array:
    return sparse.csr_array(np.array([[0.0, first], [second, 0.0]]))


def score(first: float, second: float) -> float:
    """Of the first of two items, at s and -s: where first * h(2s) - second * h(-2s) balances the prior's pull."""

    def slope(s: float) -> float:
        def hazard(x: float) -> float:
            return float(norm.pdf(x) / norm.cdf(x))

        return first * hazard(2 * s) - second * hazard(-2 * s) - s

    return float(brentq(slope, -6, 6))


def test_votes_of_one_person_count_as_one_draw() -> None:
    """40 people of five votes each, all for the same photo: 24 prefer the first. By the delta method the score's
    standard error is its slope in the share of people times sqrt(share (1 - share) / people)."""
    people = [votes(5, 0)] * 24 + [votes(0, 5)] * 16
    assert fit_map(votes(120, 80)).scores[0] == pytest.approx(score(120, 80), abs=1e-6)
    slope = (score(125, 75) - score(115, 85)) / (2 * 5 / 200)
    expected = slope * np.sqrt(0.6 * 0.4 / 40)
    errors = cluster_errors(people, np.random.default_rng(1), 400)
    assert errors == pytest.approx([expected, expected], rel=0.1)
    independent = fit_map(votes(120, 80)).standard_errors()
    assert errors[0] / independent[0] == pytest.approx(np.sqrt(5), rel=0.12)  # five votes a person, all alike


def test_people_who_all_vote_alike_leave_nothing_to_draw() -> None:
    assert cluster_errors([votes(3, 1)] * 12, np.random.default_rng(1), 50) == pytest.approx([0, 0])
