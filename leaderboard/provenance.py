"""Where a record comes from and how it was made, in words: for the page's lists of sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from leaderboard.store.submission import Entry
from qbench.records import Result


def describe_origin(result: Result, entry: Entry | None, name: Callable[[str | None], Any]) -> dict[str, Any]:
    """Source and protocol of a record, and what whoever handed it in says of it.

    Args:
        result: The record.
        entry: The submission it came with, if it was handed in.
        name: What stands for a text, such as its number in a list of them; None for no text.
    """
    source = result.source
    told = {
        "kind": source.kind,
        "reference": name(source.reference),
        "url": name(source.url),
        "by": name(source.by),
        "at": source.at,
        "protocol": name("; ".join(f"{key.replace('_', ' ')}: {_plain(one)}" for key, one in result.protocol.items())),
        "unscored": name(", ".join(f"{count} {reason}" for reason, count in result.unscored.items())),
    }
    if entry is None:
        return told
    said = entry.submission.metadata
    return {
        **told,
        "prompts": name(said.prompts),
        "trained": name(", ".join(said.trained_on)),
        "submission": name(entry.digest),
        "kept": name(entry.url),
    }


def _plain(value: object) -> str:
    """A protocol's value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return " + ".join(_plain(one) for one in value)
    return str(value)
