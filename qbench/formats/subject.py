"""Which dataset a file of results is about: the one door, for `score` and for what is handed in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from qbench.datasets import known
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.datasets.places import AnswerKey
from qbench.errors import DataError, UserError
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


@dataclass(frozen=True)
class Subject:
    """What was read, and the dataset that it is about."""

    reading: Reading
    """Its comparisons say which dataset their images are of."""
    facts: DatasetFacts | None
    name: str
    """Of the dataset, as it is called where nothing is known of it; empty where nobody names it."""


def identify(
    reading: Reading, asked: str = "", key: AnswerKey | None = None, *, sampled: bool = False, for_board: bool = False
) -> Subject:
    """The dataset that somebody names, or the file, or the answers that it is held against.

    Where the file is `sampled`, comparisons of a dataset's images are results on the published list that samples it;
    what is handed in `for_board` must be of a dataset that is known here.

    Raises:
        UserError: Nobody names it, its scores may be DMOS, or it is a dataset of another task.
    """
    name = asked or reading.dataset or reading.path.stem
    named = find_dataset(name)
    said = asked or reading.dataset
    if for_board and named is None and said and TASKS[reading.task].brings_its_answers:
        return Subject(reading, None, name)  # sets of which results are published, but no list
    if for_board and named is None and asked:
        raise DataError(f"no dataset is called {shorten(name)}; {_FIX}")
    if not asked and not for_board:
        named = _by_contents(reading, named, key)
    if named:
        _refuse_other_task(reading, named, for_board)
    facts, placed = _with_list(named, reading) if reading.presented and (sampled or for_board) else (named, reading)
    if for_board and facts is None:
        raise DataError(f"{reading.path.name} does not say which dataset it is about; {_FIX}")
    return Subject(placed, facts, facts.name if facts else said)


def _by_contents(reading: Reading, named: DatasetFacts | None, key: AnswerKey | None) -> DatasetFacts | None:
    """The dataset of a file that nobody names, by the list that it is held against, or else by the file's name."""
    if key:
        listed = known.find_published_list(key.samples)
        return listed if listed and (named is None or named.name == listed.sampled_from) else named
    dmos = next(filter(None, map(known.dmos_dataset, reading.samples.values())), None) if named is None else None
    if dmos:
        raise UserError(
            f"{reading.path.name} names images as {dmos.title} does, whose published scores are DMOS; say --dataset "
            f"{dmos.name} if its gt_score is lower for the better image, or else name it otherwise, --dataset NAME"
        )
    return named


def _refuse_other_task(reading: Reading, named: DatasetFacts, for_board: bool) -> None:
    drawn = [] if for_board else [listed for listed in known.known_datasets() if listed.sampled_from == named.name]
    rates = TASKS[reading.task].rates_images
    if any(reading.task == facts.task or (rates and TASKS[facts.task].rates_images) for facts in (named, *drawn)):
        return
    fix = "choose the dataset it is about" if for_board else "name the dataset that they are about with --dataset"
    raise DataError(
        f"{reading.path.name} holds {reading.kind}, which are results of {reading.task}, "
        f"but {named.title} is a dataset of {named.task}; {fix}"
    )


def _with_list(named: DatasetFacts | None, reading: Reading) -> tuple[DatasetFacts | None, Reading]:
    """The published list that comparisons belong to, and the comparisons, each with the dataset of its images.

    It is the list that the file names, or else the one that samples the dataset of the images.
    """
    by_file = find_dataset(reading.dataset)
    if by_file and named and named.name in (by_file.sampled_from, *by_file.sets):
        listed: DatasetFacts | None = by_file
    else:
        about = {named.name} if named else {shown.dataset or "" for shown in reading.presented}
        listed = known.list_with_sets(about) or named
    if named is None or named is listed:
        return listed, reading
    presented = tuple(replace(shown, dataset=shown.dataset or named.name) for shown in reading.presented)
    return listed, replace(reading, presented=presented)


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
