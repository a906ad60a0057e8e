"""Which dataset a file of results is about: what its author says, or else its contents or its name."""

from __future__ import annotations

import re
from dataclasses import replace

from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.errors import DataError
from qbench.formats.reading import Reading
from qbench.rows import shorten
from qbench.tasks import TASKS

_FIX = "choose the dataset, or name the file after it as in koniq.json"
_NAMES = (
    (r"llvisionqa[_-](dev|test)", "llvisionqa-{}"),
    (r"qbench_a1_(dev|test)", "llvisionqa-{}"),  # Q-Align
    (r"q-bench1_(val)", "llvisionqa-dev"),  # VLMEvalKit
    (r"q-bench1_(test)", "llvisionqa-test"),
    (r"a-bench_(val)", "a-bench-dev"),
    (r"a-bench_(test)", "a-bench-test"),
    (r"q-?bench2[_-](?:a1[_-])?(dev|test)", "q-bench2-{}"),
    (r"(?<![a-z0-9])qbench_(dev|test)", "llvisionqa-{}"),  # lmms-eval
    (r"(?<![a-z0-9])abench_(dev|test)", "a-bench-{}"),
)


def find_subject(reading: Reading, asked: str) -> tuple[DatasetFacts | str, Reading]:
    """The dataset that the author names, or else the file; and the reading, whose comparisons say it too.

    Comparisons of images of a dataset are results on the published list that samples it.

    Args:
        reading: What was read.
        asked: Name of the dataset as its author gives it; empty for what the file says.

    Raises:
        DataError: Nobody names it, or it belongs to another task.
    """
    name = asked or reading.dataset or reading.path.stem
    named = find_dataset(name)
    if named is None and (asked or reading.dataset) and TASKS[reading.task].brings_its_answers:
        return name, reading  # sets of which results are published, but no list
    if named is None and asked:
        raise DataError(f"no dataset is called {shorten(name)}; {_FIX}")
    facts, placed = find_list(named, reading) if reading.presented else (named, reading)
    if facts is None:
        raise DataError(f"{reading.path.name} does not say which dataset it is about; {_FIX}")
    if not takes_results(facts, reading.task):
        raise DataError(
            f"{reading.path.name} holds {reading.kind}, which are results of {reading.task}, "
            f"but {facts.title} is a dataset of {facts.task}; choose the dataset it is about"
        )
    return facts, placed


def takes_results(facts: DatasetFacts, task: str) -> bool:
    """Whether results of a task can be about a dataset, as those of the dataset's own task are."""
    return task == facts.task or (TASKS[task].rates_images and TASKS[facts.task].rates_images)


def find_list(named: DatasetFacts | None, reading: Reading) -> tuple[DatasetFacts | None, Reading]:
    """The published list that comparisons belong to, and the comparisons, each with the dataset of its images.

    Args:
        named: The dataset that they are said to be about: the list itself, or the dataset that it samples.
        reading: The comparisons.
    """
    listed = _list_for(named, reading)
    if named is None or named is listed:
        return listed, reading
    presented = tuple(replace(shown, dataset=shown.dataset or named.name) for shown in reading.presented)
    return listed, replace(reading, presented=presented)


def _list_for(named: DatasetFacts | None, reading: Reading) -> DatasetFacts | None:
    """The list that the file names, or else the one that samples the dataset of the images."""
    by_file = find_dataset(reading.dataset)
    if by_file and named and named.name in (by_file.sampled_from, *by_file.sets):
        return by_file
    about = {named.name} if named else {shown.dataset for shown in reading.presented}
    known = [find_dataset(name) if name else None for name in about]
    lists = (listed for listed in known_datasets() if listed.sets)
    return next((listed for listed in lists if all(facts and facts.name in listed.sets for facts in known)), named)


def dataset_in(name: str) -> str:
    """The dataset that a file name mentions: whole, between dots, or as tools write it; empty where it does not."""
    for part in (name, *name.split(".")):
        facts = find_dataset(part)
        if facts:
            return facts.name
    for pattern, dataset in _NAMES:
        found = re.search(pattern, name.casefold())
        if found:
            return dataset.format(found[1])
    return ""
