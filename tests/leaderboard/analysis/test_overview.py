"""What the overview finds: the best in turn, people and chance, how far boards agree and how far training reaches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from statistics import median

import pytest

from leaderboard.analysis.overview import NEAR_TO_FAR, Scored, find_reach, map_boards, summarise
from leaderboard.html.between_boards import reach_finding
from leaderboard.tables.columns import Metric
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate
from tests.leaderboard.made import board, result, several_boards, snapshot
from tests.leaderboard.published import published, simulated

SHARE = Metric("srcc", "Accuracy", "Share.", unit="%", decimals=1, proportion=True)
ERROR = Metric("srcc", "Error", "Error.", direction="lower")
MODELS = {
    facts.id: facts
    for facts in (
        ModelFacts("old", "Old", "model", parameters=7.0, released="2023-05", open=True),
        ModelFacts("twin", "Twin", "model", parameters=13.0, released="2023-05", open=True),
        ModelFacts("worse", "Worse", "model", parameters=8.0, released="2023-09", open=True),
        ModelFacts("level", "Level", "model", released="2024-01", open=False),
        ModelFacts("limit", "Limit", "model", parameters=10.0, released="2024-02", open=True),
        ModelFacts("sizeless", "Sizeless", "model", released="2024-03", open=True),
        ModelFacts("undated", "Undated", "model", parameters=1.0, open=None),
        ModelFacts("amateurs", "Amateurs", "human"),
        ModelFacts("experts", "Experts", "human"),
        ModelFacts("random-guess", "Random guess", "reference"),
    )
}
FIGURES = {"old": 0.50, "twin": 0.60, "worse": 0.49, "level": 0.80, "limit": 0.70, "sizeless": 0.75, "undated": 0.85}
FIGURES |= {"amateurs": 0.80, "experts": 0.90, "random-guess": 0.25}
"""Each was asked 1,000 questions; people get 80 and 90 %, chance 25."""


def dated_table(metric: Metric = SHARE, **figures: float) -> Table:
    """The table of these figures, or of `FIGURES`."""
    column = next(column for column in board().columns if column.key == "a/srcc")
    made_up = board(columns=(replace(column, metric=metric),), primary="a")
    results = [result(name, "a", Estimate(value, n=1000)) for name, value in (figures or FIGURES).items()]
    return snapshot(results, made_up, find_model=MODELS.get).table("made")


def names(models: Iterable[Scored]) -> list[str]:
    return [scored.model.name for scored in models]


def test_models_stand_in_the_order_of_their_months() -> None:
    """Of May 2023 only the better is the best so far; nothing after Level is better than it.

    80 % is level with 80 %; 85 %, the best, is 5 points behind 90 %, where 1,000 questions tell 2.8 points apart.
    """
    found = summarise(dated_table(), {})
    assert names(found.dated) == ["Twin", "Old", "Worse", "Level", "Limit", "Sizeless"]
    assert names(found.undated) == ["Undated"]
    assert found.ranked[0].model.name == "Undated"
    assert names(found.records) == ["Twin", "Level"]
    amateurs, experts = found.levels
    assert (amateurs.people.model.name, experts.people.model.name) == ("Amateurs", "Experts")
    assert amateurs.first and amateurs.first.model.name == "Level"
    assert amateurs.nearest is None
    assert experts.first is None
    assert experts.nearest and (experts.nearest.leader, experts.nearest.other) == ("experts", "undated")
    assert experts.nearest.value == pytest.approx(0.05)
    assert experts.nearest.apart is True


def test_the_best_stand_beside_people_and_chance() -> None:
    """85 % of 1,000 questions is 5 points above the next, of which chance explains 2.9: nobody else may be first."""
    top = summarise(dated_table(), {})
    assert names(top.ranked) == ["Undated", "Level", "Sizeless", "Limit", "Twin", "Old", "Worse"]
    assert (top.may_be_first, top.chance) == (1, 0.25)
    assert names(top.people) == ["Amateurs", "Experts"]
    close = summarise(dated_table(old=0.85, twin=0.84, worse=0.5), {})
    assert (close.may_be_first, close.people, close.chance) == (2, [], 0.0)


def test_where_lower_is_better_everything_turns() -> None:
    timeline = summarise(dated_table(ERROR, old=0.5, level=0.3, limit=0.4, amateurs=0.35), {})
    assert names(timeline.records) == ["Old", "Level"]
    assert timeline.levels[0].first and timeline.levels[0].first.model.name == "Level"
    assert timeline.ranked[0].model.name == "Level"


def test_no_model_of_a_board_is_dropped() -> None:
    for table in published().tables:
        timeline = summarise(table, simulated())
        scored = {one.model.id for one in (*timeline.dated, *timeline.undated)}
        assert scored == {name for name, row in table.ranked.items() if table.primary.key in row.cells}


LEFT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "f": 0.6}


def test_a_printed_chance_level_is_zero() -> None:
    """(0.1 - 0.2) / (0.6 - 0.2): what is below chance is below zero."""
    [scale] = map_boards(several_boards(left=LEFT | {"random-guess": 0.2})).scales
    assert scale.chance == 0.2
    assert scale.share("a") == pytest.approx(-25)


NIGHTS = {
    "clip-vit-large-14-336": 81.5,
    "llava-next-interleave-7b": 91.3,
    "pac-s": 86.9,
    "mantis-8b-idefics2": 89.5,
    "clip-vit-huge-14-laion2b": 84.0,
    "clip-vit-base-32-laion2b": 85.1,
    "siglip-so400m-14": 82.8,
    "blip-vit-large-14": 80.8,
    "llava-next-interleave-0.5b": 58.7,
}
"""Models whose sources name no training on these data -> accuracy on NIGHTS, whose median is 84.0."""


def test_dreamsim_gains_where_it_was_trained() -> None:
    """UniSim-Bench's Tables 7 and 8, by hand: 95.3 on NIGHTS is 11.3 above 84.0; it was trained on nothing else."""
    reach = next(each for each in find_reach(published()) if each.model.id == "dreamsim-vit-b-32")
    assert reach.trained_on == ("Nights",)
    assert reach.gains["data trained on"] == pytest.approx(95.3 - median(NIGHTS.values()))
    assert reach.sets == {
        "data trained on": 1,
        "same task, other data": 2,  # BAPPS and PieAPP
        "other core tasks": 13,  # 5 of IT-2AFC, 3 of Text-2AFC, 5 of IQA
        "tasks outside the core": 9,  # 5 attributes, 2 of odd one out, 2 of retrieval
    }


def test_training_helps_near_and_nobody_far() -> None:
    found = find_reach(published())
    assert len(found) == 11
    assert all(reach.gains["data trained on"] > 0 > reach.gains["tasks outside the core"] for reach in found)
    assert "Outside the core tasks, 11 of 11 are below" in reach_finding(found)
    assert all(list(reach.gains) == [where for where in NEAR_TO_FAR if where in reach.gains] for reach in found)
