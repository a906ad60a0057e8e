from __future__ import annotations

import re
from collections.abc import Callable
from itertools import permutations

from leaderboard.html.person import begun, habits
from leaderboard.live.person import PersonAnswers
from leaderboard.live.tournament import TournamentAnswers, TournamentState, with_ranking
from qbench.parsing import Preference
from qbench.records import Picture, Presented

PICTURES = {name: Picture(f"/tmp/{name}", name * 64) for name in "abcdef"}


def said_of(choose: Callable[[str, str], Preference]) -> str:
    """About all pairs of six photos in both orders."""
    shown = tuple(Presented(one, two, choose(one, two)) for one, two in permutations(PICTURES, 2))
    return habits(with_ranking(TournamentState(known=TournamentAnswers(PICTURES, 30, shown))))


def test_how_long_it_takes_is_said_before() -> None:
    """Of 20 photos in 12 rounds at most 240 questions, of two seconds each."""
    assert re.findall(r"\d+ \w+", begun(PersonAnswers(20, 12, 5)))[:2] == ["240 questions", "8 minutes"]


def test_a_habit_of_one_place_is_told_of_that_place() -> None:
    left, right, neither = (
        said_of(lambda *_: "first"),
        said_of(lambda *_: "second"),
        said_of(lambda *pair: "first" if pair[0] < pair[1] else "second"),
    )
    assert [re.findall("lean to the (left|right)", said) for said in (left, right, neither)] == [
        ["left"],
        ["right"],
        [],
    ]
    assert [re.findall("[+−]100 points", said) for said in (left, right)] == [["+100 points"], ["−100 points"]]
