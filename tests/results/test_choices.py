"""What the answers in several orders say together, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from qbench.records import Score
from qbench.results.accuracy import groups_of_choices, items_of_retrieval, summarise_choices, summarise_retrieval
from qbench.results.items import compare_items

TIE, SILENT = "tie", "unparseable"
Answer = int | str


def asked(*samples: Sequence[Answer], **groups: str) -> dict[str, list[Score]]:
    """Scores of samples whose right alternative is 0, from the place chosen in each order."""
    shown, places = [], []
    for number, answers in enumerate(samples):
        for turn, answer in enumerate(answers):
            name = f"s{number}"
            if isinstance(answer, str):
                shown.append(Score(name, None, right=0, reason=answer, groups=groups))
                places.append(Score(name, None, reason=answer))
                continue
            chosen = (answer + turn) % len(answers)
            shown.append(Score(name, float(chosen == 0), right=0, chosen=chosen, groups=groups))
            places.append(Score(name, float(answer)))
    first = [score for place, score in enumerate(shown) if place == 0 or shown[place - 1].sample != score.sample]
    return {"accuracy": first, "accuracy_balanced": shown, "place": places}


def test_both_orders_by_hand() -> None:
    # Right twice; first twice; wrong twice; right once and silent; two ties.
    scores = asked((0, 1), (0, 0), (1, 0), (0, SILENT), (TIE, TIE))
    got = {name: estimate.value for name, estimate in summarise_choices(scores).items()}
    assert got == pytest.approx(
        {
            "accuracy": 3 / 5,
            "accuracy_balanced": 4 / 10,
            "accuracy_joint": 1 / 5,
            "consistency": 2 / 4,  # the right and the wrong one; ties agree on nothing, the silent one is left out
            "first_rate": 5 / 9,
            "second_rate": 2 / 9,
            "tie_rate": 2 / 9,
            "position_bias": 3 / 9,
        }
    )
    nothing = summarise_choices(asked((0, SILENT)))["consistency"]
    assert (nothing.value, nothing.n, nothing.note) == (None, 0, "no usable answers")


def test_orders_of_a_sample_are_resampled_together() -> None:
    metrics = summarise_choices(asked(*[(0, 1), (1, 0)] * 10))
    assert metrics["accuracy"].method == "wilson"
    assert metrics["accuracy_balanced"].n == metrics["accuracy"].n == 20
    assert metrics["accuracy_balanced"].method == "wilson over clusters"
    # Both orders of a sample agree here, so 40 answers are worth as much as 20.
    assert metrics["accuracy_balanced"].high - metrics["accuracy_balanced"].low > 0.3


def test_places_of_three_and_groups() -> None:
    scores = asked((0, 0, 0), (0, 2, 1), difficulty="fine")
    groups = groups_of_choices(scores, {"approach": {"naive": scores["accuracy"]}})
    assert {name: metric["share"].value for name, metric in groups["place"].items()} == pytest.approx(
        {"1 of 3": 4 / 6, "2 of 3": 1 / 6, "3 of 3": 1 / 6}
    )
    fine = {name: metric.value for name, metric in groups["difficulty"]["fine"].items()}
    assert fine == pytest.approx({"accuracy": 1.0, "accuracy_balanced": 4 / 6})
    assert groups["approach"]["naive"]["accuracy"].value == 1.0
    assert "first_rate" not in summarise_choices(scores)


def test_means_of_retrieval_over_different_queries() -> None:
    # Ten queries of the medium level, five of them of the hard level too.
    precision = [0.1 * number for number in range(10)]
    scores = {
        "map_easy": [],
        "map_medium": [Score(f"q{number}", value) for number, value in enumerate(precision)],
        "map_hard": [Score(f"q{number}", value / 2) for number, value in enumerate(precision[:5])],
    }
    got = summarise_retrieval(scores)
    assert got["map_medium"].value == pytest.approx(0.45)
    assert got["map_hard"].value == pytest.approx(0.1)
    assert got["retrieval_map"].value == pytest.approx(0.275)
    assert (got["retrieval_map"].n, got["map_hard"].n) == (10, 5)
    assert got["retrieval_map"].low < 0.275 < got["retrieval_map"].high
    assert got["map_easy"].value is None
    items = items_of_retrieval(scores)
    assert (len(items["map_medium"].names), len(items["map_hard"].names), "map_easy" in items) == (10, 5, False)
    half_as_good = {level: [replace(score, value=score.value / 2) for score in each] for level, each in scores.items()}
    found = compare_items(items["retrieval_map"], items_of_retrieval(half_as_good)["retrieval_map"])
    assert (found.estimate.value, found.estimate.n) == (pytest.approx(0.275 / 2), 10)  # queries are drawn, not answers
    scores["map_hard"] = [Score("q0", None, reason="failed: no vector")]
    assert summarise_retrieval(scores)["retrieval_map"].value is None
