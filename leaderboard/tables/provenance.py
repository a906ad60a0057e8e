"""Where a record comes from and how it was made, in words: for the page's lists of sources."""

from __future__ import annotations

import re
from collections.abc import Mapping

from leaderboard.store import Recorded

UNNUMBERED = ("kind", "at")
"""What a source says in a word or a day."""


def describe_origin(record: Recorded) -> dict[str, str | None]:
    """Source and protocol of a record, and what whoever handed it in says of it; None for what is not told."""
    result, entry = record.result, record.entry
    source = result.source
    told = {
        "kind": source.kind,
        "reference": source.reference,
        "url": source.url,
        "by": source.by,
        "at": source.at,
        "protocol": "; ".join(f"{key.replace('_', ' ')}: {_plain(value)}" for key, value in result.protocol.items()),
        "unscored": ", ".join(f"{count} {reason}" for reason, count in result.unscored.items()),
    }
    if entry is not None:
        said = entry.submission.metadata
        told |= {
            "prompts": said.prompts,
            "trained": ", ".join(said.trained_on),
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
    place = _WITHIN_A_TABLE.split(record.result.source.reference)[0]
    title, colon, rest = _COMMIT.sub("", place).partition(": ")
    _, comma, table = rest.partition(", ")
    return f"{title}{comma}{table}" if colon and comma and "," not in title else f"{title}{colon}{rest}"


_WITHIN_A_TABLE = re.compile(r", (?:rows?|columns?|block|first row|second row|unnamed row|section|IQA_outputs)\b")
_COMMIT = re.compile(r" at [0-9a-f]{7,40}\b")


def _plain(value: object) -> str:
    """A protocol's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return " + ".join(_plain(item) for item in value)
    return str(value)
