"""What a judge read for the parser, counted apart: how many replies, and what the figures are without them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from qbench.records import Metrics, Presented, Score
from qbench.tasks import Outcome
from qbench.tasks.unread import GRADED_BY

ReadT = TypeVar("ReadT", Score, Presented)
PARSER_ALONE = "parser alone"


def judge_read(outcome: Outcome) -> bool:
    """Whether a judge was asked for what the parser left unread."""
    return outcome.protocol.get("graded_by") == GRADED_BY["graded_by"]


def count_read_by_judge(outcome: Outcome, read: Sequence[Score | Presented]) -> dict[str, Any]:
    """For the protocol: how many replies a judge read, of how many; nothing where none was asked."""
    if not judge_read(outcome):
        return {}
    return {"read_by_judge": {"replies": sum(each.by_judge for each in read), "of": len(read)}}


def group_of_parser(
    outcome: Outcome, read: Sequence[ReadT], summarise: Callable[[list[ReadT]], Metrics]
) -> dict[str, Mapping[str, Metrics]]:
    """For the groups: the figures of what the parser read by itself; nothing where no judge was asked."""
    if not judge_read(outcome):
        return {}
    return {"read_by": {PARSER_ALONE: summarise([_by_parser(each) for each in read])}}


def _by_parser(read: ReadT) -> ReadT:
    if not read.by_judge:
        return read
    answer = ("choice",) if isinstance(read, Presented) else ("value", "order")
    nothing: dict[str, Any] = dict.fromkeys(answer)
    return replace(read, **nothing)
