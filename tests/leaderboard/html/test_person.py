from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from leaderboard.html.person import habits
from leaderboard.live.tournament import TournamentAnswers, TournamentState, with_ranking
from qbench.parsing import Preference
from qbench.records import Picture, Presented

PICTURES = {name: Picture(f"/tmp/{name}", name * 64) for name in "abcdef"}


def said_of(choose: Callable[[str, str], Preference]) -> str:
    """About all pairs of six photos in both orders."""
    shown = tuple(Presented(one, two, choose(one, two)) for one, two in permutations(PICTURES, 2))
    return habits(with_ranking(TournamentState(known=TournamentAnswers(PICTURES, 30, shown))))


def test_a_habit_of_one_place_is_told_of_that_place() -> None:
    left, right = said_of(lambda *_: "first"), said_of(lambda *_: "second")
    assert "lean to the left" in left and "+100 points" in left
    assert "lean to the right" in right and "−100 points" in right
    assert "lean to" not in said_of(lambda *pair: "first" if pair[0] < pair[1] else "second")
