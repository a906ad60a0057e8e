"""The tool that made the demo sets makes the lists that ship; what is right follows from what was done to pictures."""

from __future__ import annotations

import pytest

from qbench.datasets.demo import LISTS
from qbench.distortions import TYPES
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
