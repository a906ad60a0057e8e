"""What was done to a photo: every type has words, places are where they are called."""

from __future__ import annotations

import pytest

from qbench.datasets.demo.damage import DAMAGE_WORDS, PLACES, Damage, region_of, severity
from qbench.distortions import TYPES


def test_every_distortion_has_words_of_its_own() -> None:
    assert DAMAGE_WORDS.keys() == TYPES.keys()
    assert (
        len({words.noun for words in DAMAGE_WORDS.values()})
        == len({words.adjective for words in DAMAGE_WORDS.values()})
        == len(DAMAGE_WORDS)
    )
    assert Damage("jpeg", 3).words.family == "compression"


def test_no_type_is_near_its_own_family() -> None:
    assert not [kind for kind, words in DAMAGE_WORDS.items() if words.family in words.near]


def test_places_are_squares_of_half_the_shorter_side_in_their_corner() -> None:
    boxes = {place: region_of(place, 512, 384) for place in PLACES}
    assert boxes["top left"] == (0, 0, 192 / 512, 192 / 384)
    assert boxes["bottom right"] == (320 / 512, 192 / 384, 1, 1)
    assert boxes["centre"] == (160 / 512, 96 / 384, 352 / 512, 288 / 384)
    assert region_of("top right", 100, 400) == (0.5, 0, 1, 0.125)
    assert region_of(None, 512, 384) is None


@pytest.mark.parametrize(("level", "index"), [(0.2, 0), (1, 0), (2.2, 1), (3.4, 2), (4, 3), (5, 4)])
def test_severity_is_the_nearest_level(level: float, index: int) -> None:
    assert severity(level) == index
