"""The sets of answers that the page of answers is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from leaderboard.analysis.answers import answer_sets, answers_json
from leaderboard.store import Recorded
from leaderboard.tables.answers import answers_at
from qbench.records import Items
from tests.leaderboard.made import result
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


def test_scores_of_people_are_not_given_away() -> None:
    found = of("assessment-koniq-10k")
    assert found["right"] is None
    assert len(found["answerers"]) == 5
    assert of("assessment-demo-assessment")["right"]  # follow from what was done to the photos


@pytest.mark.parametrize(("split", "kept"), [("dev", True), ("test", False)])
def test_answers_to_the_private_questions_stay_private(split: str, kept: bool) -> None:
    items = {"accuracy": Items("mean", ("a", "b"), (1.0, 0.0))}
    made = replace(result("alpha"), task="perception", dataset="llvisionqa", split=split, raw="0" * 64, items=items)
    assert (answers_at(Recorded(made)) is not None) == kept


def test_figures_of_papers_have_no_answers() -> None:
    assert not any(
        each.record.result.source.kind == "paper"
        for answerers in answer_sets(published()).values()
        for each in answerers
    )
