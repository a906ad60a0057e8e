"""Losses, worked out by hand."""

from __future__ import annotations

import pytest
import torch

from qbench.training.nano.losses import ranking_hinge


def test_the_hinge_counts_what_scores_lack_of_the_margin() -> None:
    # Pairs with clear truth: (0, 1) lacks 0.05 - 0.02, (0, 2) has more than the margin, (1, 2) lacks 0.05 + 0.01.
    scores, truth = torch.tensor([0.10, 0.08, 0.09]), torch.tensor([1.0, 0.5, 0.0])
    lacks = [0.05 - 0.02, 0.05 - 0.01, 0.05 + 0.01]
    assert float(ranking_hinge(scores, truth, 0.1)) == pytest.approx(sum(lacks) / 3)
    assert float(ranking_hinge(scores, torch.zeros(3), 0.1)) == 0
