"""What is kept in memory of a submission that waits for review: enough to list it, to count it and to know it again.

Anybody can hand one in, so a server holds little of each; the whole is read from its file when somebody asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from leaderboard.store.submission import Submission
from qbench.records import Result

MOST_FIELDS = 40
"""Metrics and fields of the protocol that are kept of a result; those of this tool have fewer."""
LONGEST_FIELD = 500
"""Characters of such a field as JSON."""
ValueT = TypeVar("ValueT")


def header_of(submission: Submission) -> Submission:
    """The submission with the heads of its results alone, named as the whole is."""
    made = replace(submission, results=tuple(map(_head, submission.results)))
    names = {name: getattr(submission, name) for name in ("content", "unsalted", "digest")}
    made.__dict__.update(names)  # where cached properties lie: what is left of the results would have other names
    return made


def _head(result: Result) -> Result:
    """Task, dataset, model, source and figures over all items.

    Figures on private answers keep their groups: of what was told of them the next submissions depend, and they were
    made here, from answers that are here.
    """
    return replace(
        result,
        metrics=_first(result.metrics),
        protocol={name: value for name, value in _first(result.protocol).items() if _is_short(value)},
        groups=result.groups if "answers" in result.protocol else {},
        unscored=_first(result.unscored),
        status=_first(result.status),
        items={},
    )


def _first(fields: Mapping[str, ValueT]) -> dict[str, ValueT]:
    return dict(islice(fields.items(), MOST_FIELDS))


def _is_short(value: Any) -> bool:
    return len(json.dumps(value)) <= LONGEST_FIELD
