"""Files of results people really have, recognised by what they hold, never by their names; archives of them too.

Each kind of file whose records are read one by one is a module with a `FORMAT`, and a line of the table here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from qbench.errors import DataError
from qbench.formats import (
    answers,
    choices,
    comparisons,
    lmms_eval,
    logits,
    reported,
    runs,
    scores,
    sheets,
    twoafc_folders,
    vlmevalkit,
)
from qbench.formats.dataset_of import dataset_in
from qbench.formats.format import READABLE, AnsweredRecord, Format, FormatDescription
from qbench.formats.reading import Reading, cut_replies
from qbench.records import Presented, Response, Sample
from qbench.rows import Complaints, Row, digest, read_rows, shorten

FORMATS: tuple[Format, ...] = (
    logits.FORMAT,
    comparisons.FORMAT,
    lmms_eval.FORMAT,
    vlmevalkit.FORMAT,
    choices.FORMAT,
    answers.FORMAT,
    scores.FORMAT,
)
"""Every kind whose records are read one by one; the first that recognises a record reads the file."""
DESCRIPTIONS: tuple[FormatDescription, ...] = (
    *reported.DESCRIPTIONS,
    runs.DESCRIPTION,
    twoafc_folders.DESCRIPTION,
    *(known.description for known in FORMATS),
)
"""Every kind of upload, as people are told of it."""


def read_results(path: Path, most: int | None = None, before_each: Callable[[], None] = lambda: None) -> Reading:
    """Read a file of at most so many raw results; DataError names the first offending record and counts the rest.

    Args:
        path: The file.
        most: Records.
        before_each: Called before each record, to stop where reading takes too long.
    """
    rows = _rows(path, most)
    first = next(rows, None)
    if first is None:
        raise DataError(f"{path.name} holds no records")
    kind = _recognise(first, path)
    task, dataset = kind.subject(first) if kind.subject else (kind.task, dataset_in(path.stem))
    complaints = Complaints(path)
    samples: dict[str, Sample] = {}
    responses: dict[str, Response] = {}
    presented: list[Presented] = []
    read, repeats = 0, 0
    for row in chain((first,), rows):
        before_each()
        read += 1
        try:
            item = _read(row, kind, (task, dataset))
        except DataError as error:
            complaints.add(str(error))
            continue
        if isinstance(item, Presented):
            presented.append(item)
        elif (name := item.sample.id) not in samples:
            samples[name], responses[name] = item.sample, item.response
        elif (samples[name], responses[name]) == (item.sample, item.response):
            repeats += 1
        else:
            complaints.add(f"{row.place}: {shorten(name)} was given before with other values")
    complaints.raise_if_any("mend or remove them and score the file again")
    replies, cut = cut_replies(responses)
    return Reading(
        path=path,
        kind=kind.kind,
        task=task,
        samples=samples,
        responses=replies,
        presented=tuple(presented),
        status={"read": read, "repeated": repeats, **cut},
        sha256=digest(path),
        dataset=dataset,
    )


def find_format(path: Path) -> Format | None:
    """The format of a file, by its first record; None where it is nothing that is known."""
    try:
        return next((_recognise(row, path) for row in _rows(path, None)), None)
    except DataError:
        return None


def _read(row: Row, kind: Format, subject: tuple[str, str]) -> AnsweredRecord | Presented:
    if not kind.recognise(row):
        raise DataError(f"{row.place}: has the fields {shorten(sorted(row.data))}, while record 1 holds {kind.kind}")
    if kind.subject and kind.subject(row) != subject:
        raise DataError(f"{row.place}: is of another task or dataset than record 1")
    return kind.read(row)


def _rows(path: Path, most: int | None) -> Iterator[Row]:
    """Records of a file; those that older versions of lmms-eval wrap into one object, one by one."""
    if path.is_file() and sheets.is_workbook(path):
        yield from sheets.read_sheet(path, most)
        return
    for row in read_rows(path, most, READABLE):
        logs = row.data.get("logs")
        if isinstance(logs, list) and {"args", "model_configs"} & row.data.keys():
            for number, log in enumerate(logs, start=1):
                if not isinstance(log, dict):
                    raise DataError(f"{path.name}: log {number:,} is {shorten(log)}, not an object")
                yield Row(log, f"log {number:,}")
        else:
            yield row


def _recognise(row: Row, path: Path) -> Format:
    for known in FORMATS:
        if known.recognise(row):
            return known
    expected = "; ".join(f"{known.kind} ({known.fields})" for known in FORMATS)
    raise DataError(
        f"{path.name}: {row.place} has the fields {shorten(sorted(row.data))}, none of the known kinds: {expected}"
    )
