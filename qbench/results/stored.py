"""The answers behind a stored record, from what lies beside its file: released answers, raw replies, or items."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from qbench.datasets.answer_keys import AnswerKey
from qbench.datasets.known import find_dataset
from qbench.formats.packed import SCORED_AGAIN, RunFiles, read_run
from qbench.records import Items, Result, Sample
from qbench.results.answers import RIGHT_OR_WRONG, Answer, Verdict, answers_of_reading, right_in_words
from qbench.results.items import items_path, read_items
from qbench.results.released import released_answers
from qbench.rows import File, read_file
from qbench.tasks import TASKS, description, perception


def stored_answers(result: Result, file: Path | None, key: AnswerKey | None) -> list[Answer]:
    """The answers behind a record; none where nothing is kept.

    Args:
        result: The record, with its items if they are at hand.
        file: Where it is stored, if it is in a file of its own.
        key: What was asked and is right, as far as that is known here.
    """
    if file and (released := released_path(file)):
        return released_answers(result, json.loads(released.read_bytes()), key)
    if file and not result.items and (items := items_path(file)).is_file():
        result = replace(result, items=read_items(items.read_bytes(), result.raw))
    raw = file.parent / "raw" / f"{result.raw}.jsonl" if file else None
    if raw is None or not raw.is_file():
        return _of_items(result, key, {})
    if result.task in SCORED_AGAIN and (key or result.task != perception.NAME):
        replies = RunFiles(result, File("record.json", b""), read_file(raw))
        return answers_of_reading(read_run(replies), find_dataset(result.dataset) or result.dataset, key)
    return _of_items(result, key, _texts(raw))


def stored_grades(result: Result, file: Path | None) -> dict[str, list[str]]:
    """Dimension -> a judge's grades of each description, a digit for each time; none where they are not kept."""
    released = released_path(file) if file and result.task == description.NAME else None
    given = json.loads(released.read_bytes())[result.model] if released else {}
    return {name: grades.split() for name, grades in given.items()}


@lru_cache
def released_path(file: Path) -> Path | None:
    """The released answers behind the records of a file, where there are any."""
    path = file.parent.parent / "answers" / file.name
    return path if path.is_file() else None


def _of_items(result: Result, key: AnswerKey | None, texts: Mapping[str, str]) -> list[Answer]:
    items = result.items.get(TASKS[result.task].metric) or next(iter(result.items.values()), Items("mean", (), ()))
    asked = {sample.id: sample for sample in key.samples} if key else {}
    answers = []
    for place, (name, value) in enumerate(zip(items.names, items.values, strict=True)):
        sample = asked.get(name) or Sample(name)
        binary = TASKS[result.task].result in RIGHT_OR_WRONG and items.statistic == "mean" and value in (0, 1)
        verdict: Verdict = ("right" if value else "wrong") if binary else ""
        truth = f"{items.truth[place]:.4g}" if items.truth else right_in_words(sample)
        answers.append(
            Answer(sample, texts.get(name, ""), right=truth, verdict=verdict, value=None if binary else value)
        )
    return answers


def _texts(raw: Path) -> dict[str, str]:
    """What a run's model wrote, by sample; of several answers each once."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for line in raw.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("of", "model") == "model":
            found[row["sample"]][row.get("text") or ""] = None
    return {name: " | ".join(filter(None, texts)) for name, texts in found.items()}
