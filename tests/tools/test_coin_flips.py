from __future__ import annotations

import pytest

from tests.leaderboard.published import simulated
from tools import coin_flips


@pytest.mark.slow(reason="a thousand judges flip their coins")
def test_a_stored_level_comes_out_again() -> None:
    again, kept = coin_flips.coin_flips(25, 1), simulated()["fine-intervals/0-25/correlation"]
    for end in ("value", "low", "high"):
        assert getattr(again, end) == pytest.approx(getattr(kept, end), abs=1e-3)
    assert kept.n == 25
