"""Which dataset an upload is about: what its author says, or else its contents or its name."""

from __future__ import annotations

from dataclasses import replace

from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.errors import DataError
from qbench.formats import predictions
from qbench.formats.reading import Reading
from qbench.rows import shorten

_FIX = "choose the dataset, or name the file after it as in koniq.json"
_UNLISTED = ("perception", *predictions.TASKS)


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
    if named is None and (asked or reading.dataset) and reading.task in _UNLISTED:
        return name, reading  # sets of which results are published, but no list
    if named is None and asked:
        raise DataError(f"no dataset is called {shorten(name)}; {_FIX}")
    facts = _list_for(named, reading) if reading.presented else named
    if facts is None:
        raise DataError(f"{reading.path.name} does not say which dataset it is about; {_FIX}")
    if not facts.takes(reading.task):
        raise DataError(
            f"{reading.path.name} holds {reading.kind}, which are results of {reading.task}, "
            f"but {facts.title} is a dataset of {facts.task}; choose the dataset it is about"
        )
    return facts, _about(reading, named) if named and named is not facts else reading


def _list_for(named: DatasetFacts | None, reading: Reading) -> DatasetFacts | None:
    """The published list that comparisons belong to: the one the file names, or the one that samples their images."""
    said = find_dataset(reading.dataset)
    if said and named and named.name in (said.sampled_from, *said.sets):
        return said
    about = {named.name} if named else {one.dataset for one in reading.presented}
    known = [find_dataset(name) if name else None for name in about]
    lists = (one for one in known_datasets() if one.sets and all(each and each.name in one.sets for each in known))
    return next(lists, named)


def _about(reading: Reading, dataset: DatasetFacts) -> Reading:
    """Comparisons that do not say themselves which dataset their images are from."""
    presented = tuple(replace(one, dataset=one.dataset or dataset.name) for one in reading.presented)
    return replace(reading, presented=presented)
