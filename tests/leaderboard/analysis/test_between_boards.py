"""Made-up boards of one column each: `left` and `right` share six models, `small` shares three with both."""

from __future__ import annotations

from functools import lru_cache

import pytest
from scipy.stats import spearmanr

from leaderboard.analysis.between_boards import FEWEST_SHARED, BoardMap, agreements, map_boards, orders
from tests.leaderboard.published import published, simulated
from tests.leaderboard.several_boards import several_boards

LEFT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "f": 0.6}
RIGHT = {"a": 0.2, "b": 0.1, "c": 0.3, "d": 0.4, "e": 0.6, "f": 0.5}
SMALL = {"a": 0.3, "b": 0.2, "c": 0.1, "alone": 0.5}


@lru_cache(maxsize=1)
def made() -> BoardMap:
    return map_boards(several_boards(left=LEFT | {"people": 0.9}, right=RIGHT, small=SMALL, empty={}), {})


def test_people_are_100_where_they_are_known_and_else_the_best_model() -> None:
    left, right, _ = made().scales
    assert (left.hundred, left.hundred_of.kind) == (0.9, "human")
    assert left.share(0.45) == pytest.approx(50)
    assert (right.hundred, right.hundred_of.id) == (0.6, "e")
    assert right.share(0.6) == 100


def test_a_printed_chance_level_is_zero() -> None:
    """(0.1 - 0.2) / (0.6 - 0.2): what is below chance is below zero."""
    [scale] = map_boards(several_boards(left=LEFT | {"random-guess": 0.2}), {}).scales
    assert (scale.zero, scale.zero_is_chance) == (0.2, True)
    assert scale.share(0.1) == pytest.approx(-25)


def test_the_map_can_be_sorted_by_each_board_and_by_what_is_known_of_models() -> None:
    """Rows of the map: f e d c b a. Those without a figure on a board come last, in the map's order."""
    assert {name: "".join(made().models[place].id for place in order) for name, order in orders(made())} == {
        "Left": "fedcba",
        "Right": "efdcab",
        "Small": "abcfed",
        "Most boards first": "cbafed",
        "Newest first": "fedcba",
        "Name": "abcdef",
    }


def test_the_rank_correlation_of_two_boards() -> None:
    """Ranks differ by one for four of six models: 1 - 6 * 4 / (6 * 35); the interval is Bonett and Wright's (2000)."""
    first, *others = agreements(made().scales)
    assert (first.first.key, first.second.key, first.shared) == ("left", "right", 6)
    assert first.correlation is not None
    assert first.correlation.value == pytest.approx(1 - 24 / 210)
    assert first.correlation.low == pytest.approx(0.066, abs=5e-4)
    assert first.correlation.high == pytest.approx(0.992, abs=5e-4)
    assert [(pair.first.key, pair.second.key, pair.shared) for pair in others] == [
        ("left", "small", 3),
        ("right", "small", 3),
    ]
    assert FEWEST_SHARED > 3
    assert all(pair.correlation is None for pair in others)


def test_published_boards_agree_as_another_implementation_says() -> None:
    scales = map_boards(published(), simulated()).scales
    known = [pair for pair in agreements(scales) if pair.correlation is not None]
    assert len(known) >= 20
    figures = {scale.board.key: scale.figures for scale in scales}
    for pair in known:
        one, other = figures[pair.first.key], figures[pair.second.key]
        names = sorted(one.keys() & other.keys())
        expected = spearmanr([one[name] for name in names], [other[name] for name in names]).statistic
        assert pair.shared == len(names)
        assert pair.correlation is not None and pair.correlation.value == pytest.approx(expected)
