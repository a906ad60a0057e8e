"""What items add to a metric, and two models on the same items: by hand, and against statistics of all items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from qbench.errors import UndefinedError
from qbench.records import Items, Score
from qbench.results.accuracy import items_of_yes_no
from qbench.results.items import (
    common_items,
    compare_items,
    items_of_quality,
    items_of_shares,
    join_parts,
    same_items,
)

NAMES = tuple(f"item{number}" for number in range(47))
FIRST = Items("mean", NAMES, (1.0,) * 10 + (0.0,) * 2 + (1.0,) * 30 + (0.0,) * 5)
SECOND = Items("mean", NAMES, (0.0,) * 10 + (1.0,) * 2 + (1.0,) * 30 + (0.0,) * 5)


def test_shares_of_independent_items_have_the_exact_test() -> None:
    found = compare_items(FIRST, SECOND)
    assert found.estimate.value == pytest.approx(8 / 47)
    # 10 items only the first got right, 2 only the second: 2 * (C(12,0)+C(12,1)+C(12,2)) / 2^12
    assert (found.p, found.test) == (pytest.approx(2 * 79 / 4096), "McNemar, exact")
    assert found.estimate.low is not None
    assert 0 < found.estimate.low < 8 / 47


def test_items_are_joined_by_name_and_those_of_one_file_alone_are_left_out() -> None:
    backwards = Items("mean", NAMES[::-1][:40], SECOND.values[::-1][:40])
    one, other = common_items(FIRST, backwards)
    assert one.names == other.names == NAMES[7:]
    assert (sum(one.values), sum(other.values)) == (33, 32)
    assert not same_items(FIRST, backwards)
    assert same_items(FIRST, replace(SECOND, names=NAMES))


def test_correlations_differ_as_those_of_all_items_do() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=80)
    good, bad = truth + 0.3 * rng.normal(size=80), truth + 2 * rng.normal(size=80)

    def scores(values: np.ndarray) -> list[Score]:
        return [Score(f"{i}", float(value), truth=float(truth[i])) for i, value in enumerate(values)]

    better, worse = items_of_quality(scores(good)), items_of_quality(scores(bad))
    found = compare_items(better["srcc"], worse["srcc"])
    assert found.estimate.value == pytest.approx(spearmanr(good, truth).statistic - spearmanr(bad, truth).statistic)
    assert found.p < 0.01
    assert compare_items(better["plcc"], better["plcc"]).p == 1.0
    kendall = compare_items(better["krcc"], worse["krcc"])
    assert kendall.estimate.value == pytest.approx(kendalltau(good, truth).statistic - kendalltau(bad, truth).statistic)
    assert (kendall.test, kendall.estimate.n) == ("paired jackknife", 80)


def test_parts_are_measured_apart_and_averaged() -> None:
    truth = (1.0, 2.0, 3.0, 4.0)
    right, swapped = (
        Items("srcc", tuple("abcd"), truth, truth),
        Items("srcc", tuple("abcd"), (1.0, 3.0, 2.0, 4.0), truth),
    )
    mixed = join_parts({"one": {"srcc": right}, "two": {"srcc": swapped}})["srcc"]
    perfect = join_parts({"one": {"srcc": right}, "two": {"srcc": right}})["srcc"]
    # One neighbouring pair swapped of four: 1 - 6 * 2 / (4 * 15) = 0.8, and the mean of 1 and 0.8 is 0.9.
    assert compare_items(perfect, mixed).estimate.value == pytest.approx(0.1)
    with pytest.raises(UndefinedError):
        compare_items(*(replace(items, values=(1.0,) * 4 + items.values[4:]) for items in (perfect, mixed)))


def test_an_answer_without_a_value_is_not_right_and_orders_are_averaged() -> None:
    scores = [Score("a", 1.0, right=1), Score("a", 0.0, right=1), Score("b", None, right=1), Score("c", 1.0)]
    assert items_of_shares(scores) == Items("mean", ("a", "b"), (0.5, 0.0))


def test_yes_and_no_questions_are_parts_of_their_mean() -> None:
    options = dict.fromkeys("abcd", ("Yes", "No")) | {"e": ("good", "poor")}
    right, said = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 0}, {"a": 0, "b": 1, "c": 1, "e": 0}
    scores = [Score(name, 0.0, right=right[name], chosen=said.get(name)) for name in "abcde"]
    found = items_of_yes_no(scores, options)
    assert (found["yes_accuracy"].names, found["yes_accuracy"].values) == (("a", "b"), (1.0, 0.0))
    assert (found["no_accuracy"].names, found["no_accuracy"].values) == (("c",), (1.0,))
    assert found["debiased_accuracy"].parts == ("yes_accuracy", "yes_accuracy", "no_accuracy")


def test_a_mean_over_parts_is_compared_part_by_part_and_photos_are_drawn_whole() -> None:
    parts, clusters = ("yes",) * 6 + ("no",) * 2, tuple("abcdefaa")
    first = Items("mean", tuple("12345678"), (1.0,) * 6 + (0.0, 1.0), parts=parts, clusters=clusters)
    found = compare_items(first, replace(first, values=(0.0,) * 6 + (1.0, 1.0)))
    assert found.estimate.value == pytest.approx((1 + 0.5) / 2 - (0 + 1) / 2)
    assert found.estimate.n == 6
