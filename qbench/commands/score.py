"""`score`: a file of raw results -> Results, against human truth from elsewhere or from the file itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from qbench.archives import Unpacked, unpack
from qbench.commands.arguments import add_skip_bad, suggesting_skip_bad
from qbench.commands.text import records_text, tell
from qbench.datasets import data_root
from qbench.datasets.fields import read_columns
from qbench.datasets.known import find_dataset, list_with_sets
from qbench.datasets.manifest import read_manifest
from qbench.datasets.places import AnswerKey, find_answer_key, has_truth
from qbench.errors import UserError
from qbench.formats import read_results
from qbench.formats.packed import find_runs, holds_pairs, read_run, read_stages, rename_images
from qbench.formats.reading import Reading
from qbench.formats.subject import Subject, identify
from qbench.models import catalogue
from qbench.records import Result
from qbench.results.comparison_records import UNNAMED
from qbench.results.scored_files import score_reading
from qbench.rows import MOST_BAD, File, read_file
from qbench.tasks import MEAN_OF_TASKS, TASKS


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    parser.description = (
        "Score raw results: word logits, plain scores, replies to questions, or comparisons. "
        "The kind of each file is recognised from its fields; a zip of such files is taken too."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--task", choices=(*TASKS, MEAN_OF_TASKS), help="refuse files that hold another task's results")
    parser.add_argument("--dataset", help="dataset name (default: what the file or its name says)")
    parser.add_argument("--model", help="model name (default: the folder's name, where that is a known model's)")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="human scores, or questions with their answers")
    parser.add_argument(
        "--columns",
        nargs="+",
        metavar="WORD=COLUMN",
        help="which column is which, where their names do not tell: image=filename truth=MOS score=mine, or id, "
        "question, options, answer, reply",
    )
    add_skip_bad(parser)
    parser.set_defaults(run=_score)
    return [parser]


def _score(options: argparse.Namespace) -> tuple[Any, str]:
    results: list[Result] = []
    columns = read_columns(options.columns)
    for number, path in enumerate(options.files, start=1):
        try:
            with suggesting_skip_bad():
                results += score_file(
                    path,
                    task=options.task,
                    dataset=options.dataset,
                    model=options.model,
                    truth=options.truth,
                    skip_bad=options.skip_bad,
                    columns=columns,
                )
        except UserError as error:
            if not results and number == len(options.files):
                raise
            tell(str(error))
            options.exit_code = 2
    return [result.to_json() for result in results], records_text(results)


def score_file(
    path: Path,
    *,
    task: str | None = None,
    dataset: str | None = None,
    model: str | None = None,
    truth: Path | None = None,
    skip_bad: bool = False,
    columns: Mapping[str, str] | None = None,
) -> list[Result]:
    """Score one file of raw results, or every file in a zip archive of them; see the arguments of `score`.

    An archive may also hold records of runs with their raw replies, or the result folders of the 2AFC study. Without
    `truth` that inside the file is used and the result is marked self-reported; of what an archive holds without any,
    the dataset's own list where it is here. `columns` has for names of fields here the columns of the file.

    Raises:
        UserError: One sentence naming the first offending place, the count and the fix.
    """
    results: list[Result] = []
    for subject, key in subjects_in(path, task, dataset, truth, skip_bad=skip_bad, columns=columns):
        reading, facts = subject.reading, subject.facts
        found = named_model(path, reading, model)
        scored = score_reading(
            reading,
            facts or subject.name or UNNAMED,
            found.id if found else model or reading.model or UNNAMED,
            key,
            words=found.words if found else None,
        )
        results += scored if facts else _with_note(scored, reading)
    return results


def subjects_in(
    path: Path,
    task: str | None,
    dataset: str | None,
    truth: Path | None,
    *,
    skip_bad: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Iterator[tuple[Subject, AnswerKey | None]]:
    """What a file or archive holds, its datasets, and what these are measured against; see `score_file`."""
    given = None
    if truth:
        answers = read_file(truth)
        given = AnswerKey(answers.name, tuple(read_manifest(answers, find_dataset(dataset or path.stem), columns)))
    file = read_file(path)
    unpacked = unpack(file)
    for read in _readings(unpacked, file, given, 1.0 if skip_bad else MOST_BAD, columns):
        if task is not None and task != read.task:
            raise UserError(f"{read.path.name} holds {read.kind}, which are scored as {read.task}, not as {task}")
        subject = identify(read, dataset or "", given, sampled=unpacked.packed)
        brings_truth = subject.reading.presented or any(map(has_truth, subject.reading.samples.values()))
        without = subject.facts if unpacked.packed and not brings_truth else None
        yield subject, given or (find_answer_key(without, data_root()) if without else None)


def named_model(path: Path, reading: Reading, name: str | None) -> catalogue.ModelFacts | None:
    """What is known of the model of a file: the one that is named, or else that of its folder, or of what it says."""
    return catalogue.find_model(name or path.resolve().parent.name) or catalogue.find_model(reading.model)


def _readings(
    unpacked: Unpacked, file: File, key: AnswerKey | None, allowed: float, columns: Mapping[str, str] | None
) -> Iterator[Reading]:
    """What each file holds, the files of a run or of a result folder together."""
    if holds_pairs(unpacked.files):
        for reading in read_stages(unpacked.files, file, allowed):
            yield rename_images(reading, key.samples) if key else reading
        return
    runs, others = find_runs(list(unpacked.files.values()))
    yield from map(read_run, runs)
    for other in others:
        yield read_results(other, allowed=allowed, columns=columns)


def _with_note(results: list[Result], reading: Reading) -> list[Result]:
    """The records of comparisons, which say so where they miss a board because nothing names the list they are of."""
    similar = list_with_sets(shown.dataset or "" for shown in reading.presented) if reading.presented else None
    if similar is None:
        return results
    note = f"no split, so on no board: if these are images of {similar.title}, say --dataset {similar.name}"
    return [replace(result, protocol={**result.protocol, "note": note}) for result in results]
