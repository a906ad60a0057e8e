"""Paired comparisons: JSONL or CSV, one presented order a line: `first`, `second`, `choice`, `dataset`."""

from __future__ import annotations

from qbench.errors import DataError
from qbench.formats.format import Format, FormatDescription
from qbench.records import Presented
from qbench.rows import Row, shorten
from qbench.tasks import comparison

CHOICES = ("first", "second", "tie", None)
NO_ANSWER = ("", "null")
"""How a CSV file, which has only text, leaves a choice out."""


def recognise(row: Row) -> bool:
    """Whether the record is one presented comparison."""
    return {"first", "second", "choice"} <= row.data.keys()


def read(row: Row) -> Presented:
    """The comparison; anything but first, second, tie or null is refused."""
    first, second, choice = row.data["first"], row.data["second"], row.data["choice"]
    choice = None if choice in NO_ANSWER else choice
    for name in (first, second):
        if not isinstance(name, str) or not name:
            raise DataError(f"{row.place}: an image is {shorten(name)}, not a name")
    if choice not in CHOICES:
        raise DataError(f"{row.place}: choice is {shorten(choice)}, not first, second, tie or null")
    if first == second:
        raise DataError(f"{row.place}: {shorten(first)} is compared with itself")
    dataset = row.data.get("dataset") or None
    if dataset is not None and not isinstance(dataset, str):
        raise DataError(f"{row.place}: dataset is {shorten(dataset)}, not a name")
    return Presented(first, second, choice, dataset)


FORMAT = Format(
    kind="comparisons",
    description=FormatDescription(
        "Comparisons, one presented order a line", "`first`, `second`, `choice`", ("comparisons.jsonl",)
    ),
    fields="first, second, choice",
    example='{"first": "a.jpg", "second": "b.jpg", "choice": "first", "dataset": "koniq-10k"}',
    recognise=recognise,
    read=read,
    task=comparison.NAME,
)
