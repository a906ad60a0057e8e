"""The map of a photo that was damaged in one corner, for each demo photo, each type of damage and levels 3 to 5."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bench.quality_map import Maker, damaged_quarters


@pytest.mark.slow(reason="1,386 maps are made")
def test_the_map_finds_the_damaged_corner_as_often_as_is_said() -> None:
    """The aim of nine in ten is met at level 5, and missed below; docs/quality-map.md has the figures."""
    outcomes = list(damaged_quarters(Maker()))
    assert len(outcomes) == 14 * 33 * 3
    found = {level: np.mean([one.found for one in outcomes if one.level == level]) for level in (3, 4, 5)}
    assert found[3] >= 0.74
    assert found[4] >= 0.85
    assert found[5] >= 0.92
    assert np.mean([one.found for one in outcomes if one.named]) >= 0.94
