"""What tests look at in a dataset: paths from its folder on, and which alternative is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from qbench.datasets import Dataset, open_dataset
from qbench.datasets.places import data_root
from qbench.datasets.similarity import frozen_path
from qbench.records import Sample
from qbench.tasks import TASKS
from tests.datasets.fetching import facts_of


def opened(name: str) -> Dataset:
    """The set, after what holds for all: it fits its task, has every answer, and is frozen if it is whole."""
    dataset, facts = open_dataset(name), facts_of(name)
    TASKS[facts.task].check(dataset.samples)
    assert all(sample.answer is not None for sample in dataset.samples if facts.task != "retrieval")
    assert frozen_path(facts, data_root()).is_file() == (dataset.limit is None)
    return dataset


def names(sample: Sample, folder: Path) -> list[str]:
    """The sample's images by their paths below a folder."""
    return [Path(image).relative_to(folder).as_posix() for image in sample.images]


def right(sample: Sample) -> str:
    """The right image or caption."""
    assert sample.answer is not None
    return alternatives(sample)[sample.answer]


def wrong(sample: Sample) -> str:
    """The other of two images or captions."""
    one, other = alternatives(sample)
    return other if sample.answer == 0 else one


def alternatives(sample: Sample) -> Sequence[str]:
    return sample.texts if len(sample.texts) > 1 else sample.images[sample.has_reference :]


def preferred(samples: Iterable[Sample]) -> list[tuple[str, str]]:
    """The right one and the other of each sample: captions, or the names of image files without their kind."""
    return [
        (right(sample), wrong(sample))
        if len(sample.texts) > 1
        else (Path(right(sample)).stem, Path(wrong(sample)).stem)
        for sample in samples
    ]


def are_balanced(samples: Sequence[Sample]) -> bool:
    """Whether each place is right in about half of the samples: five standard deviations at most from it."""
    firsts = sum(sample.answer == 0 for sample in samples)
    return abs(firsts - len(samples) / 2) < 2.5 * len(samples) ** 0.5


def clusters(dataset: Dataset) -> Counter[str | None]:
    """How many samples share each cluster."""
    return Counter(sample.cluster for sample in dataset.samples)
