"""How a kind of file is described to people, recognised and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qbench.records import Presented, Response, Sample
from qbench.rows import Row

READABLE = "results are JSON, JSON lines, CSV, TSV, XLSX, or a zip of such files"
"""Said to whoever gives a file of another kind."""


@dataclass(frozen=True)
class FormatDescription:
    """A kind of file, as a line of the table on the Submit page."""

    what: str
    recognised_by: str
    """Fields, or how its files are laid out; in Markdown."""
    examples: tuple[str, ...]
    """Files in `assets/examples`."""


@dataclass(frozen=True)
class AnsweredRecord:
    """What one record holds: what was asked, as far as it tells, and what came back."""

    sample: Sample
    response: Response


@dataclass(frozen=True)
class Format:
    """A kind of file whose records are read one by one."""

    kind: str
    """What reports and errors call its records."""
    description: FormatDescription
    fields: str
    """What a record looks like: its fields, and one whole record."""
    example: str
    recognise: Callable[[Row], bool]
    """Whether a record is of this kind; the first format of the table that says so reads the file."""
    read: Callable[[Row], AnsweredRecord | Presented]
    """Raises DataError where the record is malformed."""
    task: str = ""
    """Whose results the records are; empty where `subject` tells."""
    subject: Callable[[Row], tuple[str, str]] | None = None
    """Task and dataset that a record names; None where only the file's name may tell the dataset."""
