"""Records of `python -m qbench run` beside the raw replies they name, in one archive.

Replies to questions can be scored again because the record tells the order in which options were shown; what a judge
read of them, where the parser read nothing, is used and counted as in the run. Of other tasks than these two the
record's own figures are all there is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qbench.errors import DataError
from qbench.formats.format import FormatDescription
from qbench.formats.reading import Reading, cut_replies
from qbench.records import Response, Result, Sample
from qbench.rows import Complaints, Row, digest, explain_unreadable, finite, read_rows, shorten, unique_fields
from qbench.tasks import TASKS, read_stored_result
from qbench.tasks.asking import GRADED_BY
from qbench.tasks.perception import find_seed

SCORED_AGAIN = tuple(name for name, task in TASKS.items() if task.scored_again)
DESCRIPTION = FormatDescription(
    "A record and the raw replies it names, zipped (`RECORD.json` and `raw/…jsonl` of `--out`)",
    "the record's `raw` is the other file's digest; replies are scored again here",
    ("run.zip",),
)
_HOW_ASKED = ("prompt", "options", "scoring", "style", "prefill", "other_words", "scale", "max_tokens")
"""Fields of a record's protocol that its replies do not tell, and that say what they can be compared with."""
_PART = ("limit", "coverage")
"""Fields that say so: a record of a part stays one, whatever list it is scored by."""
_MOST_FILES = 100
"""An archive of more is something else."""
_LARGEST_RECORD = 2**20
_KEPT_BY_RUN = ({"key", "response"}, {"raw"})
"""Fields that files begin with which `run` keeps for itself: its answers, and what single items add to a record."""


@dataclass(frozen=True)
class RunFiles:
    """A record and the file of the replies that it was computed from."""

    record: Result
    record_file: Path
    raw_file: Path


def find_runs(files: Sequence[Path]) -> tuple[list[RunFiles], list[Path]]:
    """The runs among some files, and the files that belong to none of them."""
    if not 1 < len(files) <= _MOST_FILES:
        return [], list(files)
    by_digest = {digest(file): file for file in files}
    runs = []
    for file in files:
        record = _record(file)
        if record is not None and record.raw in by_digest:
            runs.append(RunFiles(record, file, by_digest[record.raw]))
    used = {file for run in runs for file in (run.record_file, run.raw_file)}
    return runs, [file for file in files if file not in used and not (runs and _is_kept_by_run(file))]


def read_run(run: RunFiles, most: int | None = None) -> Reading:
    """The raw replies of a run, with what its record says about how they were asked for.

    Raises:
        DataError: A reply that is malformed, by its number; or a run of a task that is not scored again.
    """
    record = run.record
    if record.task not in SCORED_AGAIN:
        raise DataError(
            f"{run.record_file.name} is the record of a run of {record.task}, and only runs of "
            f"{' and '.join(SCORED_AGAIN)} are scored again from their replies; leave it out, it holds its own figures"
        )
    return replace(
        _read_replies(run, most),
        dataset=record.dataset,
        model=record.model,
        options_seed=_options_seed(run) if "seed" in TASKS[record.task].options else None,
        words=_words(record),
        asked=_how_asked(record),
    )


def _options_seed(run: RunFiles) -> int:
    seed = find_seed(run.record.protocol)
    if seed is None:
        raise DataError(f"{run.record_file.name} does not tell the seed by which its options were shuffled")
    return seed


def _how_asked(record: Result) -> dict[str, Any]:
    """What the protocol says of it that is plain text, a whole number or true; and that only a part was asked about."""
    told = {name: record.protocol.get(name) for name in _HOW_ASKED}
    part = {name: record.protocol[name] for name in _PART if name in record.protocol}
    return {**{name: value for name, value in told.items() if isinstance(value, str | int) and value}, **part}


def _words(record: Result) -> dict[str, tuple[str, ...]] | None:
    """The words that the record says its scores were made from; None where it does not say."""
    words = record.protocol.get("words")
    sides = ("positive", "negative")
    if not isinstance(words, dict) or words.keys() != set(sides):
        return None
    listed = {side: tuple(words[side]) for side in sides if isinstance(words[side], list)}
    whole = len(listed) == len(sides) and all(isinstance(word, str) for side in sides for word in listed[side])
    return listed if whole else None


def _read_replies(run: RunFiles, most: int | None) -> Reading:
    complaints = Complaints(run.raw_file)
    responses: dict[str, Response] = {}
    judged: dict[str, str] = {}
    for row in read_rows(run.raw_file, most):
        if row.data.get("of") != "model":
            judged[row.text("sample") or ""] = row.text("text") or ""
            continue
        try:
            response = _response(row)
        except DataError as fault:
            complaints.add(str(fault))
            continue
        if response.sample in responses:
            complaints.add(f"{row.place}: {shorten(response.sample)} was answered before")
        responses[response.sample] = response
    complaints.raise_if_any("run it again and hand in what it writes")
    replies, cut = cut_replies(responses)
    return Reading(
        path=run.raw_file,
        kind="replies of a run",
        task=run.record.task,
        samples={name: Sample(name) for name in responses},
        responses=replies,
        presented=(),
        status={"read": len(responses), "repeated": 0, **cut},
        sha256=digest(run.raw_file),
        judged=judged if run.record.protocol.get("graded_by") == GRADED_BY["graded_by"] else None,
    )


def _response(row: Row) -> Response:
    sample, text, failure = row.text("sample"), row.data.get("text"), row.data.get("failure")
    if not sample:
        raise DataError(f"{row.place}: has no sample")
    for name, value in (("text", text), ("failure", failure)):
        if value is not None and not isinstance(value, str):
            raise DataError(f"{row.place}: {name} is {shorten(value)}, not text")
    return Response(
        sample,
        text=text,
        logits=_weights(row, "logits"),
        losses=_weights(row, "losses"),
        score=row.number("score") if row.data.get("score") is not None else None,
        failure=failure,
    )


def _weights(row: Row, name: str) -> Mapping[str, float]:
    given = row.data.get(name) or {}
    if not isinstance(given, dict):
        raise DataError(f"{row.place}: {name} is {shorten(given)}, not an object")
    return {word: finite(value, f"{row.place}: {name} of {shorten(word)}") for word, value in given.items()}


def _record(file: Path) -> Result | None:
    with explain_unreadable(file):
        if file.stat().st_size > _LARGEST_RECORD:
            return None
        content = file.read_bytes()
    try:
        return read_stored_result(json.loads(content, object_pairs_hook=unique_fields))
    except (ValueError, RecursionError):
        return None


def _is_kept_by_run(file: Path) -> bool:
    try:
        return next(read_rows(file)).data.keys() in _KEPT_BY_RUN
    except DataError:
        return False
