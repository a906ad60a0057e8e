"""An upload -> a report: what is wrong with it, or its results, computed here as far as that is possible.

Answers held by the server go before those inside the file. What rests on the file's own answers, and figures that were
computed elsewhere, are marked as self-reported. Nothing here depends on what the model is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from leaderboard.submissions.private import coarse
from leaderboard.submissions.report import Coverage, Report, UploadProblem
from leaderboard.tables.unranked import covers
from qbench.archives import UPLOAD_LIMITS, FileLimits, unpack
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.datasets.places import AnswerKey, find_answer_key, has_truth
from qbench.errors import DataError, UserError
from qbench.formats import find_format, read_results, reported
from qbench.formats.packed import (
    PAIR_EXAMPLE,
    PAIR_FIELDS,
    SCORED_AGAIN,
    RunFiles,
    find_runs,
    holds_pairs,
    read_run,
    read_stages,
    rename_images,
)
from qbench.formats.reading import LONGEST_REPLY, Reading
from qbench.formats.subject import Subject, identify
from qbench.pairing import ROUNDS
from qbench.records import Result
from qbench.results.scored_files import score_reading
from qbench.rows import MOST_COMPLAINTS, File, read_file
from qbench.tasks import TASKS

WorkT = TypeVar("WorkT")
PLACEHOLDER_MODEL = "your-model"
"""Stands in results for the model until its author has named it."""
MOST_REPORTED = 200
"""Results in one file of those that are reported."""


class Allowance:
    """What is left for the files of one upload."""

    def __init__(self, limits: FileLimits) -> None:
        self._limits = limits
        self._rows = limits.all_rows

    @property
    def rows(self) -> int:
        """Most records of the next file.

        Raises:
            UserError: The files before it held as many as all may.
        """
        if self._rows <= 0:
            raise UserError(
                f"the files hold more than {self._limits.all_rows:,} records; split them and hand in each part"
            )
        return min(self._limits.rows, self._rows)

    def take(self, reading: Reading) -> Reading:
        """Count the records of a file; those that repeat an earlier one are among those read."""
        self._rows -= reading.status.get("read", 0)
        return reading


@dataclass(frozen=True)
class ScoringOptions:
    """What is needed beside the file."""

    keys: AnswerKeys
    dataset: str = ""
    """As the author names it; empty where the files say it, by their names or inside."""
    words: Mapping[str, tuple[str, ...]] | None = None
    """The words that the model's logits are scored by; None for good and poor."""
    limits: FileLimits = UPLOAD_LIMITS


def score_upload(path: Path, options: ScoringOptions) -> Report:
    """Read and score an upload; whatever it holds, the answer is a report, made of one for each file."""
    try:
        allowance = Allowance(options.limits)
        upload = read_file(path, options.limits.size)
        unpacked = unpack(upload, options.limits)
        ignored = [f"{unpacked.ignored:,} hidden files were left out."] if unpacked.ignored else []
        if holds_pairs(unpacked.files):
            parts = _score_folders(unpacked.files, upload, options, allowance)
        else:
            parts = _score_files(list(unpacked.files.values()), options, allowance)
    except UserError as fault:
        return Report(problems=(explain_fault(path.name, fault),))
    results = tuple(result for part in parts for result in part.results)
    return Report(
        kinds=tuple(dict.fromkeys(kind for part in parts for kind in part.kinds)),
        problems=tuple(problem for part in parts for problem in part.problems),
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


def _score_files(files: Sequence[File], options: ScoringOptions, allowance: Allowance) -> list[Report]:
    runs, others = find_runs(files)
    work = [(run.raw_file, partial(_read_run, run, options, allowance)) for run in runs]
    work += [(file, partial(_read_file, file, options, allowance)) for file in others]
    read: list[tuple[File, Report | Subject]] = []
    for file, reader in work:
        read.append((file, _or_problem(file, reader)))
        if sum(isinstance(part, Report) and bool(part.problems) for _, part in read) >= MOST_COMPLAINTS:
            break
    _refuse_clashes(part for _, part in read if isinstance(part, Subject))
    return [
        part if isinstance(part, Report) else _or_problem(file, partial(_score_reading, part, options))
        for file, part in read
    ]


def _or_problem(file: File, work: Callable[[], WorkT]) -> WorkT | Report:
    try:
        return work()
    except UserError as fault:
        known = find_format(file)
        expected = (known.fields, known.example) if known else ("", "")
        return Report(problems=(explain_fault(file.name, fault, *expected),))


def _refuse_clashes(subjects: Iterable[Subject]) -> None:
    """Refuse several files about one dataset before any is scored: nobody could tell which of them counts."""
    seen: dict[tuple[str, str], str] = {}
    for subject in subjects:
        about, name = (subject.reading.task, subject.name), subject.reading.path.name
        if about in seen:
            raise UserError(f"two of its files are about {subject.name}, {seen[about]} and {name}; keep one of them")
        seen[about] = name


def _score_folders(
    files: Mapping[str, File], archive: File, options: ScoringOptions, allowance: Allowance
) -> list[Report]:
    """The stages of the 2AFC study that an archive holds; the lists held here give images their names."""
    parts: list[Report] = []
    try:
        for reading in read_stages(files, archive):
            subject = identify(allowance.take(reading), options.dataset, for_board=True)
            held = options.keys.find(subject.facts) if subject.facts else None
            if held:
                subject = replace(subject, reading=rename_images(subject.reading, held.key.samples))
            parts.append(_score_reading(subject, options))
    except UserError as fault:
        parts.append(Report(problems=(explain_fault(archive.name, fault, PAIR_FIELDS, PAIR_EXAMPLE),)))
    return parts


def _read_file(file: File, options: ScoringOptions, allowance: Allowance) -> Report | Subject:
    found = reported.read_reported(file, PLACEHOLDER_MODEL, allowance.rows)
    if found is None:
        reading = allowance.take(read_results(file, allowance.rows))
        return identify(reading, options.dataset, for_board=True)
    if len(found.results) > MOST_REPORTED:
        raise DataError(f"{file.name} holds {len(found.results):,} results; at most {MOST_REPORTED} are taken")
    remark = f"{file.name} holds figures computed elsewhere: they are marked as self-reported."
    return Report((found.kind,), results=found.results, remarks=(remark,), said=found.said)


def _read_run(run: RunFiles, options: ScoringOptions, allowance: Allowance) -> Report | Subject:
    """The replies, to score again where the answers are here; otherwise the record's own figures are taken."""
    facts = find_dataset(options.dataset or run.record.dataset)
    if run.record.task not in SCORED_AGAIN or facts is None or options.keys.find(facts) is None:
        return _read_file(run.record_file, options, allowance)
    return identify(allowance.take(read_run(run, allowance.rows)), facts.name, for_board=True)


def _score_reading(subject: Subject, options: ScoringOptions) -> Report:
    """Score what was read against the answers that are here, else against those in the file."""
    reading, facts = subject.reading, subject.facts
    held = options.keys.find(facts) if facts else None
    if held is None and not TASKS[reading.task].compares_pairs and not any(map(has_truth, reading.samples.values())):
        title = facts.title if facts else subject.name
        raise DataError(
            f"{reading.path.name} cannot be scored: it holds no human scores or right answers, and those of {title} "
            "are not on this server; add them to the records, or hand the file to the owner of the dataset"
        )
    key = held.key if held else None
    # Authors wait for this, and boards have levels of chance of their own.
    results = score_reading(
        reading,
        facts or subject.name,
        PLACEHOLDER_MODEL,
        key,
        words=options.words,
        chance=False,
    )
    missing = sum(result.status.get("missing", 0) for result in results)
    if held and held.private and missing:
        raise DataError(
            f"{reading.path.name} leaves out {missing:,} samples; a part of private answers could tell single ones, "
            "so add the others, with an empty reply where there is none"
        )
    if held and held.private:
        results = [coarse(result) for result in results]
    return Report(
        (reading.kind,),
        results=tuple(results),
        remarks=tuple(_remarks(reading, results, held)),
        private=bool(held and held.private),
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


@dataclass(frozen=True)
class HeldKey:
    """An answer key of this server."""

    key: AnswerKey
    private: bool
    """Nothing that is computed from it may be told before it is on the board."""


@dataclass(frozen=True)
class AnswerKeys:
    """Where answer keys are looked for."""

    public: Path
    """A folder for each dataset, named after it; or the lists themselves."""
    private: Path | None = None

    def find(self, facts: DatasetFacts) -> HeldKey | None:
        """The answer key of a dataset, a private one first; None where neither folder has one."""
        for folder, private in ((self.private, True), (self.public, False)):
            key = find_answer_key(facts, folder) if folder else None
            if key is not None:
                return HeldKey(key, private and facts.truth == "people")
        return None
