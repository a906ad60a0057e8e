"""What the overview finds: the best in turn, people and chance, and how far boards agree."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from leaderboard.analysis.between_boards import map_boards
from leaderboard.analysis.overview import Scored, Timeline, find_timeline, top_of
from tests.leaderboard.dated import ERROR, dated_table
from tests.leaderboard.published import published, simulated
from tests.leaderboard.several_boards import several_boards


@pytest.fixture(scope="module")
def found() -> Timeline:
    return find_timeline(dated_table(), {})


def names(models: Iterable[Scored]) -> list[str]:
    return [scored.model.name for scored in models]


def test_models_stand_in_the_order_of_their_months(found: Timeline) -> None:
    assert names(found.dated) == ["Twin", "Old", "Worse", "Level", "Limit", "Sizeless"]
    assert names(found.undated) == ["Undated"]
    assert found.best and found.best.model.name == "Undated"


def test_the_best_so_far_are_those_better_than_all_before(found: Timeline) -> None:
    """Of May 2023 only the better counts; nothing after Level is better than it."""
    assert names(found.records) == ["Twin", "Level"]


def test_who_drew_level_with_people_first(found: Timeline) -> None:
    """80 % is level with 80 %; 85 %, the best, is 5 points behind 90 %, where 1,000 questions tell 2.8 points apart."""
    amateurs, experts = found.people
    assert (amateurs.people.model.name, experts.people.model.name) == ("Amateurs", "Experts")
    assert amateurs.first and amateurs.first.model.name == "Level"
    assert amateurs.nearest is None
    assert experts.first is None
    assert experts.nearest and (experts.nearest.leader, experts.nearest.other) == ("experts", "undated")
    assert experts.nearest.value == pytest.approx(0.05)
    assert experts.nearest.apart is True


def test_the_top_list_holds_five_beside_people_and_chance() -> None:
    """85 % of 1,000 questions is 5 points above the next, of which chance explains 2.9: nobody else may be first."""
    top = top_of(dated_table(), {})
    assert names(top.best) == ["Undated", "Level", "Sizeless", "Limit", "Twin"]
    assert (top.models, top.may_be_first, top.chance) == (7, 1, 0.25)
    assert top.people and top.people.model.name == "Experts"
    close = top_of(dated_table(old=0.85, twin=0.84, worse=0.5), {})
    assert (close.may_be_first, close.people, close.chance) == (2, None, 0.0)


def test_where_lower_is_better_everything_turns() -> None:
    timeline = find_timeline(dated_table(ERROR, old=0.5, level=0.3, limit=0.4, amateurs=0.35), {})
    assert names(timeline.records) == ["Old", "Level"]
    assert timeline.people[0].first and timeline.people[0].first.model.name == "Level"
    assert timeline.best and timeline.best.model.name == "Level"


def test_no_model_of_a_board_is_dropped() -> None:
    for table in published().tables:
        timeline = find_timeline(table, simulated())
        scored = {one.model.id for one in (*timeline.dated, *timeline.undated)}
        assert scored == {name for name, row in table.ranked.items() if table.primary.key in row.cells}


LEFT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "f": 0.6}


def test_a_printed_chance_level_is_zero() -> None:
    """(0.1 - 0.2) / (0.6 - 0.2): what is below chance is below zero."""
    [scale] = map_boards(several_boards(left=LEFT | {"random-guess": 0.2})).scales
    assert (scale.zero, scale.zero_is_chance) == (0.2, True)
    assert scale.share(0.1) == pytest.approx(-25)
