"""An upload -> a report: what is wrong with it, or its results, computed here as far as that is possible.

Truth held by the server goes before truth inside the file. What rests on the file's own truth, and aggregates that
somebody else computed, are marked as self-reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.beside import covers
from leaderboard.store.submission import Metadata
from leaderboard.submissions.report import Coverage, Problem, Report
from leaderboard.submissions.runs import SCORED_AGAIN, Run, read_run, take_runs
from leaderboard.submissions.subject import find_subject
from leaderboard.submissions.truth import Held, Truths, is_known
from leaderboard.submissions.unpack import LIMITS, Limits, unpack
from leaderboard.table import is_reference
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import DataError, UserError
from qbench.formats import KINDS, claims, kind_of, read_results, verdicts
from qbench.formats.reading import Reading
from qbench.models import catalogue
from qbench.pairing import ROUNDS
from qbench.records import Result, Sample
from qbench.rows import MOST_COMPLAINTS, shorten
from qbench.scoring import Truth, score_reading

MOST_RESULTS = 200


@dataclass(frozen=True)
class Asked:
    """What an author says about the file itself."""

    model: str
    dataset: str = ""
    """Empty where the files say it, by their names or inside."""


@dataclass(frozen=True)
class _Part:
    """What one file gave."""

    kind: str
    results: tuple[Result, ...]
    remarks: tuple[str, ...] = ()
    private: bool = False
    problem: Problem | None = None


def check(path: Path, asked: Asked, truths: Truths, limits: Limits = LIMITS) -> Report:
    """Read and score an upload; whatever it holds, the answer is a report."""
    try:
        _check_name(asked.model)
        with unpack(path, limits) as upload:
            ignored = [f"{len(upload.ignored):,} hidden files were left out."] if upload.ignored else []
            if verdicts.are_here(upload.names):
                parts = _verdicts(dict(zip(upload.names, upload.files, strict=True)), path, asked, truths)
            else:
                parts = _parts(upload.files, asked, truths, limits)
    except UserError as fault:
        return Report(problems=(_problem(path.name, fault),))
    problems = [part.problem for part in parts if part.problem]
    results = [result for part in parts for result in part.results]
    problems += _clashes(path.name, results)
    return Report(
        kinds=tuple(dict.fromkeys(part.kind for part in parts if part.kind)),
        problems=tuple(problems),
        results=tuple(results),
        coverage=tuple(_coverage(results)),
        remarks=tuple(dict.fromkeys([*(said for part in parts for said in part.remarks), *ignored])),
        private=any(part.private for part in parts),
    )


def _check_name(model: str) -> None:
    """Refuse what could not be kept, or would stand for people or random guess."""
    found = catalogue.find(model)
    if is_reference(found):
        raise UserError(f"{shorten(model)} is the name of a reference, not of a model; give the model's own name")
    try:
        Metadata(model=model)
    except ValueError as fault:
        raise UserError(str(fault)) from fault


def _parts(files: Sequence[Path], asked: Asked, truths: Truths, limits: Limits) -> list[_Part]:
    parts: list[_Part] = []
    runs, others = take_runs(files)
    both: list[Run | Path] = [*runs, *others]
    for one in both:
        file = one.raw_file if isinstance(one, Run) else one
        try:
            read = _run(one, asked, truths, limits) if isinstance(one, Run) else _part(one, asked, truths, limits)
            parts.append(read)
        except UserError as fault:
            reader = KINDS.get(kind_of(file))
            expected = (reader.FIELDS, reader.EXAMPLE) if reader else ("", "")
            parts.append(_Part("", (), problem=_problem(file.name, fault, *expected)))
            if sum(part.problem is not None for part in parts) >= MOST_COMPLAINTS:
                break
    return parts


def _verdicts(files: Mapping[str, Path], archive: Path, asked: Asked, truths: Truths) -> list[_Part]:
    """The stages of the 2AFC study that an archive holds; the lists held here give images their names."""
    parts = []
    try:
        for reading in verdicts.read(files, archive):
            dataset, _ = find_subject(reading, asked.dataset)
            held = truths.find(dataset) if isinstance(dataset, DatasetFacts) else None
            parts.append(_scored(verdicts.rename(reading, held.truth.samples) if held else reading, asked, truths))
    except UserError as fault:
        parts.append(_Part("", (), problem=_problem(archive.name, fault, verdicts.FIELDS, verdicts.EXAMPLE)))
    return parts


def _part(file: Path, asked: Asked, truths: Truths, limits: Limits) -> _Part:
    claimed = claims.read_claims(file, asked.model, limits.rows)
    if claimed is not None:
        if len(claimed.results) > MOST_RESULTS:
            raise DataError(f"{file.name} holds {len(claimed.results):,} results; at most {MOST_RESULTS} are taken")
        said = f"{file.name} holds figures computed elsewhere: they are marked as self-reported."
        return _Part(claimed.kind, claimed.results, (said,))
    return _scored(read_results(file, limits.rows), asked, truths)


def _run(run: Run, asked: Asked, truths: Truths, limits: Limits) -> _Part:
    """Score the replies again where the truth is here; otherwise the record speaks for itself."""
    facts = find_dataset(asked.dataset or run.record.dataset)
    if run.record.task not in SCORED_AGAIN or facts is None or truths.find(facts) is None:
        return _part(run.record_file, asked, truths, limits)
    part = _scored(read_run(run, limits.rows), replace(asked, dataset=facts.name), truths, run.as_shown)
    results = tuple(replace(one, protocol={**one.protocol, **run.said}) for one in part.results)
    return replace(part, results=results)


def _scored(
    reading: Reading, asked: Asked, truths: Truths, as_shown: Callable[[Sample], Sample] = lambda sample: sample
) -> _Part:
    """Score what was read.

    Args:
        reading: Raw results.
        asked: What the author says about them.
        truths: Where truth is looked for.
        as_shown: A sample of the truth as the model saw it.
    """
    dataset, reading = find_subject(reading, asked.dataset)
    model = catalogue.find(asked.model) or asked.model
    held = truths.find(dataset) if isinstance(dataset, DatasetFacts) else None
    if held is None and reading.task != "comparison" and not any(is_known(one) for one in reading.samples.values()):
        title = dataset.title if isinstance(dataset, DatasetFacts) else dataset
        raise DataError(
            f"{reading.path.name} cannot be scored: it holds no human scores or right answers, and those of {title} "
            "are not on this server; add them to the records, or hand the file to the owner of the dataset"
        )
    truth = Truth(held.truth.name, tuple(as_shown(one) for one in held.truth.samples)) if held else None
    # Authors wait for this, and boards have levels of chance of their own.
    results = [_whole_or_part(one) for one in score_reading(reading, dataset, model, truth, chance=False)]
    missing = sum(one.status.get("missing", 0) for one in results)
    if held and held.private and missing:
        raise DataError(
            f"{reading.path.name} leaves out {missing:,} samples; a part of private answers could tell single ones, "
            "so add the others, with an empty reply where there is none"
        )
    return _Part(reading.kind, tuple(results), tuple(_remarks(reading, results, held)), bool(held and held.private))


def _whole_or_part(result: Result) -> Result:
    """The result, marked as of a part of its dataset where it is: boards that want all of it leave it out."""
    missing = result.status.get("missing", 0)
    if not missing:
        return result
    scored = result.status.get("scored", 0)
    return replace(result, protocol={**result.protocol, "limit": scored})


def _remarks(reading: Reading, results: Iterable[Result], held: Held | None) -> Iterable[str]:
    name = reading.path.name
    if held is None:
        known = any(is_known(one) for one in reading.samples.values())
        truth = "scored against the truth it holds itself" if known else "not compared with people's scores"
        yield f"{name} was {truth}, since this server has none: marked as self-reported."
    elif held.private:
        yield f"{name} was scored against private answers: its figures appear on the board alone."
    else:
        yield f"{name} was scored here against {held.truth.name}."
    if repeats := reading.status.get("repeated", 0):
        yield f"{name}: {repeats:,} identical repeats were dropped."
    for result in results:
        if unscored := sum(result.unscored.values()):
            yield f"{name}: {unscored:,} have no usable answer and count as not correct."


def _coverage(results: Iterable[Result]) -> Iterable[Coverage]:
    for result in results:
        if "scored" in result.status:
            short = "limit" in result.protocol or result.protocol.get("rounds", ROUNDS) != ROUNDS
            part = covers(result) if short else ""
            yield Coverage(result.dataset, result.status["scored"], result.status.get("missing", 0), part)


def _clashes(name: str, results: Iterable[Result]) -> Iterable[Problem]:
    """Several files about one dataset: nobody could tell which of them counts."""
    seen: set[tuple[str, str, str | None, str]] = set()
    for one in results:
        place = (one.task, one.dataset, one.split, one.model)
        if place in seen:
            yield Problem(name, f"there are two results of {one.model} on {one.dataset}; keep one of them")
            return
        seen.add(place)


def _problem(name: str, fault: UserError, expected: str = "", example: str = "") -> Problem:
    said = str(fault).removeprefix(f"{name}: ").removeprefix(f"{name} ")
    places = fault.places if isinstance(fault, DataError) else ()
    more = 0
    if isinstance(fault, DataError) and places:
        said = f"{fault.count:,} of its records cannot be used; {fault.fix}"
        more = fault.count - len(places)
    return Problem(name, said, places, more, expected, example)
