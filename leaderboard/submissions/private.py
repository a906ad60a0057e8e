"""Results on private answers, in figures from which the answers cannot be learned one by one.

Every figure that is told tells something about the answers. So few kinds of figures are told, each rounded to a step
that spans several items, and of only so many submissions of a split in a month; with the ladder (Blum and Hardt 2015,
https://arxiv.org/abs/1502.04585) only figures that are better by a step than every one before. `python -m
tests.private_answers` plays attacks, and tells the most that a whole one can learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
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
STEPS = (0.005, 0.01, 0.02, 0.05)
MONTH = timedelta(days=30)
_SHARES = ("accuracy", "accuracy_joint", "accuracy_consistent", "accuracy_balanced")
_CORRELATIONS: Mapping[str, Callable[[float, int], Estimate]] = {"srcc": srcc_interval, "plcc": plcc_interval}
_WITHOUT_TRUTH = ("consistency", "first_rate", "second_rate", "tie_rate")
"""Figures of the replies alone, which tell nothing about the answers."""
_PART = "part"
"""Grouping whose correlations are told too: the parts of which a dataset is the mean."""


@dataclass(frozen=True)
class PrivateRules:
    """How much is told of private answers, as the owner sets it."""

    step: float = 0.01
    """What figures are rounded to, at the least."""
    a_day: int = 3
    """Results that one account may hand in a day."""
    a_month: int = 20
    """Results on a split that go on the board in 30 days without the owner's word, whoever hands them in."""
    ladder: bool = False
    """Whether a figure is told only if it is better by a step than all before it on the same split."""


DEFAULT_RULES = PrivateRules()


def coarse(result: Result, rules: PrivateRules) -> Result:
    """The result with no more than may be told of it: rounded figures of enough items, and nothing of single ones.

    Raises:
        UserError: It is about too few items.
    """
    metrics = _coarse_metrics(result.metrics, rules)
    if not any(name in metrics for name in (*_SHARES, *_CORRELATIONS)):
        raise UserError(
            f"the private answers of {result.dataset} are too few: figures of fewer than {LEAST_ITEMS} would tell "
            "single ones; its owner has to add questions"
        )
    groups = {
        grouping: {group: told for group, figures in members.items() if (told := _coarse_metrics(figures, rules))}
        for grouping, members in result.groups.items()
        if grouping == _PART or all(set(figures) == {"accuracy"} for figures in members.values())
    }
    groups = {grouping: members for grouping, members in groups.items() if members}
    return replace(result, metrics=metrics, groups=groups, items={})


def _coarse_metrics(metrics: Metrics, rules: PrivateRules) -> dict[str, Estimate]:
    return {name: told for name, estimate in metrics.items() if (told := _coarse(name, estimate, rules)) is not None}


def _coarse(name: str, estimate: Estimate, rules: PrivateRules) -> Estimate | None:
    """The figure rounded, with an interval made of nothing but it; None where it is not told."""
    if name in _WITHOUT_TRUTH:
        return estimate
    if estimate.value is None or (estimate.n or 0) < LEAST_ITEMS or name not in (*_SHARES, *_CORRELATIONS):
        return None
    n = estimate.n or 0
    step = step_of(n, rules)
    value = round(round(estimate.value / step) * step, 6)
    lowest = 0.0 if name in _SHARES else -1.0
    low, high = (_interval(name, min(1.0, max(lowest, value + end)), n) for end in (-step / 2, step / 2))
    return Estimate(value, low.low, high.high, n=n, method=f"{low.method}, of a figure rounded to {step:g}")


def _interval(name: str, value: float, n: int) -> Estimate:
    return _CORRELATIONS[name](value, n) if name in _CORRELATIONS else wilson(value * n, n)


def step_of(n: int, rules: PrivateRules) -> float:
    """What a figure of so many items is rounded to."""
    fitting = (step for step in STEPS if step >= max(rules.step, FEWEST_IN_A_STEP / n))
    return next(fitting, max(rules.step, STEPS[-1]))


def climb(result: Result, entries: Iterable[Entry], rules: PrivateRules) -> Result:
    """The result by the ladder: figures that are not better by a step than all before on this split are absent.

    Args:
        result: As `coarse` gives it.
        entries: Every submission there is; those that wait count, since they may be told.
        rules: Of the installation.
    """
    best: dict[tuple[str, ...], float] = {}
    for before in _private_results(entries, result):
        if before.raw == result.raw:
            continue  # the same replies tell the same
        for place, estimate in _figures(before):
            if estimate.value is not None:
                best[place] = max(best.get(place, -1.0), estimate.value)

    def told(place: tuple[str, ...], estimate: Estimate) -> Estimate:
        if estimate.value is None or place[-1] in _WITHOUT_TRUTH or place not in best:
            return estimate
        step = step_of(estimate.n or LEAST_ITEMS, rules)
        if estimate.value >= best[place] + step - 1e-9:
            return estimate
        note = f"not better by {step:g} than all before on this split, and no more is told of its private answers"
        return Estimate(None, n=estimate.n, note=note)

    return replace(
        result,
        metrics={name: told((name,), estimate) for name, estimate in result.metrics.items()},
        groups={
            grouping: {
                group: {name: told((grouping, group, name), estimate) for name, estimate in figures.items()}
                for group, figures in members.items()
            }
            for grouping, members in result.groups.items()
        },
    )


def _figures(result: Result) -> Iterator[tuple[tuple[str, ...], Estimate]]:
    for name, estimate in result.metrics.items():
        yield (name,), estimate
    for grouping, members in result.groups.items():
        for group, figures in members.items():
            for name, estimate in figures.items():
                yield (grouping, group, name), estimate


def _private_results(entries: Iterable[Entry], like: Result) -> Iterator[Result]:
    for entry in entries:
        for result in entry.submission.results:
            if is_private(result) and _split(result) == _split(like):
                yield result


def is_private(result: Result) -> bool:
    """Whether a result was scored here against answers that are not public; a file of figures can only claim it."""
    return result.source.kind == "rescored" and result.protocol.get("answers") == PRIVATE_ANSWERS


def _split(result: Result) -> tuple[str, str, str | None]:
    return result.task, result.dataset, result.split


def told_lately(entries: Iterable[Entry], result: Result, now: datetime) -> int:
    """Submissions of the last 30 days that told something of the private answers of a result's split."""
    since = now - MONTH
    return sum(
        entry.status != "pending"
        and datetime.fromisoformat(entry.submission.submitted_at.replace("Z", "+00:00")) > since
        and any(_private_results([entry], result))
        for entry in entries
    )
