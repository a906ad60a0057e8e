"""Files of results people really have, recognised by their fields, never by their names.

Each module reads one kind: its `recognise(row)` looks at the fields of a record, its `read(row)` turns the record into
what was asked (`Sample`, as far as the file tells), and what came back (`Response`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from qbench.errors import DataError
from qbench.formats import answers, comparisons, logits, scores
from qbench.records import Presented, Response, Sample
from qbench.rows import Complaints, Row, digest, read_rows, shorten

KINDS: Mapping[str, ModuleType] = {
    "word logits": logits,
    "comparisons": comparisons,
    "answers": answers,
    "scores": scores,
}


@dataclass(frozen=True)
class Reading:
    """One file, read and checked on its own; nothing is scored yet."""

    path: Path
    kind: str
    task: str
    samples: Mapping[str, Sample]
    """What was asked, by sample id, with the truth as far as the file holds it."""
    responses: Mapping[str, Response]
    presented: tuple[Presented, ...]
    """Comparisons in asking order; empty for every other kind."""
    status: Mapping[str, int]
    sha256: str


def read_results(path: Path) -> Reading:
    """Read a file of raw results; DataError names the first offending record and counts the rest."""
    complaints = Complaints(path)
    samples: dict[str, Sample] = {}
    responses: dict[str, Response] = {}
    presented: list[Presented] = []
    kind, read, repeats = "", 0, 0
    for row in read_rows(path):
        read += 1
        kind = kind or _recognise(row, path)
        if not KINDS[kind].recognise(row):
            complaints.add(f"{row.place}: has the fields {shorten(sorted(row.data))}, while record 1 holds {kind}")
            continue
        try:
            if kind == "comparisons":
                presented.append(comparisons.read(row))
                continue
            sample, response = KINDS[kind].read(row)
        except DataError as error:
            complaints.add(str(error))
            continue
        if sample.id not in samples:
            samples[sample.id], responses[sample.id] = sample, response
        elif (samples[sample.id], responses[sample.id]) == (sample, response):
            repeats += 1
        else:
            complaints.add(f"{row.place}: {shorten(sample.id)} was given before with other values")
    complaints.raise_if_any("mend or remove them and score the file again")
    return Reading(
        path=path,
        kind=kind,
        task=KINDS[kind].TASK,
        samples=samples,
        responses=responses,
        presented=tuple(presented),
        status={"read": read, "repeated": repeats},
        sha256=digest(path),
    )


def _recognise(row: Row, path: Path) -> str:
    for kind, reader in KINDS.items():
        if reader.recognise(row):
            return kind
    expected = "; ".join(f"{kind} ({reader.FIELDS})" for kind, reader in KINDS.items())
    raise DataError(
        f"{path.name}: {row.place} has the fields {shorten(sorted(row.data))}, none of the known kinds: {expected}"
    )
