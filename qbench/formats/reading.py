"""What a file of raw results holds, whatever its kind; and how a kind is described to people, recognised and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from qbench.records import Presented, Response, Sample
from qbench.rows import Complaints, Row
from qbench.tasks.task import Answered

READABLE = "results are JSON, JSON lines, CSV, TSV, XLSX, or a zip of such files"
"""Said to whoever gives a file of another kind."""
LONGEST_REPLY = 20_000
"""Characters of a reply that are read: an answer needs no more, and reading takes longer the longer one is."""


@dataclass(frozen=True)
class Reading:
    """One file, read and checked on its own; nothing is scored yet."""

    path: PurePath
    """What the file is called."""
    kind: str
    task: str
    status: Mapping[str, int]
    sha256: str
    samples: Mapping[str, Sample] = field(default_factory=dict)
    """What was asked, by sample id, with the truth as far as the file holds it."""
    responses: Mapping[str, Response] = field(default_factory=dict)
    presented: tuple[Presented, ...] = ()
    """Comparisons in asking order; empty for every other kind."""
    dataset: str = ""
    """The dataset that the file says it is about; empty where it does not."""
    model: str = ""
    """The model that the file says it is of; empty where it does not."""
    options_seed: int | None = None
    """By which the options of every question were shuffled; None where they were shown in the order of the list."""
    words: Mapping[str, tuple[str, ...]] | None = None
    """The words whose logits the quality score was made from, where the file says it."""
    judged: Mapping[str, str] | None = None
    """What a judge wrote of replies that the parser left unread, by sample; None where none was asked."""
    complaints: Complaints | None = None
    """Of records that were left out; None where each must be usable."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """What the file says about how the model was asked, as the protocol of its record is to say it."""


@dataclass(frozen=True)
class FormatDescription:
    """A kind of file, as a line of the table on the Submit page."""

    what: str
    recognised_by: str
    """Fields, or how its files are laid out; in Markdown."""
    examples: tuple[str, ...]
    """Files in `assets/examples`."""


@dataclass(frozen=True)
class Format(FormatDescription):
    """A kind of file whose records are read one by one."""

    kind: str
    """What reports and errors call its records."""
    fields: str
    """What a record looks like: its fields, and one whole record."""
    example: str
    recognise: Callable[[Row], bool]
    """Whether a record is of this kind; the first format of the table that says so reads the file."""
    read: Callable[[Row], Answered | Presented]
    """What was asked, as far as a record tells, and what came back. Raises DataError where the record is malformed."""
    task: str = ""
    """Whose results the records are; empty where `subject` tells."""
    subject: Callable[[Row], tuple[str, str]] | None = None
    """Task and dataset that a record names; None where only the file's name may tell the dataset."""


def cut_replies(responses: Mapping[str, Response]) -> tuple[dict[str, Response], dict[str, int]]:
    """Replies of that length at most, and how many were longer, for the status; nothing where none was."""
    cut = {name: response for name, response in responses.items() if len(response.text or "") > LONGEST_REPLY}
    shorter = {name: replace(response, text=(response.text or "")[:LONGEST_REPLY]) for name, response in cut.items()}
    return {**responses, **shorter}, {"cut": len(cut)} if cut else {}


def question_key(images: Iterable[str], question: str) -> str:
    """What names a question that has no id."""
    return "\n".join([*images, question])
