"""The metric beside the progress bar: what the answers so far come to, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from qbench.errors import UndefinedError
from qbench.records import Estimate, Presented, Response, Sample, Score
from qbench.stats.correlation import srcc
from qbench.stats.intervals import srcc_interval, wilson
from qbench.summary import mean_of_parts
from qbench.tasks import Ask, Setup, Task, find_task
from qbench.tasks.task import RunningMetric

Preview = Callable[[Sequence[tuple[Ask, Response]]], "Estimate | None"]
"""Takes in new answers and returns the metric so far, or None while there is none."""
Accumulator = Callable[[Iterable["Score | Presented"]], "Estimate | None"]
"""The same for what the answers are worth."""
_ENOUGH = 10
"""Scored images before a running correlation is worth showing."""
_ENOUGH_OF_A_PART = 4
"""With fewer, a part of a dataset has no interval."""


def running_metric(task: Task, samples: Sequence[Sample], setup: Setup) -> Preview:
    """What follows a task's metric while it runs; of a task without one, what never returns a number."""
    if task.running is None or task.reader is None:
        return lambda _answers: None
    read, accumulate = task.reader(samples, setup), ACCUMULATORS[task.running](samples)

    def preview(answers: Sequence[tuple[Ask, Response]]) -> Estimate | None:
        worth = (read(ask, response) for ask, response in answers)
        return accumulate(found for found in worth if found is not None)

    return preview


def metric_name(task: str) -> str:
    """What the running metric of a task is called; empty where it has none."""
    running = find_task(task).running
    return LABELS[running] if running else ""


def _accuracy(_samples: Sequence[Sample]) -> Accumulator:
    right: list[float] = []

    def accumulate(scores: Iterable[Score | Presented]) -> Estimate | None:
        known = (score for score in scores if isinstance(score, Score) and score.truth is not None)
        right.extend(score.value or 0.0 for score in known)
        return wilson(sum(right), len(right)) if right else None

    return accumulate


def _correlation(samples: Sequence[Sample]) -> Accumulator:
    """As the result will have it: within each part and averaged, where the dataset has parts."""
    apart = all("part" in sample.groups for sample in samples)
    parts: dict[str, tuple[list[float], list[float]]] = {}

    def accumulate(scores: Iterable[Score | Presented]) -> Estimate | None:
        for score in scores:
            if isinstance(score, Score) and score.value is not None and score.truth is not None:
                model, human = parts.setdefault(score.groups["part"] if apart else "", ([], []))
                model.append(score.value if score.order is None else score.order)
                human.append(score.truth)
        begun = [part for part in parts.values() if len(part[0]) >= _ENOUGH_OF_A_PART]
        if not begun or sum(len(model) for model, _ in parts.values()) < _ENOUGH:
            return None
        try:
            return mean_of_parts([srcc_interval(srcc(model, human), len(model)) for model, human in begun])
        except UndefinedError:
            return None

    return accumulate


def _consistency(_samples: Sequence[Sample]) -> Accumulator:
    """Share of pairs whose two orders favour the same image (2AFC paper, Eq. 3); two ties favour none."""
    winners: dict[tuple[str, ...], list[str | None]] = {}

    def accumulate(comparisons: Iterable[Score | Presented]) -> Estimate | None:
        for shown in comparisons:
            if isinstance(shown, Presented) and shown.choice is not None:
                winner = {"first": shown.first, "second": shown.second}.get(shown.choice)
                winners.setdefault(tuple(sorted((shown.first, shown.second))), []).append(winner)
        both = [won for won in winners.values() if len(won) > 1]
        return wilson(sum(won[0] is not None and len(set(won)) == 1 for won in both), len(both)) if both else None

    return accumulate


ACCUMULATORS: Mapping[RunningMetric, Callable[[Sequence[Sample]], Accumulator]] = {
    "accuracy": _accuracy,
    "srcc": _correlation,
    "consistency": _consistency,
}
LABELS: Mapping[RunningMetric, str] = {"accuracy": "accuracy", "srcc": "SRCC", "consistency": "consistency"}
