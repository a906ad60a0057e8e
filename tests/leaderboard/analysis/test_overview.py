from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from leaderboard.analysis.overview import (
    LARGEST_ON_CARD,
    BoardOverview,
    Scored,
    boards_with_people,
    find_timeline,
    overview_of,
)
from tests.leaderboard.dated import ERROR, dated_table
from tests.leaderboard.published import published, simulated


@pytest.fixture(scope="module")
def found() -> BoardOverview:
    return overview_of(dated_table(), {})


def names(models: Iterable[Scored]) -> list[str]:
    return [scored.model.name for scored in models]


def test_models_stand_in_the_order_of_their_months(found: BoardOverview) -> None:
    assert names(found.timeline.dated) == ["Twin", "Old", "Worse", "Level", "Limit", "Sizeless"]
    assert names(found.timeline.undated) == ["Undated"]
    assert found.timeline.best and found.timeline.best.model.name == "Undated"


def test_the_best_so_far_are_those_better_than_all_before(found: BoardOverview) -> None:
    """Of May 2023 only the better counts; nothing after Level is better than it."""
    assert names(found.timeline.records) == ["Twin", "Level"]


def test_who_drew_level_with_people_first(found: BoardOverview) -> None:
    """80 % is level with 80 %; 85 %, the best, is 5 points behind 90 %, where 1,000 questions tell 2.8 points apart."""
    amateurs, experts = found.timeline.people
    assert (amateurs.people.model.name, experts.people.model.name) == ("Amateurs", "Experts")
    assert amateurs.first and amateurs.first.model.name == "Level"
    assert amateurs.nearest is None
    assert experts.first is None
    assert experts.nearest and (experts.nearest.leader, experts.nearest.other) == ("experts", "undated")
    assert experts.nearest.value == pytest.approx(0.05)
    assert experts.nearest.apart is True


def test_where_people_were_not_asked_the_boards_are_named_where_they_were() -> None:
    """Of the same benchmark, where it has any; of none, where people were asked here."""
    here = dated_table(old=0.5)
    same, other = replace(here.board, key="same"), replace(here.board, key="other", benchmark="Another")
    assert overview_of(here, {}, [same, other]).with_people == (same,)
    assert overview_of(here, {}, [other]).with_people == (other,)
    assert overview_of(dated_table(), {}, [same]).with_people == ()
    assert boards_with_people([here, dated_table()]) == [dated_table().board]


def test_chance_is_the_printed_random_guess(found: BoardOverview) -> None:
    assert found.timeline.chance == 0.25


def test_a_24_gb_card_holds_ten_billion_parameters_of_two_bytes_and_a_fifth_more() -> None:
    assert pytest.approx(10) == LARGEST_ON_CARD


def test_the_best_open_model_of_a_size(found: BoardOverview) -> None:
    """Sizeless is better, but nobody says how large it is; Undated may be closed; Twin is too large for a card."""
    assert names(found.on_card.best) == ["Limit", "Old", "Worse"]
    assert found.on_card.unknown == 1
    assert names(found.small.best) == ["Old", "Worse"]


def test_how_far_the_best_is_ahead_of_the_next(found: BoardOverview) -> None:
    """1 point among 1,000 questions each is well within chance; 20 points are not."""
    [to_worse] = found.small.differences
    assert (to_worse.leader, to_worse.other, to_worse.apart) == ("old", "worse", False)
    assert to_worse.value == pytest.approx(0.01)
    assert [pair.apart for pair in found.on_card.differences] == [True, True]


def test_the_best_open_model_beside_the_best_closed_one(found: BoardOverview) -> None:
    assert found.open_and_closed
    assert (found.open_and_closed.open.model.id, found.open_and_closed.closed.model.id) == ("sizeless", "level")
    assert found.open_and_closed.difference.leader == "level"
    assert overview_of(dated_table(old=0.5), {}).open_and_closed is None


def test_where_lower_is_better_everything_turns() -> None:
    timeline = find_timeline(dated_table(ERROR, old=0.5, level=0.3, limit=0.4, amateurs=0.35), {})
    assert names(timeline.records) == ["Old", "Level"]
    assert timeline.people[0].first and timeline.people[0].first.model.name == "Level"
    assert timeline.best and timeline.best.model.name == "Level"


def test_a_board_without_results_has_nothing_to_say() -> None:
    table = dated_table(ERROR, amateurs=0.3)
    assert find_timeline(table, {}).best is None
    assert overview_of(table, {}).small.best == ()


@pytest.mark.parametrize("key", [board.key for board in published().boards])
def test_no_model_of_a_board_is_dropped(key: str) -> None:
    table = published().table(key)
    timeline = find_timeline(table, simulated())
    assert len(timeline.dated) + len(timeline.undated) == sum(
        table.primary.key in row.cells for row in table.ranked.values()
    )
    assert all(scored.model.kind not in ("human", "reference") for scored in (*timeline.dated, *timeline.undated))
