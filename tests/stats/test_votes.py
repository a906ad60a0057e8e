"""Which answers a ranking counts, by hand."""

from __future__ import annotations

import pytest

from qbench.stats.pairwise import Comparisons, count_votes

ROWS = [
    *[("a", "b", "first"), ("b", "a", "second")],  # consistent: a
    *[("a", "c", "first"), ("c", "a", "first")],  # not alike
    *[("b", "c", "tie"), ("c", "b", "tie")],  # prefers nothing
    *[("a", "d", "first"), ("d", "a", None)],  # unanswered in one order
    ("b", "a", "second"),  # a third time, without its other order
    *[("b", "d", "first"), ("b", "d", "second"), ("e", "d", "tie")],  # shown in one order only
    ("e", "a", None),
]


def shown(comparisons: Comparisons) -> list[tuple[str, str, int]]:
    columns = (comparisons.first.tolist(), comparisons.second.tolist(), comparisons.outcome.tolist())
    return [(comparisons.items[i], comparisons.items[j], outcome) for i, j, outcome in zip(*columns, strict=True)]


def test_the_usual_rule_counts_consistent_pairs_and_pairs_shown_in_one_order() -> None:
    votes = count_votes(Comparisons.of(ROWS))
    assert shown(votes.counted) == [("a", "b", 0), ("b", "d", 0), ("b", "d", 1), ("e", "d", 2)]
    assert votes.rule == "consistent, or shown in one order"
    assert votes.left_out == {
        "not answered alike in both orders": 4,
        "without a usable answer in one of the orders": 2,
        "repeated without their other order": 1,
        "without a usable answer": 1,
    }


def test_the_papers_rule_and_all() -> None:
    consistent = count_votes(Comparisons.of(ROWS), "consistent")
    assert shown(consistent.counted) == [("a", "b", 0)]
    assert consistent.left_out["shown in one order only"] == 3
    assert sum(consistent.left_out.values()) == len(ROWS) - 2
    every = count_votes(Comparisons.of(ROWS), "all")
    assert (len(every.counted), every.left_out) == (len(ROWS), {"without a usable answer": 2})
    with pytest.raises(ValueError, match="unknown rule"):
        count_votes(Comparisons.of(ROWS), "some")
