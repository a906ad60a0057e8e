"""Estimates from comparisons, against cases worked out by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from qbench.results import pair_figures
from qbench.stats.pairwise import Comparisons
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
