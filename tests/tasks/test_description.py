"""A2: five ratings a dimension, their mean, and what is absent without a judge."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from qbench import prompts
from qbench.records import Response
from qbench.tasks.description import plan
from tests.tasks.drive import TEXT, chosen, drive, photos, record_of

how = partial(chosen, "description")


def test_mean_of_five_ratings_is_p1_plus_twice_p2(tmp_path: Path) -> None:
    # The paper's own example: 2, 1, 1, 2, 1 gives 1.4 (A.2.2).
    ratings = {"relevant to": "21121", "completely includes": "00010", "precisely reflects": "2222x"}

    def answer(ask):
        if ask.of == "model":
            return Response(text="A grey image.")
        assert ask.prompt.repeat > 0  # 0 would be the one answer without chance
        key = next(rating for rating in ratings if rating in ask.prompt.parts[0])
        return Response(text=f"Score: {ratings[key][ask.prompt.repeat - 1]}")

    [sample] = photos(tmp_path, [9], reference="It is dark.")
    outcome = drive(plan([sample], how(TEXT, judge=True)), answer)
    assert outcome.scores["relevance"][0].value == pytest.approx(1.4)
    assert outcome.scores["completeness"][0].value == pytest.approx(0.2)
    assert outcome.scores["precision"][0].value == pytest.approx(2.0)
    shares = {name: score[0].value for name, score in outcome.variants["relevance"].items()}
    assert shares == {"P0": 0.0, "P1": pytest.approx(0.6), "P2": pytest.approx(0.4)}
    result = record_of("description", outcome, [sample])
    assert result.metrics["sum"].value == pytest.approx(3.6)
    assert {name: items.values for name, items in result.items.items()} == {
        "relevance": (1.4,),
        "completeness": (0.2,),
        "precision": (2.0,),
        "sum": (pytest.approx(3.6),),
    }


def test_without_a_golden_description_only_relevance_is_asked(tmp_path: Path) -> None:
    asked = []

    def answer(ask):
        asked.append(ask.of)
        return Response(text="Score: 1")

    without, golden = photos(tmp_path, [1, 2])
    outcome = drive(plan([without, replace(golden, reference="dark")], how(TEXT, judge=True)), answer)
    assert asked.count("judge") == prompts.JUDGE_ROUNDS * (1 + 3)
    assert outcome.scores["precision"][0].reason == "no golden description"


def test_reasons_say_who_failed(tmp_path: Path) -> None:
    replies = {"0": Response(failure="down"), "1": Response(text=""), "2": Response(text="dark")}

    def answer(ask):
        return replies[ask.sample] if ask.of == "model" else Response(text="I would rather not.")

    samples = photos(tmp_path, [1, 2, 3], reference="dark")
    outcome = drive(plan(samples, how(TEXT, judge=True)), answer)
    expected = ["failed: down", "empty", "the judge gave no usable grade"]
    assert [score.reason for score in outcome.scores["precision"]] == expected
    whole = record_of("description", outcome, samples).metrics["sum"]
    assert (whole.value, whole.n, whole.note) == (None, 0, "no image has all of its parts")
