"""`score A B --against`: how far two models differ on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qbench.commands.text import printable
from qbench.errors import UndefinedError, UserError
from qbench.records import Result
from qbench.results.items import common_items, compare_items
from qbench.stats.significance import Difference, holm, independent


def compare_results(first: Sequence[Result], second: Sequence[Result]) -> list[dict[str, Any]]:
    """Every metric that both files have, of the datasets that both are about: the first less the second.

    On the items that both hold where there are enough of them; else from the intervals of both.

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


def _compare(metric: str, first: Result, second: Result) -> dict[str, Any]:
    mine, other = first.items.get(metric), second.items.get(metric)
    shared, of_first, of_second = 0, 0, 0
    found: Difference | None = None
    reason = ""
    if mine and other:
        shared = len(common_items(mine, other)[0].names)
        of_first, of_second = len(mine.names) - shared, len(other.names) - shared
        try:
            found = compare_items(mine, other)
        except UndefinedError as error:
            reason = error.reason
    paired = found is not None
    if not paired:
        try:
            found, reason = independent(first.metrics[metric], second.metrics[metric]), ""
        except UndefinedError as error:
            reason = reason or error.reason
    return {
        "metric": metric,
        "dataset": first.dataset,
        "first": first.model,
        "second": second.model,
        "items": {"shared": shared, "first_only": of_first, "second_only": of_second},
        "difference": found and found.estimate.to_json(),
        "p": found and found.p,
        "test": found and found.test,
        "paired": paired,
        "note": reason or None,
    }


def differences_text(found: Sequence[dict[str, Any]]) -> str:
    """The differences as lines for a terminal, with p-values corrected for the number of metrics."""
    corrected = holm([float("nan") if row["p"] is None else row["p"] for row in found])
    lines: list[str] = []
    for row, p in zip(found, corrected, strict=True):
        first, second, dataset = (printable(row[name]) for name in ("first", "second", "dataset"))
        head = f"{first} less {second} on {dataset}"
        if head not in lines:
            lines.append(head)
        lines.append(f"  {row['metric']:<20} {_difference_text(row, float(p))}")
        items = row["items"]
        if row["paired"] and (items["first_only"] or items["second_only"]):
            only = f"{items['first_only']:,} only in the first, {items['second_only']:,} in the second"
            lines.append(f"  {'':<20} left out: {only}")
    return "\n".join(lines)


def _difference_text(row: dict[str, Any], corrected: float) -> str:
    estimate = row["difference"]
    if estimate is None:
        return f"–        {row['note']}"
    low, high = estimate["low"], estimate["high"]
    span = "" if low is None or high is None else f"  [{low:+.4f}, {high:+.4f}]"
    how = f"paired: {row['test']}; {row['items']['shared']:,} items in common" if row["paired"] else "unpaired"
    return f"{estimate['value']:+7.4f}{span}  p {row['p']:.4f}, Holm {corrected:.4f}  ({how})"
