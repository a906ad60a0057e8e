"""`score A B --against`: how far two models differ on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qbench.commands.text import printable
from qbench.errors import UndefinedError, UserError
from qbench.records import Result
from qbench.results.items import common_items, compare_items
from qbench.stats.significance import Difference, holm, independent


@dataclass(frozen=True)
class MetricDifference:
    """One metric of two records: the first less the second.

    On the items that both hold where there are enough of them; else from the intervals of both.
    """

    metric: str
    first: Result
    second: Result
    shared: int
    only_first: int
    only_second: int
    paired: bool
    difference: Difference | None
    reason: str = ""
    """Why there is none."""

    def to_json(self) -> dict[str, Any]:
        found = self.difference
        return {
            "metric": self.metric,
            "dataset": self.first.dataset,
            "first": self.first.model,
            "second": self.second.model,
            "items": {"shared": self.shared, "first_only": self.only_first, "second_only": self.only_second},
            "difference": None if found is None else found.estimate.to_json(),
            "p": None if found is None else found.p,
            "test": None if found is None else found.test,
            "paired": self.paired,
            "note": self.reason or None,
        }


def compare_results(first: Sequence[Result], second: Sequence[Result]) -> list[MetricDifference]:
    """Every metric that both files have, of the datasets that both are about.

    Raises:
        UserError: There is none.
    """
    by_place = {(result.task, result.dataset): result for result in second}
    found = [
        _compare(metric, result, other)
        for result in first
        if (other := by_place.get((result.task, result.dataset)))
        for metric in result.metrics
        if metric in other.metrics
    ]
    if not found:
        about = " and ".join(
            ", ".join(dict.fromkeys(f"{printable(result.dataset)} ({result.task})" for result in some))
            for some in (first, second)
        )
        raise UserError(f"the two files have nothing in common to compare: they are about {about}")
    return found


def _compare(metric: str, first: Result, second: Result) -> MetricDifference:
    mine, other = first.items.get(metric), second.items.get(metric)
    counts, reason = (0, 0, 0), ""
    if mine and other:
        shared = len(common_items(mine, other)[0].names)
        counts = shared, len(mine.names) - shared, len(other.names) - shared
        try:
            return MetricDifference(metric, first, second, *counts, True, compare_items(mine, other))
        except UndefinedError as error:
            reason = error.reason
    try:
        difference = independent(first.metrics[metric], second.metrics[metric])
        return MetricDifference(metric, first, second, *counts, False, difference)
    except UndefinedError as error:
        return MetricDifference(metric, first, second, *counts, False, None, reason or error.reason)


def differences_text(found: Sequence[MetricDifference]) -> str:
    """The differences as lines for a terminal, with p-values corrected for the number of metrics."""
    corrected = holm([float("nan") if metric.difference is None else metric.difference.p for metric in found])
    lines: list[str] = []
    for metric, p in zip(found, corrected, strict=True):
        first, second = printable(metric.first.model), printable(metric.second.model)
        head = f"{first} less {second} on {printable(metric.first.dataset)}"
        if not lines or head not in lines:
            lines.append(head)
        lines.append(f"  {metric.metric:<20} {_difference_text(metric, float(p))}")
        if metric.paired and (metric.only_first or metric.only_second):
            lines.append(
                f"  {'':<20} left out: {metric.only_first:,} only in the first, {metric.only_second:,} in the second"
            )
    return "\n".join(lines)


def _difference_text(metric: MetricDifference, corrected: float) -> str:
    if metric.difference is None:
        return f"–        {metric.reason}"
    estimate, p = metric.difference.estimate, metric.difference.p
    span = "" if estimate.low is None or estimate.high is None else f"  [{estimate.low:+.4f}, {estimate.high:+.4f}]"
    how = f"paired: {metric.difference.test}; {metric.shared:,} items in common" if metric.paired else "unpaired"
    return f"{estimate.value:+7.4f}{span}  p {p:.4f}, Holm {corrected:.4f}  ({how})"
