"""Figures of comparisons and of choices among alternatives, against cases worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from qbench.records import Result, Score, Source
from qbench.results import pair_figures
from qbench.results.accuracy import build_choices, summarise_choices, summarise_retrieval
from qbench.results.items import compare_items
from qbench.stats.pairwise import Comparisons
from qbench.tasks import Outcome
from tests.estimates import values

HUMAN = {"w": 4.0, "x": 3.0, "y": 2.0, "z": 2.0}
HAND_WORKED = [
    *[("w", "x", "first"), ("x", "w", "second")],  # consistent, right
    *[("x", "y", "second"), ("y", "x", "first")],  # consistent, wrong
    *[("w", "y", "first"), ("y", "w", "first")],  # not consistent; the first presentation is right
    *[("x", "z", "tie"), ("z", "x", "tie")],  # "tie" twice prefers nothing: not consistent
    *[("y", "z", "first"), ("z", "y", "second")],  # consistent; people see no difference: neither right nor wrong
    *[("w", "z", "first"), ("z", "w", None)],  # no usable answer to one order; the other presentation is right
]


def every_pair(human: dict[str, float], *, reverse: bool = False) -> Comparisons:
    sign = -1 if reverse else 1
    return Comparisons.of(
        (first, second, "first" if sign * human[first] > sign * human[second] else "second")
        for first, second in permutations(human, 2)
    )


def test_comparisons_by_hand() -> None:
    found = values(pair_figures.summarise(Comparisons.of(HAND_WORKED), HUMAN).metrics)
    expected = {
        "consistency": 3 / 5,
        "accuracy_joint": 1 / 4,
        "accuracy_consistent": 1 / 2,
        "accuracy": 4 / 9,
        "first_rate": 6 / 11,
        "second_rate": 3 / 11,
        "tie_rate": 2 / 11,
        "position_bias": 3 / 11,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    once, twice = (
        pair_figures.summarise(Comparisons.of(HAND_WORKED * times), HUMAN).items["accuracy_joint"] for times in (1, 2)
    )
    assert (len(once.names), once.clusters) == (4, ())
    assert (len(twice.names), sorted(twice.clusters)) == (8, ["w\nx"] * 2 + ["w\ny"] * 2 + ["x\ny"] * 2 + ["x\nz"] * 2)


@pytest.mark.usefixtures("few_resamples")
def test_pairs_in_one_order_beside_pairs_in_both_do_not_count_in_the_accuracy() -> None:
    """They were picked for being hard. Where every pair has one order, all of them count."""
    hard = [("y", "w", "first"), ("z", "w", "first")]  # both wrong
    mixed = pair_figures.summarise(Comparisons.of([*HAND_WORKED[:4], *hard]), HUMAN).metrics
    assert mixed["accuracy"].value == pytest.approx(2 / 4)
    alone = pair_figures.summarise(Comparisons.of([("w", "x", "first"), *hard]), HUMAN).metrics
    assert alone["accuracy"].value == pytest.approx(1 / 3)


@pytest.mark.usefixtures("few_resamples")
def test_a_perfect_judge_and_its_mirror_image() -> None:
    human = {f"image{i}": float(score) for i, score in enumerate([1, 2, 4, 5, 7, 8, 9, 12, 13, 15])}
    summary = pair_figures.summarise(every_pair(human), human)
    perfect = summary.metrics
    # By which statistic two models are compared later.
    assert {name: summary.items[name].statistic for name in pair_figures.RANKING_AGREEMENT} == {
        "srcc": "srcc",
        **dict.fromkeys(("plcc", "correlation"), "plcc"),
    }
    reversed_ = pair_figures.summarise(every_pair(human, reverse=True), human).metrics
    for name in ("consistency", "accuracy_joint", "accuracy_consistent", "accuracy"):
        assert (perfect[name].value, reversed_[name].value) == (1, 1 if name == "consistency" else 0)
    assert [perfect["srcc"].value, reversed_["srcc"].value] == pytest.approx([1, -1])
    assert (perfect["plcc"].value or 0) > 0.95
    assert (reversed_["plcc"].value or 0) < -0.95
    # The published figure cannot tell the two apart.
    assert (perfect["correlation"].value or 0) > 0.95
    assert (reversed_["correlation"].value or 0) > 0.95


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("a", "b", "tie"), ("b", "a", "tie"), ("a", "c", "tie"), ("c", "a", "tie")], "nothing to rank"),
        ([("a", "b", None), ("b", "a", None), ("b", "c", None)], "no presentation has a usable answer"),
        ([("a", "b", "first"), ("b", "a", "second")], "at least 3"),
    ],
    ids=["all ties", "no answers", "two images"],
)
def test_what_cannot_be_ranked_is_absent_with_the_reason(rows: list[tuple[str, str, str | None]], reason: str) -> None:
    found = pair_figures.summarise(Comparisons.of(rows), {"a": 1, "b": 2, "c": 3}).metrics
    for name in pair_figures.RANKING_AGREEMENT:
        assert found[name].value is None
        assert reason in (found[name].note or "")


def test_coin_flips_about_pairs_in_one_order_all_count() -> None:
    """Of three images, two in eight judges go round in a circle and have no ranking; the others have one of six."""
    rows = [("a", "b", "first"), ("b", "c", "first"), ("c", "a", "second")]
    human = {"a": 1.0, "b": 2.0, "c": 3.0}
    srcc = pair_figures.chance_agreement({"": (Comparisons.of(rows), human)})[""]["srcc"]
    ranked = srcc[np.isfinite(srcc)]
    assert len(ranked) / len(srcc) == pytest.approx(6 / 8, abs=0.12)
    assert set(np.round(ranked, 6)) == {-1.0, -0.5, 0.5, 1.0}
    assert np.mean(np.abs(ranked) > 0.9) == pytest.approx(2 / 6, abs=0.14)


@pytest.mark.slow(reason="5,000 curves are fitted")
def test_coin_flips_seldom_reach_a_correlation_that_leaves_out_0() -> None:
    """At 95 % at most 3 of 25 judges; with a curve fitted to scores that were fitted already, 5 of them did."""
    rng = np.random.default_rng(0)
    human = {f"image{i}": float(score) for i, score in enumerate(rng.normal(size=20))}
    names = list(human)
    claims = 0
    for _ in range(25):
        pairs = [rng.permutation(20).reshape(-1, 2) for _ in range(12)]
        shown = [(names[a], names[b]) for pair in pairs for i, j in pair for a, b in ((i, j), (j, i))]
        rows = [(one, other, "first" if rng.random() < 0.5 else "second") for one, other in shown]
        found = pair_figures.summarise(Comparisons.of(rows), human).metrics["correlation"]
        claims += (found.low or 0.0) > 0
    assert claims <= 3


# --- choices among alternatives


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
    base = Result("odd-one-out", "made", "mine", {}, Source("live"))
    outcome = Outcome(scores, variants={"approach": {"naive": scores["accuracy"]}})
    groups = build_choices(outcome, base, [])[0].groups
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
    got, items = summarise_retrieval(scores)
    assert got["map_medium"].value == pytest.approx(0.45)
    assert got["map_hard"].value == pytest.approx(0.1)
    assert got["retrieval_map"].value == pytest.approx(0.275)
    assert (got["retrieval_map"].n, got["map_hard"].n) == (10, 5)
    assert got["retrieval_map"].low < 0.275 < got["retrieval_map"].high
    assert got["map_easy"].value is None
    assert (len(items["map_medium"].names), len(items["map_hard"].names), "map_easy" in items) == (10, 5, False)
    half_as_good = {level: [replace(score, value=score.value / 2) for score in each] for level, each in scores.items()}
    found = compare_items(items["retrieval_map"], summarise_retrieval(half_as_good)[1]["retrieval_map"])
    assert (found.estimate.value, found.estimate.n) == (pytest.approx(0.275 / 2), 10)  # queries are drawn, not answers
    scores["map_hard"] = [Score("q0", None, reason="failed: no vector")]
    assert summarise_retrieval(scores)[0]["retrieval_map"].value is None
