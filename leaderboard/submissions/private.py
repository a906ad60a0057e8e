"""Results on private answers, in figures from which the answers cannot be learned one by one.

Every figure that is told tells something about the answers. So few kinds of figures are told, each rounded to a step
that spans several items, and of only so many submissions of a split in a month. `python -m bench.private_answers` plays
attacks, and tells the most that a whole one can learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from leaderboard.store.submission import Entry
from qbench.errors import UserError
from qbench.records import Estimate, Metrics, Result
from qbench.stats.intervals import plcc_interval, srcc_interval, wilson

PRIVATE_ANSWERS = "private"
"""Value of the protocol field `answers` in results scored against answers that are not public."""
LEAST_ITEMS = 100
"""No figure is told of fewer."""
FEWEST_IN_A_STEP = 5
"""Items whose answers can change before a figure does, at the least."""
STEPS = (0.01, 0.02, 0.05)
"""What figures are rounded to: the first that spans so many."""
A_DAY = 3
"""Results that one account may hand in a day."""
A_MONTH = 20
"""Results on a split that go on the board in 30 days without the owner's word, whoever hands them in."""
MONTH = timedelta(days=30)
_SHARES = ("accuracy", "accuracy_joint", "accuracy_consistent", "accuracy_balanced")
_CORRELATIONS: Mapping[str, Callable[[float, int], Estimate]] = {"srcc": srcc_interval, "plcc": plcc_interval}
_WITHOUT_TRUTH = ("consistency", "first_rate", "second_rate", "tie_rate")
"""Figures of the replies alone, which tell nothing about the answers."""
_PART = "part"
"""Grouping whose correlations are told too: the parts of which a dataset is the mean."""


def coarse(result: Result) -> Result:
    """The result with no more than may be told of it: rounded figures of enough items, and nothing of single ones.

    Raises:
        UserError: It is about too few items.
    """
    metrics = _coarse_metrics(result.metrics)
    if not any(name in metrics for name in (*_SHARES, *_CORRELATIONS)):
        raise UserError(
            f"the private answers of {result.dataset} are too few: figures of fewer than {LEAST_ITEMS} would tell "
            "single ones; its owner has to add questions"
        )
    groups = {
        grouping: {group: told for group, figures in members.items() if (told := _coarse_metrics(figures))}
        for grouping, members in result.groups.items()
        if grouping == _PART or all(set(figures) == {"accuracy"} for figures in members.values())
    }
    groups = {grouping: members for grouping, members in groups.items() if members}
    return replace(result, metrics=metrics, groups=groups, items={})


def _coarse_metrics(metrics: Metrics) -> dict[str, Estimate]:
    return {name: told for name, estimate in metrics.items() if (told := _coarse(name, estimate)) is not None}


def _coarse(name: str, estimate: Estimate) -> Estimate | None:
    """The figure rounded, with an interval made of nothing but it; None where it is not told."""
    if name in _WITHOUT_TRUTH:
        return estimate
    if estimate.value is None or (estimate.n or 0) < LEAST_ITEMS or name not in (*_SHARES, *_CORRELATIONS):
        return None
    n = estimate.n or 0
    step = step_of(n)
    value = round(round(estimate.value / step) * step, 6)
    lowest = 0.0 if name in _SHARES else -1.0
    low, high = (_interval(name, min(1.0, max(lowest, value + end)), n) for end in (-step / 2, step / 2))
    return Estimate(value, low.low, high.high, n=n, method=f"{low.method}, of a figure rounded to {step:g}")


def _interval(name: str, value: float, n: int) -> Estimate:
    return _CORRELATIONS[name](value, n) if name in _CORRELATIONS else wilson(value * n, n)


def step_of(n: int) -> float:
    """What a figure of so many items is rounded to."""
    return next(step for step in STEPS if step >= FEWEST_IN_A_STEP / n)


def is_private(result: Result) -> bool:
    """Whether a result was scored here against answers that are not public; a file of figures can only claim it."""
    return result.source.kind == "rescored" and result.protocol.get("answers") == PRIVATE_ANSWERS


def told_lately(entries: Iterable[Entry], result: Result, now: datetime) -> int:
    """Submissions of the last 30 days that told something of the private answers of a result's split."""
    return sum(
        entry.status != "pending"
        and datetime.fromisoformat(entry.submission.submitted_at.replace("Z", "+00:00")) > now - MONTH
        and any(is_private(other) and _split(other) == _split(result) for other in entry.submission.results)
        for entry in entries
    )


def limit_private(entries: Iterable[Entry], identity: str, now: datetime) -> None:
    """Refuse an account's next result of a day on private answers: whoever may try often enough learns them."""
    today = sum(
        entry.submission.identity == identity
        and entry.submission.submitted_at[:10] == now.date().isoformat()
        and any(map(is_private, entry.submission.results))
        for entry in entries
    )
    if today >= A_DAY:
        raise UserError(
            f"you handed in {today} results on private answers today; the limit is {A_DAY} a day, so come back tomorrow"
        )


def _split(result: Result) -> tuple[str, str, str | None]:
    return result.task, result.dataset, result.split
