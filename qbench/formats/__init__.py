"""Files of results people really have, recognised by their fields, never by their names.

Each module reads one kind: its `recognise(row)` looks at the fields of a record, its `read(row)` turns the record into
what was asked (`Sample`, as far as the file tells), and what came back (`Response`). `FIELDS` and `EXAMPLE` say what
records of the kind look like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from qbench.errors import DataError
from qbench.formats import answers, comparisons, lmms_eval, logits, predictions, scores, sheets, vlmevalkit
from qbench.formats.naming import dataset_in
from qbench.formats.reading import Reading
from qbench.records import Presented, Response, Sample
from qbench.rows import Complaints, Row, digest, read_rows, shorten

KINDS: Mapping[str, ModuleType] = {
    "word logits": logits,
    "comparisons": comparisons,
    "lmms-eval samples": lmms_eval,
    "VLMEvalKit predictions": vlmevalkit,
    "choices": predictions,
    "answers": answers,
    "scores": scores,
}


def read_results(path: Path, most: int | None = None) -> Reading:
    """Read a file of at most so many raw results; DataError names the first offending record and counts the rest."""
    complaints = Complaints(path)
    samples: dict[str, Sample] = {}
    responses: dict[str, Response] = {}
    presented: list[Presented] = []
    kind, task, dataset, read, repeats = "", "", "", 0, 0
    for row in _rows(path, most):
        read += 1
        if not kind:
            kind = _recognise(row, path)
            chosen = kind == "choices"
            task = predictions.task_of(row) if chosen else KINDS[kind].TASK
            dataset = predictions.dataset_of(row) if chosen else dataset_in(path.stem)
        if not KINDS[kind].recognise(row):
            complaints.add(f"{row.place}: has the fields {shorten(sorted(row.data))}, while record 1 holds {kind}")
            continue
        if kind == "choices" and (row.data["task"], predictions.dataset_of(row)) != (task, dataset):
            complaints.add(f"{row.place}: is of another task or dataset than record 1")
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
        task=task,
        samples=samples,
        responses=responses,
        presented=tuple(presented),
        status={"read": read, "repeated": repeats},
        sha256=digest(path),
        dataset=dataset,
    )


def kind_of(path: Path) -> str:
    """What the first record is; empty where it is nothing that is known."""
    try:
        return next((_recognise(row, path) for row in _rows(path, None)), "")
    except DataError:
        return ""


def _rows(path: Path, most: int | None) -> Iterator[Row]:
    """Records of a file; those that older versions of lmms-eval wrap into one object, one by one."""
    if path.is_file() and sheets.is_workbook(path):
        yield from sheets.read_sheet(path, most)
        return
    for row in read_rows(path, most):
        logs = row.data.get("logs")
        if isinstance(logs, list) and {"args", "model_configs"} & row.data.keys():
            for number, one in enumerate(logs, start=1):
                if not isinstance(one, dict):
                    raise DataError(f"{path.name}: log {number:,} is {shorten(one)}, not an object")
                yield Row(one, f"log {number:,}")
        else:
            yield row


def _recognise(row: Row, path: Path) -> str:
    for kind, reader in KINDS.items():
        if reader.recognise(row):
            return kind
    expected = "; ".join(f"{kind} ({reader.FIELDS})" for kind, reader in KINDS.items())
    raise DataError(
        f"{path.name}: {row.place} has the fields {shorten(sorted(row.data))}, none of the known kinds: {expected}"
    )
