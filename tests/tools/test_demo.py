"""What ships comes out of its tool again: the lists of the demo sets, and the stored level of a coin-flip judge."""

from __future__ import annotations

import pytest

from qbench.datasets.demo import LISTS
from qbench.distortions import TYPES
from tests.leaderboard.published import simulated
from tools import coin_flips
from tools.demo.__main__ import list_of
from tools.demo.damage import DAMAGE_WORDS
from tools.demo.sets import DEMO_SETS


@pytest.mark.parametrize("name", DEMO_SETS)
def test_the_tool_makes_the_list_that_ships(name: str) -> None:
    assert (LISTS / f"{name}.json").read_text(encoding="utf-8") == list_of(name)


def test_every_distortion_has_words_of_its_own() -> None:
    assert DAMAGE_WORDS.keys() == TYPES.keys()
    for words in ({said.noun for said in DAMAGE_WORDS.values()}, {said.adjective for said in DAMAGE_WORDS.values()}):
        assert len(words) == len(DAMAGE_WORDS)
    assert not [kind for kind, words in DAMAGE_WORDS.items() if words.family in words.near]


@pytest.mark.slow(reason="a thousand judges flip their coins")
def test_a_stored_level_comes_out_again() -> None:
    again, kept = coin_flips.coin_flips(25, 1), simulated()["fine-intervals/0-25/correlation"]
    for end in ("value", "low", "high"):
        assert getattr(again, end) == pytest.approx(getattr(kept, end), abs=1e-3)
    assert kept.n == 25
