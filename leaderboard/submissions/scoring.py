"""An upload -> a report: what is wrong with it, or its results, computed here as far as that is possible.

Answers held by the server go before those inside the file. What rests on the file's own answers, and figures that were
computed elsewhere, are marked as self-reported. Nothing here depends on what the model is called.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from leaderboard.submissions.answer_keys import AnswerKeys, HeldKey
from leaderboard.submissions.private import coarse
from leaderboard.submissions.report import Coverage, Report, UploadProblem
from leaderboard.tables.unranked import covers
from qbench.datasets.answer_keys import has_truth
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import DataError, UserError
from qbench.formats import find_format, read_results, reported, twoafc_folders
from qbench.formats.archives import UPLOAD_LIMITS, FileLimits, check_size, unpack
from qbench.formats.dataset_of import find_subject
from qbench.formats.reading import LONGEST_REPLY, Reading
from qbench.formats.runs import SCORED_AGAIN, RunFiles, find_runs, read_run
from qbench.pairing import ROUNDS
from qbench.records import Result
from qbench.results.files import score_reading
from qbench.rows import MOST_COMPLAINTS
from qbench.tasks import TASKS

PLACEHOLDER_MODEL = "your-model"
"""Stands in results for the model until its author has named it."""
MOST_REPORTED = 200
"""Results in one file of those that are reported."""


class TookTooMuchError(UserError):
    """Time or memory ran out, which says something of this server now, and may not be so of the file next time."""


class Allowance:
    """What is left for the files of one upload."""

    def __init__(self, limits: FileLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._until = clock() + limits.seconds
        self._rows = limits.all_rows

    @property
    def rows(self) -> int:
        """Most records of the next file.

        Raises:
            UserError: The files before it held as many as all may.
        """
        if self._rows <= 0:
            raise UserError(f"the files hold more than {self._limits.all_rows:,} records; hand them in in parts")
        return min(self._limits.rows, self._rows)

    def take(self, reading: Reading) -> Reading:
        """Count the records of a file; those that repeat an earlier one are among those read."""
        self._rows -= reading.status.get("read", 0)
        return reading

    def check(self) -> None:
        """Go on while there is time.

        Raises:
            TookTooMuchError: There is none left.
        """
        if self._clock() > self._until:
            raise TookTooMuchError(
                f"checking took longer than {self._limits.seconds:.0f} seconds; hand the files in in parts, or score "
                "them on your own computer with `python -m qbench score` and hand in the records"
            )


@dataclass(frozen=True)
class ScoringOptions:
    """What is needed beside the file."""

    keys: AnswerKeys
    dataset: str = ""
    """As the author names it; empty where the files say it, by their names or inside."""
    words: Mapping[str, tuple[str, ...]] | None = None
    """The words that the model's logits are scored by; None for good and poor."""
    limits: FileLimits = UPLOAD_LIMITS


@dataclass(frozen=True)
class _Part:
    """What one file gave."""

    kind: str = ""
    results: tuple[Result, ...] = ()
    remarks: tuple[str, ...] = ()
    private: bool = False
    problem: UploadProblem | None = None
    said: Mapping[str, str] = field(default_factory=dict)


def score_upload(path: Path, options: ScoringOptions) -> Report:
    """Read and score an upload; whatever it holds, the answer is a report."""
    try:
        allowance = Allowance(options.limits)
        check_size(path, options.limits)
        with unpack(path, options.limits) as unpacked:
            ignored = [f"{len(unpacked.ignored):,} hidden files were left out."] if unpacked.ignored else []
            if twoafc_folders.holds_pairs(unpacked.files):
                parts = _score_folders(unpacked.files, path, options, allowance)
            else:
                parts = _score_files(list(unpacked.files.values()), options, allowance)
    except UserError as fault:
        return Report(problems=(explain_fault(path.name, fault),), by_load=isinstance(fault, TookTooMuchError))
    results = tuple(result for part in parts for result in part.results)
    return Report(
        kinds=tuple(dict.fromkeys(part.kind for part in parts if part.kind)),
        problems=tuple(part.problem for part in parts if part.problem),
        results=results,
        coverage=tuple(_coverage(results)),
        remarks=tuple(dict.fromkeys([*(remark for part in parts for remark in part.remarks), *ignored])),
        private=any(part.private for part in parts),
        said=_agreed([part.said for part in parts if part.said]),
    )


def _agreed(said: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What all files say of the model that say anything."""
    first = said[0] if said else {}
    return {name: text for name, text in first.items() if all(other.get(name) == text for other in said)}


def explain_fault(name: str, fault: UserError, fields: str = "", example: str = "") -> UploadProblem:
    """What is wrong with a file of this name, with what was expected of its records."""
    sentence = str(fault).removeprefix(f"{name}: ").removeprefix(f"{name} ")
    if not isinstance(fault, DataError) or not fault.places:
        return UploadProblem(name, sentence, expected=fields, example=example)
    sentence = f"{fault.count:,} of its records cannot be used; {fault.fix}"
    return UploadProblem(name, sentence, fault.places, fault.count - len(fault.places), fields, example)


@dataclass(frozen=True)
class _Identified:
    """What was read of a file, and what it is about."""

    reading: Reading
    dataset: DatasetFacts | str
    options: ScoringOptions

    @property
    def subject(self) -> tuple[str, str]:
        return self.reading.task, self.dataset.name if isinstance(self.dataset, DatasetFacts) else self.dataset


_Read = Callable[[ScoringOptions, Allowance], "_Part | _Identified"]


def _score_files(files: Sequence[Path], options: ScoringOptions, allowance: Allowance) -> list[_Part]:
    runs, others = find_runs(files)
    readers: list[tuple[Path, _Read]] = [(run.raw_file, partial(_read_run, run)) for run in runs]
    readers += [(file, partial(_read_file, file)) for file in others]
    read: list[tuple[Path, _Part | _Identified]] = []
    for file, reader in readers:
        allowance.check()
        read.append((file, _or_problem(file, partial(reader, options, allowance))))
        if sum(isinstance(part, _Part) and part.problem is not None for _, part in read) >= MOST_COMPLAINTS:
            break
    _refuse_clashes(part for _, part in read)
    parts: list[_Part] = []
    for file, part in read:
        if isinstance(part, _Identified):
            allowance.check()
            scored = _or_problem(file, partial(_score_reading, part, allowance))
            assert isinstance(scored, _Part)
            parts.append(scored)
        else:
            parts.append(part)
    return parts


def _or_problem(file: Path, work: Callable[[], _Part | _Identified]) -> _Part | _Identified:
    try:
        return work()
    except TookTooMuchError:
        raise
    except UserError as fault:
        known = find_format(file)
        expected = (known.fields, known.example) if known else ("", "")
        return _Part(problem=explain_fault(file.name, fault, *expected))


def _refuse_clashes(parts: Iterable[_Part | _Identified]) -> None:
    """Refuse several files about one dataset before any is scored: nobody could tell which of them counts."""
    seen: dict[tuple[str, str], str] = {}
    for part in parts:
        if isinstance(part, _Identified):
            name = part.reading.path.name
            if part.subject in seen:
                raise UserError(
                    f"two of its files are about {part.subject[1]}, {seen[part.subject]} and {name}; keep one of them"
                )
            seen[part.subject] = name


def _score_folders(
    files: Mapping[str, Path], archive: Path, options: ScoringOptions, allowance: Allowance
) -> list[_Part]:
    """The stages of the 2AFC study that an archive holds; the lists held here give images their names."""
    parts: list[_Part] = []
    try:
        for reading in twoafc_folders.read_stages(files, archive):
            allowance.check()
            allowance.take(reading)
            dataset, _ = find_subject(reading, options.dataset)
            held = options.keys.find(dataset) if isinstance(dataset, DatasetFacts) else None
            named = twoafc_folders.rename_images(reading, held.key.samples) if held else reading
            parts.append(_score_reading(_identify(named, options), allowance))
    except TookTooMuchError:
        raise
    except UserError as fault:
        problem = explain_fault(archive.name, fault, twoafc_folders.FIELDS, twoafc_folders.EXAMPLE)
        parts.append(_Part(problem=problem))
    return parts


def _read_file(file: Path, options: ScoringOptions, allowance: Allowance) -> _Part | _Identified:
    found = reported.read_reported(file, PLACEHOLDER_MODEL, allowance.rows)
    if found is None:
        return _identify(allowance.take(read_results(file, allowance.rows, before_each=allowance.check)), options)
    if len(found.results) > MOST_REPORTED:
        raise DataError(f"{file.name} holds {len(found.results):,} results; at most {MOST_REPORTED} are taken")
    remark = f"{file.name} holds figures computed elsewhere: they are marked as self-reported."
    return _Part(found.kind, found.results, (remark,), said=found.said)


def _read_run(run: RunFiles, options: ScoringOptions, allowance: Allowance) -> _Part | _Identified:
    """The replies, to score again where the answers are here; otherwise the record's own figures are taken."""
    facts = find_dataset(options.dataset or run.record.dataset)
    if run.record.task not in SCORED_AGAIN or facts is None or options.keys.find(facts) is None:
        return _read_file(run.record_file, options, allowance)
    return _identify(allowance.take(read_run(run, allowance.rows)), replace(options, dataset=facts.name))


def _identify(reading: Reading, options: ScoringOptions) -> _Identified:
    dataset, placed = find_subject(reading, options.dataset)
    return _Identified(placed, dataset, options)


def _score_reading(read: _Identified, allowance: Allowance) -> _Part:
    """Score what was read against the answers that are here, else against those in the file."""
    dataset, reading, options = read.dataset, read.reading, read.options
    held = options.keys.find(dataset) if isinstance(dataset, DatasetFacts) else None
    if held is None and not TASKS[reading.task].compares_pairs and not any(map(has_truth, reading.samples.values())):
        title = dataset.title if isinstance(dataset, DatasetFacts) else dataset
        raise DataError(
            f"{reading.path.name} cannot be scored: it holds no human scores or right answers, and those of {title} "
            "are not on this server; add them to the records, or hand the file to the owner of the dataset"
        )
    key = held.key if held else None
    # Authors wait for this, and boards have levels of chance of their own.
    results = score_reading(
        reading, dataset, PLACEHOLDER_MODEL, key, words=options.words, chance=False, before_each=allowance.check
    )
    missing = sum(result.status.get("missing", 0) for result in results)
    if held and held.private and missing:
        raise DataError(
            f"{reading.path.name} leaves out {missing:,} samples; a part of private answers could tell single ones, "
            "so add the others, with an empty reply where there is none"
        )
    if held and held.private:
        results = [coarse(result) for result in results]
    return _Part(
        reading.kind,
        tuple(results),
        tuple(_remarks(reading, results, held)),
        bool(held and held.private),
        said={"model": reading.model} if reading.model else {},
    )


def _remarks(reading: Reading, results: Sequence[Result], held: HeldKey | None) -> Iterable[str]:
    name = reading.path.name
    if held is None:
        known = any(map(has_truth, reading.samples.values()))
        truth = "scored against the truth it holds itself" if known else "not compared with people's scores"
        yield f"{name} was {truth}, since this server has none: marked as self-reported."
    elif held.private:
        yield f"{name} was scored against private answers: its figures appear on the board alone."
    else:
        yield f"{name} was scored here against {held.key.name}."
    if repeats := reading.status.get("repeated", 0):
        yield f"{name}: {repeats:,} identical repeats were dropped."
    for said in dict.fromkeys(result.protocol["left_out"] for result in results if "left_out" in result.protocol):
        yield f"{name}: {said}."
    if cut := reading.status.get("cut", 0):
        yield f"{name}: of {cut:,} replies the first {LONGEST_REPLY:,} characters were read."
    for result in results:
        if unscored := sum(result.unscored.values()):
            yield f"{name}: {unscored:,} have no usable answer and count as not correct."


def _coverage(results: Iterable[Result]) -> Iterable[Coverage]:
    for result in results:
        if "scored" in result.status:
            short = "limit" in result.protocol or result.protocol.get("rounds", ROUNDS) != ROUNDS
            part = covers(result) if short else ""
            yield Coverage(result.dataset, result.status["scored"], result.status.get("missing", 0), part)
