"""Hand-worked outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.live.run import Missing, find_missing, find_worst
from qbench.datasets import Dataset
from qbench.datasets.known import find_dataset
from qbench.records import Presented, Sample, Score
from qbench.tasks import Outcome
from qbench.tasks.perception import shuffle_options

HUMAN = {"a": 90.0, "b": 70.0, "c": 50.0, "d": 10.0}
RATED = tuple(Sample(name, (f"{name}.png",), human=human) for name, human in HUMAN.items())


def dataset(*samples: Sample, name: str = "koniq-10k") -> Dataset:
    return Dataset(name, samples, "0" * 64, facts=find_dataset(name))


def quality(given: dict[str, float]) -> Outcome:
    return Outcome(scores={"quality": [Score(name, value, truth=HUMAN[name]) for name, value in given.items()]})


def test_pictures_far_from_their_place_come_first() -> None:
    given = {"a": 0.9, "b": 0.1, "c": 0.5, "d": 0.8}  # b falls from second to fourth, d rises from fourth to second
    found = find_worst(quality(given), "assessment", dataset(*RATED))
    assert [(disagreement.images, disagreement.said, disagreement.gap) for disagreement in found] == [
        (("b.png",), "Of the 4 pictures, the model puts this one 4th (1st is the best). By people it is 2nd.", 0.5),
        (("d.png",), "Of the 4 pictures, the model puts this one 2nd (1st is the best). By people it is 4th.", 0.5),
    ]


def test_the_widest_gap_and_the_commonest_reason_come_first() -> None:
    given = {"b": 0.9, "c": 0.8, "d": 0.7, "a": 0.1}  # a falls from first to last, the others rise by one place
    (worst,) = find_worst(quality(given), "assessment", dataset(*RATED), most=1)
    assert (worst.images, worst.gap) == (("a.png",), 0.75)
    reasons = {"a": "refused", "b": "empty", "c": "empty"}
    unread = [Score(name, None, reason=reason) for name, reason in reasons.items()]
    missing = [Missing("empty", ("b", "c")), Missing("refused", ("a",))]
    assert find_missing(Outcome(scores={"quality": unread})) == missing


def test_wrong_answers_are_told_with_the_right_ones() -> None:
    asked = Sample("q", ("q.png",), "Is it sharp?", ("Yes", "No"), answer=1)
    shown = shuffle_options(asked, 0)
    right, wrong = shown.options.index("No"), shown.options.index("Yes")
    scores = [
        Score("q", 0.0, right=right, chosen=wrong),
        Score("q", 1.0, right=right, chosen=right),
        Score("q", None, right=right, reason="refused"),
    ]
    (found,) = find_worst(Outcome(scores={"accuracy": scores}), "perception", dataset(asked, name="demo-perception"))
    assert found.said == "Is it sharp? It said “Yes”; right is “No”"


def test_pairs_preferred_wrongly_in_both_orders_come_with_the_widest_gap_first() -> None:
    presented = [
        Presented("a", "d", "second"),
        Presented("d", "a", "first"),  # d over a, wrong by 80
        Presented("b", "c", "second"),
        Presented("c", "b", "first"),  # c over b, wrong by 20
        Presented("a", "b", "first"),
        Presented("b", "a", "second"),  # right
        Presented("a", "c", "second"),
        Presented("c", "a", "second"),  # not kept
    ]
    found = find_worst(Outcome(presented=presented), "comparison", dataset(*RATED))
    told = [(disagreement.images, disagreement.gap) for disagreement in found]
    assert told == [(("d.png", "a.png"), 80.0), (("c.png", "b.png"), 20.0)]
    assert found[0].said == "Preferred the left, which is worse by 80 points by people"


@pytest.mark.parametrize(
    ("task", "shown", "asked", "said"),
    [
        ("iqa-2afc", "12", {}, "it chose picture 1; right is picture 2"),
        ("attributes", "12", {"groups": {"attribute": "contrast"}}, "contrast: it chose picture 1; right is picture 2"),
        ("img-2afc", "r12", {}, "it chose picture 1 beside the reference on the left; right is picture 2"),
        ("it-2afc", "12", {"texts": ("A blur",)}, "“A blur”: it chose picture 1; right is picture 2"),
        ("text-2afc", "r", {"texts": ("a house", "a boat")}, "It chose “a house”; right is “a boat”"),
    ],
)
def test_wrong_choices_say_what_was_chosen(task: str, shown: str, asked: dict[str, Any], said: str) -> None:
    sample = Sample("s", tuple(shown), answer=1, has_reference="r" in shown, **asked)
    scores = {"accuracy": [Score("s", 0.0, right=1, chosen=0)]}
    (found,) = find_worst(Outcome(scores=scores), task, dataset(sample, name=f"demo-{task}"))
    assert found.said == said
