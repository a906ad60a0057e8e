"""`show`: the answers of a result one by one, as its figures were made from them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from qbench.commands.score import named_model, subjects_in
from qbench.commands.text import printable
from qbench.datasets import data_root
from qbench.datasets.known import find_dataset
from qbench.datasets.places import find_answer_key
from qbench.errors import DataError, UserError
from qbench.records import Result
from qbench.results.answers import Answer, answers_of_reading, read_records, stored_answers
from qbench.results.comparison_records import UNNAMED

Shown = tuple[str, list[Answer]]
"""What the answers are of, and the answers."""


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    parser.description = (
        "Show every answer of a result: question, options, the right one, what the model said, how that was read, and "
        "whether it is right."
    )
    parser.add_argument(
        "result", type=Path, metavar="RESULT", help="a run's folder, a stored record, or a file that score takes"
    )
    parser.add_argument("--model", metavar="NAME", help="of several records those of this model")
    parser.add_argument("--wrong", action="store_true", help="only answers that are wrong")
    parser.add_argument("--unread", action="store_true", help="only answers that were not read (with --wrong: both)")
    parser.add_argument("--search", metavar="TEXT", help="only answers whose question, options, text or name hold it")
    parser.add_argument(
        "--group", metavar="GROUP", help="only answers of a group, such as yes-or-no, concern=distortion or topic=noise"
    )
    parser.add_argument("--dataset", help="as score takes it")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="as score takes it")
    parser.set_defaults(run=_show)
    return [parser]


def _show(options: argparse.Namespace) -> tuple[Any, str]:
    wanted = {verdict for verdict in ("wrong", "unread") if getattr(options, verdict)}
    documents, texts = [], []
    for name, answers in _answers(options):
        chosen = [answer for answer in answers if _passes(answer, wanted, options)]
        documents.append({"result": name, "of": len(answers), "answers": [answer.to_json() for answer in chosen]})
        texts += [f"{name}: {len(chosen):,} of {len(answers):,} answers", *map(_text, chosen)]
    return documents, "\n\n".join(texts)


def _passes(answer: Answer, wanted: set[str], options: argparse.Namespace) -> bool:
    if wanted and answer.verdict not in wanted:
        return False
    if options.search and options.search.casefold() not in answer.searched:
        return False
    if not options.group:
        return True
    grouping, _, group = options.group.rpartition("=")
    return any(
        group in members.split(", ")
        for name, members in answer.sample.groups.items()
        if not grouping or name == grouping
    )


def _text(answer: Answer) -> str:
    sample = answer.sample
    groups = ", ".join(f"{name.replace('_', ' ')} {group}" for name, group in sample.groups.items())
    lines = [f"{sample.id}{f'  ({groups})' if groups else ''}"]
    lines += [f"  {sample.question}"] if sample.question else []
    lines += [f"  options: {' | '.join(sample.options or sample.texts)}"] if sample.options or sample.texts else []
    read = f"read as {answer.read}" if answer.read else f"not read: {answer.reason}" if answer.reason else ""
    worth = answer.verdict or ("" if answer.read or answer.value is None else f"{answer.value:.4g}")
    right = f"right is {answer.right}" if answer.right else ""
    lines += [f"  said: {answer.said}"] if answer.said else []
    lines += [f"  {'; '.join(filter(None, [read, worth, right]))}"]
    return "\n".join(map(printable, lines))


def _answers(options: argparse.Namespace) -> Iterator[Shown]:
    path: Path = options.result
    records = _records_in(path)
    if records is None:
        for subject, key in subjects_in(path, None, options.dataset, options.truth):
            reading, model = subject.reading, named_model(path, subject.reading, options.model)
            words = model.words if model else None
            yield reading.path.name, answers_of_reading(reading, subject.facts or subject.name or UNNAMED, key, words)
        return
    chosen = [one for one in records if options.model in (None, one[0].model)]
    if not chosen:
        models = ", ".join(sorted({record.model for record, _ in records}))
        raise UserError(
            f"{path} holds no record of {options.model}; there are those of {models}"
            if models
            else f"{path} holds no record of a run; give a folder that run wrote, a record or a file of answers"
        )
    for record, file in chosen:
        facts = find_dataset(record.dataset)
        answers = stored_answers(record, file, find_answer_key(facts, data_root()) if facts else None)
        if not answers and len(chosen) == 1:
            raise UserError(f"{file} holds figures alone: neither raw replies nor items lie beside it")
        row = f", {record.source.row}" if record.source.row else ""
        yield f"{record.model} on {record.dataset} ({record.task}{row})", answers


def _records_in(path: Path) -> list[tuple[Result, Path]] | None:
    """The records of a folder or file, with their files; None for a file of something else."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found = []
    for file in files:
        with suppress(DataError):  # of something else
            found += [(record, file) for record in read_records(file)]
    return found if found or path.is_dir() else None
