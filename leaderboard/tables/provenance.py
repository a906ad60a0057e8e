"""Where a record comes from and how it was made, in words; where its answers can be read, and which paper to cite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from leaderboard.store import Recorded
from leaderboard.tables.classes import (
    FIVE_LEVELS,
    FULL_REFERENCE,
    NO_REFERENCE,
    NUMBER_IN_TEXT,
    OTHERWISE,
    TRAINED,
    TWO_WORDS,
)
from qbench.datasets.known import find_dataset
from qbench.records import Result
from qbench.results.answers import released_path
from qbench.tasks import TASKS, perception


def describe_origin(record: Recorded) -> dict[str, Any]:
    """Source and protocol of a record, and what whoever handed it in says of it, as far as that is told."""
    result, entry = record.result, record.entry
    source = result.source
    told: dict[str, Any] = {
        "kind": source.kind,
        "reference": source.cited,
        "url": source.url,
        "by": source.by,
        "at": source.at,
        "protocol": tuple(
            f"{_KEYS.get(key) or key.replace('_', ' ')}: {said}"
            for key, value in result.protocol.items()
            if (said := _plain(value))
        ),
        "unscored": ", ".join(f"{count} {reason}" for reason, count in result.unscored.items()),
        "place": source_place(record),
    }
    if entry is not None:
        author = entry.submission.metadata
        told |= {
            "prompts": author.prompts,
            "trained": ", ".join(author.trained_on),
            "submission": entry.digest,
            "relation": entry.submission.relation,
            "kept": entry.url,
        }
    return {name: text for name, text in told.items() if text}


def source_place(record: Recorded) -> str:
    """Which table or submission a record is from, without its row and column: the records of one place make one row."""
    if record.entry is not None:
        submission = record.entry.submission
        return f"handed in by {submission.identity or 'anonymous'} on {submission.submitted_at[:10]}"
    source = record.result.source
    return (
        f"{source.reference.partition(': ')[0]}, {_COMMIT.sub('', source.table)}" if source.table else source.reference
    )


_COMMIT = re.compile(r" at [0-9a-f]{7,40}\b")
_KEYS = {
    "it_2afc_training": "IT-2AFC training data",
    "list": "digest of the list",
    "trained_on": "trained on this dataset",
    "usage": "use",
}
"""Keys of a protocol that do not say by themselves what they are."""
_VALUES = {
    TWO_WORDS: "zero-shot, by the odds of two words",
    FIVE_LEVELS: "zero-shot, by five level words",
    NUMBER_IN_TEXT: "zero-shot, by a number in text",
    OTHERWISE: "zero-shot, asked otherwise",
    TRAINED: "trained on people's ratings",
    NO_REFERENCE: "metric of the picture alone",
    FULL_REFERENCE: "metric beside the original",
    "map": "MAP",
    "mle": "MLE",
    "perron": "Perron rank",
    "trueskill": "TrueSkill",
}
_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{4,}\b")


def _plain(value: object) -> str:
    """A protocol's value in words, empty where it says nothing; datasets and tasks by their titles, digests cut."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {told}" for name, item in value.items() if (told := _plain(item)))
    if isinstance(value, (list, tuple)):
        return " + ".join(map(_plain, value))
    return _title(str(value))


@lru_cache(maxsize=4096)
def _title(text: str) -> str:
    if text in TASKS:
        return TASKS[text].title
    known = find_dataset(text)
    return _VALUES.get(text) or (known.title if known else _DIGEST.sub(r"\1…", text))


@dataclass(frozen=True)
class Paper:
    """One entry of a bibliography."""

    urls: tuple[str, ...]
    """Addresses that sources of its figures give."""
    bibtex: str


def read_papers(published: Path) -> tuple[Paper, ...]:
    """Every entry of the BibTeX files beside the published figures; entries start with `@` at the start of a line."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(published.glob("*/paper.bib"))]
    entries = [entry for text in texts for entry in re.split(r"^(?=@)", text, flags=re.MULTILINE)]
    return tuple(
        Paper(tuple(re.findall(r"https?://[^\s,{}]+", entry)), entry.strip()) for entry in entries if entry[:1] == "@"
    )


_ID = 12
"""Digits of the digest of raw answers that name them in an address."""


class AnswersAt(NamedTuple):
    """The answers of one record."""

    set: str
    """Key of all answers to the same questions."""
    id: str
    answers: int


def answers_at(record: Recorded) -> AnswersAt | None:
    """Where the answers of a record are; None where they are not kept, or nobody may see which are right."""
    result = record.result
    if result.raw is None or result.task not in TASKS:
        return None
    if result.task == perception.NAME and result.split == "test":
        return None
    if result.items:
        items = result.items.get(TASKS[result.task].metric) or next(iter(result.items.values()))
        count = len(items.names)
    elif record.file and released_path(record.file) and result.protocol.get("prompt") != "words":
        count = result.status["scored"]
    else:
        return None
    return AnswersAt(set_key(result), result.raw[:_ID], count)


def set_key(result: Result) -> str:
    """Names the set of answers that a result's belong to."""
    return re.sub(r"[^\w.-]+", "_", f"{result.task}-{result.dataset}")


def answers_link(key: str, *ids: str) -> str:
    """The address of the page that shows these answers side by side."""
    return f"?{urlencode({'tab': 'answers', 'of': key, 'by': ','.join(ids)})}"
