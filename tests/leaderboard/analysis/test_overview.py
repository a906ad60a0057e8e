"""What the overview finds, what is found of one model, and the sets of answers that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from statistics import median
from typing import Any

import pytest

from leaderboard.analysis.answers import answer_sets, answers_json
from leaderboard.analysis.between_boards import NEAR_TO_FAR, find_reach, map_boards, reach_finding
from leaderboard.analysis.model import ModelReport, listed_models, model_report
from leaderboard.analysis.overview import Scored, find_timeline, top_of
from leaderboard.boards.twoafc import coarse_board, fine_board
from leaderboard.html.model_notes import how_to_run
from leaderboard.store import Recorded
from leaderboard.tables.columns import Metric
from leaderboard.tables.provenance import answers_at
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Items, Result
from tests.leaderboard.made import board, result, several_boards, snapshot
from tests.leaderboard.published import published, simulated

SHARE = Metric("srcc", "Accuracy", "Share.", unit="%", scale=100, decimals=1, proportion=True)
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
    found = find_timeline(dated_table(), {})
    assert names(found.dated) == ["Twin", "Old", "Worse", "Level", "Limit", "Sizeless"]
    assert names(found.undated) == ["Undated"]
    assert found.best and found.best.model.name == "Undated"
    assert names(found.records) == ["Twin", "Level"]
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


def of(key: str) -> dict[str, Any]:
    found = answers_json(published(), key)
    assert found is not None
    return found


def test_all_released_replies_are_one_set() -> None:
    found = of("perception-llvisionqa-dev")
    assert (len(found["answerers"]), len(found["names"]), found["questions"]) == (17, 1495, None)
    gpt = next(one for one in found["answerers"] if one["name"].endswith("(gpt4o)"))
    assert gpt["signs"].count("r") == 1166  # as many as Compare counts
    claude = next(one for one in found["answerers"] if one["model"] == "claude-3.5-sonnet-2024-10")
    assert claude["signs"].count("-") == 1495 - 1379
    assert found["list"]["url"].startswith("https://")
    assert set(found["right"]) <= set("ABCD")  # letters alone: the texts of the options are not here


def test_scores_of_people_are_not_given_away() -> None:
    found = of("assessment-koniq-10k")
    assert found["right"] is None
    assert len(found["answerers"]) == 5
    assert of("assessment-demo-assessment")["right"]  # follow from what was done to the photos


def test_answers_to_the_private_questions_and_of_papers_are_not_told() -> None:
    items = {"accuracy": Items("mean", ("a", "b"), (1.0, 0.0))}
    made = replace(result("alpha"), task="perception", dataset="llvisionqa", split="dev", raw="0" * 64, items=items)
    assert answers_at(Recorded(made)) is not None
    assert answers_at(Recorded(replace(made, split="test"))) is None
    sets = answer_sets(published()).values()
    assert "paper" not in {each.record.result.source.kind for answerers in sets for each in answerers}


def report(name: str, *results: Result) -> ModelReport:
    return model_report(snapshot(results, board(), coarse_board(), fine_board()), name)


def test_a_figure_stands_with_its_rank_among_all() -> None:
    """By SRCC on A: beta 0.7, alpha 0.5, gamma 0.4; only alpha has both sets, and so the mean that ranks."""
    found = report(
        "Alpha (7B)",
        result("alpha", "a", 0.5),
        result("alpha", "b", 0.3),
        result("beta", "a", 0.7),
        result("gamma", "a", 0.4),
    )
    [on] = found.boards
    assert on.main is not None
    assert (on.main.column.key, on.main.figure.value, on.main.rank, on.main.ranked) == ("mean/srcc", 0.4, 1, 1)
    others = {standing.column.key: (standing.rank, standing.ranked) for standing in on.others}
    assert others == {"a/srcc": (2, 3), "b/srcc": (1, 1)}


def test_every_model_on_a_board_has_a_page() -> None:
    """The published figures of GPT-4V: rank by the table itself, 0.7336 of Q-Bench Table 2, beside people."""
    whole = published()
    listed = {model["id"]: model for model in listed_models(whole)}
    assert {"gpt-4v", "niqe", "human-senior", "qwen2.5-vl-7b"} <= listed.keys()
    assert listed["gpt-5"]["boards"] == ["perception-dev", "diag-bench", "medq-bench"]
    assert sum(not model["reference"] for model in listed.values()) == whole.index()["models"]
    found = model_report(whole, "gpt-4v")
    on = {part.board.key: part for part in found.boards}
    main = on["perception-test"].main
    assert main is not None
    assert main.figure.value == 0.7336
    assert main.rank == 1 + sum(
        row.cells["overall"].value > 0.7336
        for row in whole.table("perception-test").ranked.values()
        if "overall" in row.cells
    )
    assert main.claimed is not None and main.claimed.best <= main.rank <= main.claimed.worst
    assert found.profile is not None
    assert {model.kind for model in found.profile.references} >= {"human"}
    assert found.profile.models[0].id == "gpt-4v" and len(found.profile.models) == 2
    asked_on_dev = model_report(whole, "qwen3-vl-8b").profile
    assert asked_on_dev and asked_on_dev.board.key == "perception-dev"  # not a lesser board that has people's figures
    assert found.habits.pairs and not report("alpha", result("alpha")).habits.known


@pytest.mark.parametrize(
    ("facts", "lines", "note"),
    [
        (ModelFacts("some-vlm", "Some", "model", hub="a/b", open=True), 3, "Transformers loads it"),
        (ModelFacts("some-clip", "Some", "encoder", hub="a/b", open=True), 2, "Transformers loads it"),
        (ModelFacts("gpt-x", "GPT-X", "model", open=False), 1, "Its weights are closed"),
        (ModelFacts("old", "Old", "model", hub="a/b", serve="Runs only with its code."), 1, "Runs only with its code."),
        (ModelFacts("unknown", "Unknown", "model"), 0, "know only its published figures"),
        (ModelFacts("people", "People", "human"), 0, "not a model, so it cannot be run"),
        (ModelFacts("niqe", "NIQE", "classical"), 1, "comes with this project"),
    ],
)
def test_how_it_is_run(facts: ModelFacts, lines: int, note: str) -> None:
    how = how_to_run(facts)
    assert note in how.note
    assert len(how.commands) == lines
    assert all(command.line.startswith("python -m qbench run --task ") for command in how.commands)
