"""The container of comparisons: what it accepts, what it keeps and what is read off it."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.errors import DataError
from qbench.stats.pairwise import (
    Comparisons,
    count_strong_components,
    count_votes,
    paired_orders,
    unconnected_groups,
    win_matrix,
)

ROWS = [
    ("a", "b", "first"),
    ("b", "a", "second"),
    ("b", "c", "tie"),
    ("a", "b", "first"),
    ("c", "b", None),
]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("a", "b", "left"), "comparison 2 has the choice 'left'"),
        (("a", "a", "tie"), "comparison 2 compares 'a' with itself"),
        ((7, "a", "tie"), "comparison 2 names the item 7"),
    ],
)
def test_the_first_bad_row_is_named(row, message):
    with pytest.raises(DataError, match=message.replace("(", r"\(")):
        Comparisons.of([("a", "b", "first"), row, ("x", "x", "worse")])


def test_win_matrix_counts_every_presentation_and_splits_ties():
    wins = win_matrix(Comparisons.of(ROWS))
    assert wins.toarray().tolist() == [[0, 3, 0], [0, 0, 0.5], [0, 0.5, 0]]
    assert wins.nnz == 3


def test_pairs_and_their_winners_are_those_of_a_plain_loop():
    """A pair is consistent where the same image is preferred in both orders; a tie prefers none."""
    rng = np.random.default_rng(3)
    names = ["a", "b", "c", "d", "e"]
    choices = ["first", "second", "tie", None]
    rows = [(*rng.choice(names, 2, replace=False).tolist(), choices[rng.integers(4)]) for _ in range(400)]

    waiting: dict[tuple[str, str], list[int]] = {}
    expected = []
    for position, (first, second, _) in enumerate(rows):
        if waiting.get((second, first)):
            expected.append((waiting[second, first].pop(0), position))
        else:
            waiting.setdefault((first, second), []).append(position)
    expected.sort()

    pairs = paired_orders(Comparisons.of(rows, items=names))
    assert len(expected) > 100
    assert pairs.unpaired == 400 - 2 * len(expected)
    code = {"first": 0, "second": 1, "tie": 2, None: 3}
    assert [names[i] for i in pairs.first] == [rows[early][0] for early, _ in expected]
    assert pairs.forward.tolist() == [code[rows[early][2]] for early, _ in expected]
    assert pairs.backward.tolist() == [code[rows[late][2]] for _, late in expected]
    answers = [(rows[early][2], rows[late][2]) for early, late in expected]
    assert len(set(answers)) == 16
    assert pairs.scored.tolist() == [None not in both for both in answers]
    assert pairs.consistent.tolist() == [set(both) == {"first", "second"} for both in answers]
    winners = [-1 if item < 0 else names[item] for item in pairs.winner]
    preferred = [rows[early][both[0] == "second"] for (early, _), both in zip(expected, answers, strict=True)]
    assert winners == [
        name if set(both) == {"first", "second"} else -1 for name, both in zip(preferred, answers, strict=True)
    ]


def test_components():
    chain = win_matrix(Comparisons.of([("a", "b", "first"), ("b", "c", "first"), ("d", "e", "tie")]))
    assert len(unconnected_groups(chain)) == 2
    assert count_strong_components(chain) == 4  # a, b, c and the tied pair
    cycle = win_matrix(Comparisons.of([("a", "b", "first"), ("b", "c", "first"), ("c", "a", "first")]))
    assert count_strong_components(cycle) == 1
    idle = win_matrix(Comparisons.of([("a", "b", "tie")], items=["a", "b", "c"]))
    assert len(unconnected_groups(idle)) == 2


# --- which answers a ranking counts, by hand


VOTED = [
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
    votes = count_votes(Comparisons.of(VOTED))
    assert shown(votes.counted) == [("a", "b", 0), ("b", "d", 0), ("b", "d", 1), ("e", "d", 2)]
    assert votes.rule == "consistent, or shown in one order"
    assert votes.left_out == {
        "not answered alike in both orders": 4,
        "without a usable answer in one of the orders": 2,
        "repeated without their other order": 1,
        "without a usable answer": 1,
    }


def test_the_papers_rule_and_all() -> None:
    consistent = count_votes(Comparisons.of(VOTED), "consistent")
    assert shown(consistent.counted) == [("a", "b", 0)]
    assert consistent.left_out["shown in one order only"] == 3
    assert sum(consistent.left_out.values()) == len(VOTED) - 2
    every = count_votes(Comparisons.of(VOTED), "all")
    assert (len(every.counted), every.left_out) == (len(VOTED), {"without a usable answer": 2})
    with pytest.raises(ValueError, match="unknown rule"):
        count_votes(Comparisons.of(VOTED), "some")
