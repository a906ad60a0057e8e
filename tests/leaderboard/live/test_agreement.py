"""How far a person, models and the truth agree, by hand-worked preferences and real models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from leaderboard.live.person import (
    EXAMPLE_COUNT,
    EXAMPLE_DATASET,
    TRUTH,
    YOU,
    agreements,
    known_preferences,
    preferences,
    preferences_by_truth,
    preferences_job,
    true_scores,
)
from leaderboard.live.service.jobs import Failure, JobResult, stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import open_live
from leaderboard.settings import read_settings
from qbench.datasets import open_dataset
from qbench.images import open_picture
from qbench.records import Picture, Presented

YOURS = (
    Presented("a", "b", "first"),
    Presented("b", "a", "second"),  # a, twice
    Presented("a", "c", "first"),
    Presented("c", "a", "first"),  # whichever is on the left
    Presented("c", "b", "tie"),
    Presented("b", "c", "tie"),
    Presented("c", "d", "second"),  # in one order only: d
)


@pytest.fixture(scope="module")
def examples() -> Mapping[str, Picture]:
    samples = open_dataset(EXAMPLE_DATASET, limit=EXAMPLE_COUNT).samples
    return {sample.id: open_picture(Path(sample.images[0])) for sample in samples}


def test_only_kept_answers_and_those_in_one_order_are_preferences() -> None:
    assert preferences(YOURS) == {("a", "b"): "a", ("c", "d"): "d"}


def test_of_a_pair_that_is_answered_several_times_the_photo_chosen_more_often_is_preferred() -> None:
    once = [Presented("a", "b", "first"), Presented("b", "a", "second")]
    twice = [Presented("a", "b", "second"), Presented("b", "a", "first")] * 2
    assert preferences([*once, *twice]) == {("a", "b"): "b"}
    assert preferences([*once, *twice[:2]]) == {}


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


def test_the_truth_is_known_of_the_examples_alone(examples: Mapping[str, Picture], tmp_path: Path) -> None:
    scores = true_scores(examples)
    assert scores is not None
    # The photos of the set are at 0, 0.7, 1.4, ... of one damage, and 20 points are lost for each level.
    assert list(scores.values()) == pytest.approx([100, 86, 72, 58, 44, 30, 16, 2])
    assert true_scores({**examples, "mine": Picture("/tmp/mine.png", "0" * 64)}) is None
    assert known_preferences(examples, ()).keys() == {YOU, TRUTH}


def test_models_are_asked_about_the_pairs_that_were_answered(examples: Mapping[str, Picture], tmp_path: Path) -> None:
    live = open_live(read_settings({"QBENCH_MODELS": "sharpness,scripted:first"}, tmp_path))
    one, two, three = list(examples)[:3]
    yours = (Presented(one, two, "first"), Presented(two, one, "second"), Presented(three, one, "first"))
    job = preferences_job(live, examples, yours, ["sharpness", "scripted:first"])
    *_, end = stream_job(live, Visitor("page", "place"), "agreement", job)
    assert isinstance(end, JobResult)
    assert end.value[YOU] == {tuple(sorted((one, two))): one, tuple(sorted((one, three))): three}
    assert end.value["sharpness"].keys() == end.value[YOU].keys()
    assert end.value["scripted:first"] == {}  # it keeps no answer
    *_, refused = stream_job(
        live, Visitor("page", "place"), "agreement", preferences_job(live, examples, yours, ["other"])
    )
    assert isinstance(refused, Failure) and "is not offered here" in refused.reason
