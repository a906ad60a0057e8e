"""A dataset anyone can make: a JSON list or JSONL of samples, or a CSV of scores.

Reads, by their fields, the layouts that exist: Q-Bench's IQA lists (`img_path`, `gt_score`), LLVisionQA as published
(`candidates`, `correct_ans`, integer `type` and `concern`), our own perception rows (`options`, `answer`) and the
2AFC lists (an object of dataset -> list of scored images).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from qbench.errors import DataError
from qbench.records import Sample
from qbench.rows import Complaints, Row, read_rows, shorten

# LLVisionQA's integer codes, settled by the random-guess rows of Q-Bench Tables 2 and 7 (other tools swap 1 and 2).
QUESTION_TYPES = ("yes-or-no", "what", "how")
CONCERNS = ("distortion", "other", "in-context-distortion", "in-context-other")


def read_manifest(path: Path) -> list[Sample]:
    """Every sample of a manifest; one sentence with the first offending place where it is malformed."""
    complaints = Complaints(path)
    samples: dict[str, Sample] = {}
    for row in _flattened(read_rows(path)):
        try:
            sample = read_sample(row, str(len(samples)))
        except DataError as error:
            complaints.add(str(error))
            continue
        if sample.id in samples and samples[sample.id] != sample:
            complaints.add(f"{row.place}: {shorten(sample.id)} stands here twice with different contents")
        samples[sample.id] = sample
    complaints.raise_if_any("mend or remove them and try again")
    return list(samples.values())


def read_sample(row: Row, position: str) -> Sample:
    """One row as a sample; `position` names a question that has no id of its own."""
    if "question" in row.data:
        return _question(row, position)
    image = row.text("img_path")
    if image is None:
        raise DataError(f"{row.place}: has no img_path; its fields are {shorten(sorted(row.data))}")
    if "gt_score" in row.data:
        return Sample(
            id=image, images=(image,), human=row.number("gt_score"), lower_is_better=_flag(row, "lower_is_better")
        )
    raise DataError(f"{row.place}: {shorten(image)} has no gt_score")


def _flattened(rows: Iterable[Row]) -> Iterable[Row]:
    """2AFC lists hold one object of dataset -> list; everything else is a list of rows already."""
    for row in rows:
        if row.data and all(isinstance(value, list) for value in row.data.values()):
            for name, members in row.data.items():
                for number, member in enumerate(members, start=1):
                    place = f"{name}, image {number}"
                    if not isinstance(member, dict):
                        raise DataError(f"{place} is {shorten(member)}, not an object")
                    yield Row(member, place)
        else:
            yield row


def _question(row: Row, position: str) -> Sample:
    options = row.data.get("options", row.data.get("candidates"))
    if not isinstance(options, list) or len(options) < 2 or not all(isinstance(one, str) for one in options):
        raise DataError(f"{row.place}: options is {shorten(options)}, not a list of at least two texts")
    paths = row.data.get("img_paths", row.data.get("img_path", []))
    images = tuple(str(one) for one in (paths if isinstance(paths, list) else [paths]))
    return Sample(
        id=row.text("id", "question_id", "index") or position,
        images=images,
        question=str(row.data["question"]),
        options=tuple(options),
        answer=_answer(row, options),
        groups=_groups(row.data),
    )


def _answer(row: Row, options: list[str]) -> int | None:
    answer = row.data.get("answer", row.data.get("correct_ans"))
    if answer is None or answer == "":
        return None
    if answer in options:
        return options.index(answer)
    if isinstance(answer, str) and len(answer) == 1 and 0 <= ord(answer.upper()) - ord("A") < len(options):
        return ord(answer.upper()) - ord("A")
    raise DataError(f"{row.place}: the answer {shorten(answer)} is none of the options {shorten(options)}")


def _groups(data: Mapping[str, Any]) -> dict[str, str]:
    groups = {}
    for grouping, code, names in (("question_type", "type", QUESTION_TYPES), ("concern", "concern", CONCERNS)):
        value = data.get(grouping, data.get(code))
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
            groups[grouping] = names[value]
        elif isinstance(value, str) and value:
            groups[grouping] = value
    return groups


def _flag(row: Row, key: str) -> bool:
    value = row.data.get(key, False)
    if not isinstance(value, bool):
        raise DataError(f"{row.place}: {key} is {shorten(value)}, not true or false")
    return value
