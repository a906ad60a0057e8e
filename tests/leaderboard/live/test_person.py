"""A person's questions and answers, and how far others agree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from leaderboard.live.person import (
    EXAMPLE_COUNT,
    EXAMPLE_DATASET,
    TRUTH,
    YOU,
    PersonAnswers,
    agreements,
    as_tournament,
    ask_pairs,
    known_preferences,
    preferences,
    preferences_by_truth,
    true_scores,
)
from leaderboard.live.tournament import write_comparisons
from qbench.__main__ import main
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.records import Picture, Presented

ABC = {name: Picture(f"/tmp/{name}", name * 64) for name in ("a", "b", "c")}
ONE_WIN = 0.5061
"""Of a chain a > b > c with one win each: b is at 0, a at the x that is the normal density over the distribution."""


def answers(given: PersonAnswers, choose: Callable[[int, int], str]) -> str:
    """Answer every question, as the page does: the next is asked for once those known are answered."""
    said = given.answers
    while True:
        shown, total = ask_pairs(PersonAnswers(given.photos, given.rounds, given.seed, said))
        assert len(shown) <= total
        if len(said) == total:
            return said
        said += "".join(choose(*pair) for pair in shown[len(said) :])


def by_number(first: int, second: int) -> str:
    return "f" if first < second else "s"


@pytest.mark.parametrize(("photos", "seed"), [(3, 0), (5, 1), (8, 2**31)])
def test_few_photos_come_in_every_pair_and_order_and_none_twice_in_succession(photos: int, seed: int) -> None:
    shown, total = ask_pairs(PersonAnswers(photos, 1, seed))
    assert total == len(shown) == photos * (photos - 1)
    assert sorted(shown) == sorted((one, two) for one in range(photos) for two in range(photos) if one != two)
    assert all({*one} != {*two} for one, two in pairwise(shown))


def test_many_photos_are_paired_by_the_answers() -> None:
    begun = PersonAnswers(20, 12, 7)
    first, total = ask_pairs(begun)
    assert (len(first), total) == (20, 240)  # a round: ten pairs in both orders
    assert Counter(frozenset(pair) for pair in first) == Counter({frozenset(pair): 2 for pair in first})
    said = answers(begun, by_number)
    shown, total = ask_pairs(PersonAnswers(20, 12, 7, said))
    # A consistent person is asked 20 pairs in both orders and the other 170 in one, and then no pair is left.
    assert total == len(shown) == 2 * 20 + 170
    assert {frozenset(pair) for pair in shown} == {frozenset(pair) for pair in combinations(range(20), 2)}
    assert all({*one} != {*two} for one, two in pairwise(shown))
    so_far, _ = ask_pairs(PersonAnswers(20, 12, 7, said[:55]))
    assert so_far == shown[: len(so_far)]
    opening = PersonAnswers(20, 12, 7, said[:20])
    contrary = answers(opening, lambda *pair: "sf"["sf".index(by_number(*pair)) - 1])
    assert ask_pairs(PersonAnswers(20, 12, 7, contrary))[0][:60] != shown[:60]


def test_a_ranking_worked_out_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """a over b and b over c in both orders; of a and c always the left one, which ranks nothing."""

    def choose(first: int, second: int) -> str:
        return "f" if {first, second} == {0, 2} else by_number(first, second)

    begun = PersonAnswers(3, 12, 5)
    end = as_tournament(ABC, PersonAnswers(3, 12, 5, answers(begun, choose)), 9.0)
    assert end.result and not end.cancelled
    assert end.ranking is not None
    assert end.ranking.scores == pytest.approx([ONE_WIN, 0, -ONE_WIN], abs=1e-4)
    assert end.figures["consistency"].value == pytest.approx(2 / 3)
    # Left: once of a and b, once of b and c, twice of a and c.
    assert end.figures["first_rate"].value == pytest.approx(4 / 6)
    assert end.figures["position_bias"].value == pytest.approx(2 / 6)
    path = write_comparisons(end, tmp_path / "mine.jsonl")
    assert main(["rank", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == pytest.approx(
        {"a": ONE_WIN, "b": 0, "c": -ONE_WIN}, abs=1e-4
    )


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *(("answers", answers) for answers in ("fx", "f" * 7, ["f"])),
        *(("photos", photos) for photos in (51, 1, "3")),
        *(("rounds", rounds) for rounds in (10**9, True)),
        *(("seed", seed) for seed in (-1, 1.5)),
    ],
)
def test_what_browsers_may_not_send_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(UserError):
        PersonAnswers(**{"photos": 3, "rounds": 12, "seed": 5, name: wrong})


YOURS = (
    Presented("a", "b", "first"),
    Presented("b", "a", "second"),  # a, twice
    Presented("a", "c", "first"),
    Presented("c", "a", "first"),  # whichever is on the left
    Presented("c", "b", "tie"),
    Presented("b", "c", "tie"),
    Presented("c", "d", "second"),  # in one order only: d
)


def test_agreement_is_counted_where_both_prefer_a_photo() -> None:
    truth = preferences_by_truth({"a": 4, "b": 3, "c": 2, "d": 2})
    assert truth == {("a", "b"): "a", ("a", "c"): "a", ("a", "d"): "a", ("b", "c"): "b", ("b", "d"): "b"}
    contrary = {**truth, ("a", "b"): "b"}
    found = {
        agreement.sides: agreement for agreement in agreements({YOU: preferences(YOURS), "t": truth, "n": contrary})
    }
    assert (found[YOU, "t"].alike, found[YOU, "t"].pairs) == (1, 1)  # c and d are equal in truth
    assert (found[YOU, "n"].alike, found[YOU, "n"].share.value) == (0, 0)
    assert (found["t", "n"].alike, found["t", "n"].pairs, found["t", "n"].share.value) == (4, 5, 0.8)
    (none,) = agreements({YOU: {}, "t": truth})
    assert (none.pairs, none.share.value) == (0, None)


def test_the_truth_is_known_of_the_examples_alone() -> None:
    samples = open_dataset(EXAMPLE_DATASET, limit=EXAMPLE_COUNT).samples
    examples = {sample.id: open_picture(Path(sample.images[0])) for sample in samples}
    scores = true_scores(examples)
    assert scores is not None
    # The photos of the set are at 0, 0.7, 1.4, ... of one damage, and 20 points are lost for each level.
    assert list(scores.values()) == pytest.approx([100, 86, 72, 58, 44, 30, 16, 2])
    assert true_scores({**examples, "mine": Picture("/tmp/mine.png", "0" * 64)}) is None
    assert known_preferences(examples, ()).keys() == {YOU, TRUTH}
