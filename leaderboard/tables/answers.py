"""Where the answers behind a figure can be read: which set of answers the page of answers shows, and whose in it."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlencode

from leaderboard.store import Recorded
from qbench.records import Result
from qbench.results.stored import released_path
from qbench.tasks import TASKS, perception

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
