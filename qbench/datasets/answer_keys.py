"""What is right about the samples of a dataset, as far as this machine has it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qbench.datasets.demo import read_demo_set
from qbench.datasets.known import DatasetFacts
from qbench.datasets.manifest import read_manifest
from qbench.records import Sample


@dataclass(frozen=True)
class AnswerKey:
    """Human scores, or questions with answers, that results are measured against."""

    name: str
    """What to call it: the name of its file."""
    samples: tuple[Sample, ...]


def find_answer_key(facts: DatasetFacts, folder: Path) -> AnswerKey | None:
    """The answer key of a dataset; None where there is none with scores or answers.

    Args:
        facts: The dataset; demo sets are here and need no file.
        folder: Where published lists were put, each in a folder named after its dataset or all together.
    """
    if facts.truth == "construction":
        return AnswerKey(facts.title, read_demo_set(facts.name)[0])
    if facts.sample_list is None:
        return None
    places = (folder / facts.name / facts.sample_list, folder / facts.sample_list)
    path = next((path for path in places if path.is_file()), None)
    samples = tuple(read_manifest(path, facts)) if path else ()
    return AnswerKey(path.name, samples) if path and any(map(has_truth, samples)) else None


def has_truth(sample: Sample) -> bool:
    """Whether a human score of the sample is known, or which answer is right."""
    return sample.human is not None or sample.answer is not None
