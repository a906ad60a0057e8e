"""Samples of another task are refused with the first of them."""

from __future__ import annotations

import pytest

from qbench.errors import DataError
from qbench.records import Sample
from qbench.tasks import TASKS
from tests.tasks.similarity.made import SIMILARITY

FITTING = {
    "img-2afc": Sample("s", ("r", "a", "b"), has_reference=True, answer=1),
    "it-2afc": Sample("s", ("a", "b"), texts=("x",), answer=1),
    "text-2afc": Sample("s", ("r",), texts=("x", "y"), has_reference=True, answer=1),
    "iqa-2afc": Sample("s", ("a", "b"), answer=1),
    "attributes": Sample("s", ("a", "b"), answer=1, groups={"attribute": "contrast"}),
    "odd-one-out": Sample("s", ("a", "b", "c"), answer=2),
    "retrieval": Sample("s", ("a",)),
}


@pytest.mark.parametrize("task", SIMILARITY)
def test_each_task_takes_its_own_samples(task: str) -> None:
    TASKS[task].check([FITTING[task]])
    others = {name for name, sample in FITTING.items() if not _refused(task, sample)}
    also = {"iqa-2afc": {"attributes"}}  # pairs of images, of which an attribute is known besides
    assert others == {task} | also.get(task, set())


def _refused(task: str, sample: Sample) -> bool:
    try:
        TASKS[task].check([sample])
    except DataError:
        return True
    return False


def test_the_sentence_says_what_the_task_compares() -> None:
    wrong = [FITTING["iqa-2afc"], FITTING["odd-one-out"]]
    with pytest.raises(DataError, match="it-2afc compares one caption and 2 to 9 images in each sample; 2 hold others"):
        TASKS["it-2afc"].check(wrong)
    with pytest.raises(DataError, match="an attribute, one of brightness, colorfulness, contrast, sharpness"):
        TASKS["attributes"].check(wrong)
