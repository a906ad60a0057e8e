"""Losses, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from qbench.datasets.demo.damage import Damage
from qbench.training.nano.losses import damage_maps, ranking_hinge
from qbench.training.nano.scenes import Scene, SceneView


def test_the_hinge_counts_what_scores_lack_of_the_margin() -> None:
    # Pairs with clear truth: (0, 1) lacks 0.05 - 0.02, (0, 2) has more than the margin, (1, 2) lacks 0.05 + 0.01.
    scores, truth = torch.tensor([0.10, 0.08, 0.09]), torch.tensor([1.0, 0.5, 0.0])
    lacks = [0.05 - 0.02, 0.05 - 0.01, 0.05 + 0.01]
    assert float(ranking_hinge(scores, truth, 0.1)) == pytest.approx(sum(lacks) / 3)
    assert float(ranking_hinge(scores, torch.zeros(3), 0.1)) == 0


def test_the_map_of_damage_covers_its_place() -> None:
    pixels = np.zeros((128, 128, 3), np.uint8)
    views = (SceneView(pixels, None, 1, ()), SceneView(pixels, Damage("jpeg", 5, None), 0, ()))
    local = SceneView(pixels, Damage("jpeg", 2.5, "bottom right"), 0, ())
    maps = damage_maps([Scene(0, (*views, local))]).reshape(3, 4, 4)
    assert maps[0].sum() == 0
    assert (maps[1] == 1).all()
    expected = torch.zeros(4, 4)
    expected[2:, 2:] = 0.5
    assert torch.equal(maps[2], expected)
