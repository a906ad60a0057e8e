"""What is found of one model, and the sets of answers that can be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from leaderboard.analysis.answers import answer_sets, answers_json
from leaderboard.analysis.model import ModelReport, listed_models, model_report
from leaderboard.boards.comparing import BOARDS
from leaderboard.html.model import NO_HABITS, habit_sentences, how_to_run
from leaderboard.store import Recorded
from leaderboard.tables.provenance import answers_at
from qbench.models.catalogue import ModelFacts
from qbench.records import Items, Result
from tests.leaderboard.made import board, result, snapshot
from tests.leaderboard.published import published


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
    return model_report(snapshot(results, board(), *BOARDS[:2]), name)


def test_every_model_on_a_board_has_a_page() -> None:
    """The published figures of GPT-4V: rank by the table itself, 0.7336 of Q-Bench Table 2, beside people."""
    whole = published()
    listed = {model["id"]: model for model in listed_models(whole)}
    assert {"gpt-4v", "niqe", "human-senior", "qwen2.5-vl-7b"} <= listed.keys()
    assert listed["gpt-5"]["boards"] == ["perception-dev", "diag-bench", "medq-bench"]
    assert sum(not model["reference"] for model in listed.values()) == whole.index()["models"]
    found = model_report(whole, "gpt-4v")
    [table] = [table for table in found.tables if table.board.key == "perception-test"]
    rank, claimed = table.ranks["overall"]["gpt-4v"]
    assert table.rows["gpt-4v"].cells["overall"].value == 0.7336
    assert rank == 1 + sum(
        row.cells["overall"].value > 0.7336 for row in table.ranked.values() if "overall" in row.cells
    )
    assert claimed is not None and claimed.best <= rank <= claimed.worst
    assert found.profile is not None
    assert {model.kind for model in found.profile.references} >= {"human"}
    assert found.profile.models[0].id == "gpt-4v" and len(found.profile.models) == 2
    asked_on_dev = model_report(whole, "qwen3-vl-8b").profile
    assert asked_on_dev and asked_on_dev.board.key == "perception-dev"  # not a lesser board that has people's figures
    assert any("it kept its answer" in said for said in habit_sentences(found.findings, "gpt-4v"))
    assert habit_sentences(report("alpha", result("alpha")).findings, "alpha") == [NO_HABITS]


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
    said, commands = how_to_run(facts)
    assert note in said
    assert len(commands) == lines
    assert all(line.startswith("python -m qbench run --task ") for _, line in commands)
