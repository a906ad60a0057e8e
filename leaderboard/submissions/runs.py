"""Records of `python -m qbench run` beside the raw replies they name, handed in together.

The replies to questions can be scored again here because the record tells the order in which options were shown; of
other tasks than these two the record's own figures are taken, as those of a record that comes alone are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qbench.errors import DataError
from qbench.formats import read_results
from qbench.formats.reading import Reading
from qbench.records import Response, Result, Sample
from qbench.rows import Complaints, Row, digest, finite, read_rows, shorten
from qbench.tasks.perception import shuffle_options

SCORED_AGAIN = ("perception", "assessment")
KIND = "replies of a run"
_MOST_FILES = 100
"""An archive of more is something else."""
_LARGEST_RECORD = 2**20
_CACHE = {"key", "response"}
"""Fields of the answers that `run` keeps for itself, in `responses.jsonl`."""
_SEED = re.compile(r"shuffled with seed (\d{1,18})")


@dataclass(frozen=True)
class Run:
    """One record with its raw replies."""

    record: Result
    record_file: Path
    raw_file: Path

    def as_shown(self, sample: Sample) -> Sample:
        """A sample of the list as the model saw it."""
        found = _SEED.fullmatch(str(self.record.protocol.get("options")))
        if self.record.task != "perception":
            return sample
        if not found:
            raise DataError(f"{self.record_file.name} does not tell the seed by which its options were shuffled")
        return shuffle_options(sample, int(found[1]))

    @property
    def said(self) -> dict[str, str]:
        """What the record says about how it was asked."""
        told = {name: self.record.protocol.get(name) for name in ("prompt", "options")}
        return {name: value for name, value in told.items() if isinstance(value, str)}


def take_runs(files: Sequence[Path]) -> tuple[list[Run], list[Path]]:
    """The runs among some files, and the files that belong to none of them."""
    if not 1 < len(files) <= _MOST_FILES:
        return [], list(files)
    by_digest = {digest(file): file for file in files}
    runs = []
    for file in files:
        record = _record(file)
        if record is not None and record.raw in by_digest:
            runs.append(Run(record, file, by_digest[record.raw]))
    used = {file for run in runs for file in (run.record_file, run.raw_file)}
    return runs, [file for file in files if file not in used and not (runs and _is_cache(file))]


def read_run(run: Run, most: int) -> Reading:
    """The raw replies of a run that is scored again.

    Raises:
        DataError: A reply that is malformed, by its number.
    """
    if run.record.task == "assessment":
        return read_results(run.raw_file, most)
    complaints = Complaints(run.raw_file)
    responses: dict[str, Response] = {}
    for row in read_rows(run.raw_file, most):
        if row.data.get("of") != "model":
            continue  # a judge's
        try:
            response = _response(row)
        except DataError as fault:
            complaints.add(str(fault))
            continue
        if response.sample in responses:
            complaints.add(f"{row.place}: {shorten(response.sample)} was answered before")
        responses[response.sample] = response
    complaints.raise_if_any("run it again and hand in what it writes")
    return Reading(
        path=run.raw_file,
        kind=KIND,
        task=run.record.task,
        samples={name: Sample(name) for name in responses},
        responses=responses,
        presented=(),
        status={"read": len(responses), "repeated": 0},
        sha256=digest(run.raw_file),
    )


def _response(row: Row) -> Response:
    sample, text, failure = row.text("sample"), row.data.get("text"), row.data.get("failure")
    if not sample:
        raise DataError(f"{row.place}: has no sample")
    for name, value in (("text", text), ("failure", failure)):
        if value is not None and not isinstance(value, str):
            raise DataError(f"{row.place}: {name} is {shorten(value)}, not text")
    return Response(sample, text=text, logits=_weights(row, "logits"), losses=_weights(row, "losses"), failure=failure)


def _weights(row: Row, name: str) -> Mapping[str, float]:
    given = row.data.get(name) or {}
    if not isinstance(given, dict):
        raise DataError(f"{row.place}: {name} is {shorten(given)}, not an object")
    return {word: finite(value, f"{row.place}: {name} of {shorten(word)}") for word, value in given.items()}


def _record(file: Path) -> Result | None:
    if file.stat().st_size > _LARGEST_RECORD:
        return None
    try:
        return Result.from_json(json.loads(file.read_bytes()))
    except (ValueError, RecursionError):
        return None


def _is_cache(file: Path) -> bool:
    try:
        return next(read_rows(file)).data.keys() == _CACHE
    except DataError:
        return False
