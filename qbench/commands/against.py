"""`score A B --against`: how far two models differ on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qbench.commands.text import printable
from qbench.errors import UndefinedError, UserError
from qbench.records import Items, Result
from qbench.stats.significance import Difference, holm
from qbench.summary.items import common_items, compare_items


@dataclass(frozen=True)
class MetricDifference:
    """One metric of two records: the first less the second, on the items that both hold."""

    metric: str
    first: Result
    second: Result
    shared: int
    only_first: int
    only_second: int
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
            "note": self.reason or None,
        }


def compare_results(first: Sequence[Result], second: Sequence[Result]) -> list[MetricDifference]:
    """Every metric that both files have items for, of the datasets that both are about.

    Raises:
        UserError: There is none.
    """
    by_place = {(result.task, result.dataset): result for result in second}
    found = [
        _compare(metric, result, other, items, other.items[metric])
        for result in first
        if (other := by_place.get((result.task, result.dataset)))
        for metric, items in result.items.items()
        if metric in other.items
    ]
    if not found:
        about = " and ".join(
            ", ".join(dict.fromkeys(f"{printable(result.dataset)} ({result.task})" for result in some))
            for some in (first, second)
        )
        raise UserError(f"the two files have nothing in common to compare: they are about {about}")
    return found


def _compare(metric: str, first: Result, second: Result, mine: Items, other: Items) -> MetricDifference:
    shared = len(common_items(mine, other)[0].names)
    only = len(mine.names) - shared, len(other.names) - shared
    try:
        return MetricDifference(metric, first, second, shared, *only, compare_items(mine, other))
    except UndefinedError as error:
        return MetricDifference(metric, first, second, shared, *only, None, error.reason)


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
        if metric.only_first or metric.only_second:
            lines.append(
                f"  {'':<20} left out: {metric.only_first:,} only in the first, {metric.only_second:,} in the second"
            )
    return "\n".join(lines)


def _difference_text(metric: MetricDifference, corrected: float) -> str:
    if metric.difference is None:
        return f"–        {metric.reason}"
    estimate, p = metric.difference.estimate, metric.difference.p
    span = "" if estimate.low is None or estimate.high is None else f"  [{estimate.low:+.4f}, {estimate.high:+.4f}]"
    items = f"{metric.shared:,} items in common"
    return f"{estimate.value:+7.4f}{span}  p {p:.4f}, Holm {corrected:.4f}  ({metric.difference.test}; {items})"
