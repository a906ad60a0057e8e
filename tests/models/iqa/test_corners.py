"""The map of a photo that was damaged in one corner, for each demo photo and every third type of damage."""

from __future__ import annotations

import numpy as np
import pytest

from bench.quality_map import Maker, damaged_quarters
from qbench.distortions import TYPES

KINDS = tuple(TYPES)[::3]


@pytest.mark.slow(reason="308 maps are made")
def test_the_map_finds_the_damaged_corner_as_often_as_is_said() -> None:
    """Of all types and levels `python -m bench.quality_map` tells; docs/quality-map.md has the figures."""
    outcomes = list(damaged_quarters(Maker(), kinds=KINDS, levels=(3, 5)))
    assert len(outcomes) == 14 * len(KINDS) * 2
    found = {level: np.mean([one.found for one in outcomes if one.level == level]) for level in (3, 5)}
    assert found[3] >= 0.75
    assert found[5] >= 0.92
    assert np.mean([one.found for one in outcomes if one.named]) >= 0.94
