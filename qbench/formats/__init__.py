"""Files of results people really have, recognised by what they hold, never by their names; archives of them too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path, PurePath

from qbench.archives import is_workbook
from qbench.datasets.fields import LETTERS_ALONE, inner_fields, options_of, records_within, with_our_names
from qbench.errors import DataError
from qbench.formats import packed, reported
from qbench.formats.reading import READABLE, Format, FormatDescription, Reading, cut_replies
from qbench.formats.record_kinds import FORMATS
from qbench.formats.sheets import read_sheet
from qbench.formats.subject import dataset_in
from qbench.records import Presented, Response, Sample
from qbench.rows import MOST_BAD, Complaints, File, Row, is_number, read_file, read_rows, shorten
from qbench.tasks.task import Answered

DESCRIPTIONS: tuple[FormatDescription, ...] = (*reported.DESCRIPTIONS, *packed.DESCRIPTIONS, *FORMATS)
"""Every kind of upload, as people are told of it."""
_TRIED = 20
"""Records at the beginning of a file of which one must be of a known kind."""
_FIX = "mend or remove them and score the file again"


def read_results(
    file: Path | File, most: int | None = None, allowed: float = MOST_BAD, columns: Mapping[str, str] | None = None
) -> Reading:
    """Read a file of at most so many raw results.

    Records that cannot be used are left out and counted, up to the share `allowed` of them. `columns` are fields by
    the names used here, where a person says which is which; else they are told by what other tools call them, where no
    record is of a known kind.

    Raises:
        DataError: It is no such file, or more of its records cannot be used; the first is named, the rest are counted.
    """
    file = read_file(file) if isinstance(file, Path) else file
    path = PurePath(file.name)
    complaints = Complaints(path, allowed)
    rows = _rows(file, most, complaints)
    head = list(islice(rows, _TRIED))
    if not head:
        complaints.raise_if_any(_FIX)  # for a file without any record has been refused
    asked: dict[str, str] = {}
    if columns or not any(map(_is_known, head)):
        named = partial(with_our_names, number="score", columns=columns)
        told = list(map(named, head))
        if columns or any(map(_is_known, told)):
            asked = (
                {"note": LETTERS_ALONE}
                if "reply" in told[0].data and not options_of(inner_fields(head[0].data))
                else {}
            )
            head, rows = told, map(named, rows)
    kind = _recognise(next(filter(_is_known, head), head[0]), file)
    first = next(row for row in head if kind.recognise(row))
    task, dataset = kind.subject(first) if kind.subject else (kind.task, dataset_in(path.stem))
    samples: dict[str, Sample] = {}
    responses: dict[str, Response] = {}
    presented: list[Presented] = []
    repeats = 0
    for row in chain(head, rows):
        try:
            item = _read(row, kind, (task, dataset))
        except DataError as error:
            complaints.add(str(error))
            continue
        if isinstance(item, Presented):
            presented.append(item)
            continue
        sample, response = item
        if sample.id not in samples:
            samples[sample.id], responses[sample.id] = sample, response
        elif (samples[sample.id], responses[sample.id]) == item:
            repeats += 1
        else:
            complaints.add(f"{row.place}: {shorten(sample.id)} was given before with other values")
    read = len(samples) + len(presented) + repeats + complaints.count
    complaints.raise_if_many(read, _FIX)
    replies, cut = cut_replies(responses)
    return Reading(
        path=path,
        kind=kind.kind,
        task=task,
        samples=samples,
        responses=replies,
        presented=tuple(presented),
        status={"read": read, "repeated": repeats, **cut},
        sha256=file.sha256,
        dataset=dataset,
        complaints=complaints,
        asked=asked,
    )


def find_format(file: File) -> Format | None:
    """The format of a file, by its first record; None where it is nothing that is known."""
    try:
        return next((_recognise(row, file) for row in _rows(file, None)), None)
    except DataError:
        return None


def _read(row: Row, kind: Format, subject: tuple[str, str]) -> Answered | Presented:
    if not kind.recognise(row):
        raise DataError(f"{row.place}: has the fields {shorten(sorted(row.data))}, while record 1 holds {kind.kind}")
    if kind.subject and kind.subject(row) != subject:
        raise DataError(f"{row.place}: is of another task or dataset than record 1")
    return kind.read(row)


def _rows(file: File, most: int | None, complaints: Complaints | None = None) -> Iterator[Row]:
    """Records of a file; those that it wraps into one object, as older versions of lmms-eval do, one by one."""
    if is_workbook(file.content):
        yield from read_sheet(file, most)
        return
    for place, row in enumerate(read_rows(file, most, READABLE, complaints)):
        if place == 0 and not _is_known(row) and (records := records_within(row.data)):
            yield from (Row(record, f"record {number:,}") for number, record in enumerate(records, start=1))
        else:
            yield row


def _is_known(row: Row) -> bool:
    return any(known.recognise(row) for known in FORMATS)


def _recognise(row: Row, file: File) -> Format:
    for known in FORMATS:
        if known.recognise(row):
            return known
    expected = "; ".join(f"{known.kind} ({known.fields})" for known in FORMATS)
    names = [name for name, value in row.data.items() if not is_number(value)]
    numbers = [name for name, value in row.data.items() if is_number(value)]
    says = f"image={names[0] if names else 'COLUMN'} score={numbers[-1] if numbers else 'COLUMN'}"
    raise DataError(
        f"{file.name}: {row.place} has the fields {shorten(sorted(row.data))}, none of the known kinds: {expected}; or "
        f"say which column is which, such as --columns {says}"
    )
