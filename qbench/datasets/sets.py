"""The image sets of a published list, each a dataset of its own name: the coarse study of 2AFC prompting has eight.

Zhu et al. (2024), Sec. III and Table I, https://arxiv.org/abs/2402.01162.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.datasets.recognise import SET
from qbench.records import Sample


@dataclass(frozen=True)
class SetList:
    """The list that a set of images is in."""

    facts: DatasetFacts
    path: Path


def list_of_set(facts: DatasetFacts, task: str | None = None) -> DatasetFacts | None:
    """The published list that has this dataset as one of its sets, where that is what is asked for."""
    if (task or facts.task) != "comparison":
        return None
    return next((listed for listed in known_datasets() if facts.name in listed.sets), None)


def find_set_list(facts: DatasetFacts, root: Path, given: Path | None = None) -> SetList | None:
    """Where the list lies that has this dataset as a set; None where it is no set, or the list is not here.

    Args:
        facts: Of the set.
        root: The data root; the list may be in the folder of the set or in its own.
        given: A folder that it may be in besides.
    """
    listed = list_of_set(facts, "comparison")
    if listed is None or listed.sample_list is None:
        return None
    folders = [*([given] if given else []), root / facts.name, root / listed.name]
    path = next((folder / listed.sample_list for folder in folders if (folder / listed.sample_list).is_file()), None)
    return SetList(listed, path) if path else None


def set_samples(samples: Iterable[Sample], facts: DatasetFacts) -> list[Sample]:
    """Those samples of a list that are of one set, however the list spells its name."""
    return [sample for sample in samples if _dataset_of(sample) == facts]


def set_folders(facts: DatasetFacts, samples: Sequence[Sample], root: Path) -> list[Path]:
    """Folders that the images of a list may be in: its own, then those of the datasets it was sampled from."""
    names = [facts.name, facts.sampled_from, *(found.name for found in map(_dataset_of, samples) if found)]
    return [root / name for name in dict.fromkeys(names) if name]


def _dataset_of(sample: Sample) -> DatasetFacts | None:
    name = sample.groups.get(SET)
    return find_dataset(name) if name else None
