"""Where a record comes from and how it was made, in words: for the page's lists of sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

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
from qbench.tasks import TASKS

UNNUMBERED = ("kind", "at")
"""What a source says in a word or a day."""


def describe_origin(record: Recorded) -> dict[str, Any]:
    """Source and protocol of a record, and what whoever handed it in says of it; None for what is not told."""
    result, entry = record.result, record.entry
    source = result.source
    told: dict[str, Any] = {
        "kind": source.kind,
        "reference": source.cited,
        "url": source.url,
        "by": source.by,
        "at": source.at,
        "protocol": [
            f"{_KEYS.get(key) or key.replace('_', ' ')}: {said}"
            for key, value in result.protocol.items()
            if (said := _plain(value))
        ],
        "unscored": ", ".join(f"{count} {reason}" for reason, count in result.unscored.items()),
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
    return {name: text or None for name, text in told.items()}


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
