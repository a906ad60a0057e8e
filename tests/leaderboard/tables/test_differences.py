from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import Column, Metric
from leaderboard.tables.differences import differences
from qbench.records import Items
from qbench.stats.intervals import wilson

SHARE = Column("share", "Share", ("share",), Metric("accuracy", "Accuracy", "", unit="%", scale=100, proportion=True))
SCORE = Column("score", "Score", ("score",), Metric("srcc", "SRCC", ""))
ERROR = Column("error", "Error", ("error",), Metric("rmse", "RMSE", "", direction="lower"))


def share(right: int, n: int) -> Cell:
    one = wilson(right, n)
    assert one.value is not None
    return Cell(one.value, one.low, one.high, n)


def test_newcombes_example() -> None:
    """56/70 against 48/80: Newcombe, Statistics in Medicine 1998, Table II (a), method 10."""
    [one] = differences(SHARE, {"a": share(56, 70), "b": share(48, 80)})
    assert (one.leader, one.other) == ("a", "b")
    assert one.value == pytest.approx(0.2)
    assert (one.low, one.high) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))
    assert one.p == pytest.approx(0.0080, abs=5e-4)  # z = 0.2 / sqrt(104/150 * 46/150 * (1/70 + 1/80)) = 2.65
    assert one.apart is True


def test_holm_corrects_over_the_pairs_of_the_column() -> None:
    figures = {"a": share(60, 100), "b": share(50, 100), "c": share(40, 100)}
    widest, *others = differences(SHARE, figures)
    alone = {pair: differences(SHARE, {name: figures[name] for name in pair})[0].p or 0 for pair in ("ac", "ab", "bc")}
    assert (widest.leader, widest.other) == ("a", "c")
    assert widest.p == pytest.approx(3 * alone["ac"])
    assert [other.p for other in others] == [pytest.approx(2 * alone["ab"]), pytest.approx(2 * alone["bc"])]
    assert widest.apart is True
    assert [other.apart for other in others] == [False, False]


def test_intervals_without_counts_are_compared_too() -> None:
    [one] = differences(SCORE, {"a": Cell(0.5, 0.4, 0.6), "b": Cell(0.7, 0.6, 0.8)})
    assert one.leader == "b"
    assert one.p == pytest.approx(0.0056, abs=5e-5)  # z = 0.2 / hypot(0.1, 0.1) * 1.96 = 2.772
    assert (one.low, one.high) == (pytest.approx(0.2 - 2**0.5 / 10), pytest.approx(0.2 + 2**0.5 / 10))


def test_a_verdict_never_contradicts_its_interval() -> None:
    """At a share of 1 the interval ends where the scale does: only its side towards zero tells of chance."""
    [one] = differences(SCORE, {"a": Cell(1.0, 0.7847, 1.0), "b": Cell(0.7857, 0.6424, 0.9107)})
    assert one.low == pytest.approx(0.2143 - 0.2489, abs=1e-4)  # hypot(0.2153, 0.125)
    assert one.high == pytest.approx(0.2143 + 0.1433, abs=1e-4)
    assert one.p == pytest.approx(0.0915, abs=5e-4)  # z = 0.2143 / 0.2489 * 1.96 = 1.687
    assert one.apart is False


def test_without_evidence_there_is_no_verdict_and_the_lower_error_leads() -> None:
    [one] = differences(SCORE, {"a": Cell(0.5), "b": Cell(0.7, 0.6, 0.8)})
    assert (one.value, one.low, one.high, one.p, one.apart) == (pytest.approx(0.2), None, None, None, None)
    [one] = differences(SHARE, {"a": Cell(0.5), "b": Cell(0.7, n=100)})
    assert one.apart is None
    [one] = differences(ERROR, {"a": Cell(3.0), "b": Cell(2.0)})
    assert (one.leader, one.value) == ("b", 1.0)


def test_on_the_same_items_little_is_enough() -> None:
    """56 and 50 of 70 right, on different questions or on the same: then six alone differ, and p = 2 / 2^6."""
    names = tuple(map(str, range(70)))
    first = Items("mean", names, (1.0,) * 56 + (0.0,) * 14)
    second = Items("mean", names, (1.0,) * 50 + (0.0,) * 20)
    figures = {"a": share(50, 70), "b": share(56, 70)}
    [alone] = differences(SHARE, figures)
    [paired] = differences(SHARE, figures, {"a": second, "b": first})
    assert (alone.apart, alone.paired) == (False, False)
    assert (paired.leader, paired.apart, paired.paired) == ("b", True, True)
    assert paired.p == pytest.approx(2 / 2**6)
    other_list = replace(second, names=tuple(map(str, range(1, 71))))
    assert differences(SHARE, figures, {"a": other_list, "b": first}) == [alone]
