"""What single items add to the figures of a record, as a file beside it: one line says of which answers, then one a
metric. Two models are compared on the same items from such files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from qbench.records import Items, Result

FOLDER = "items"
"""Below the folder of the records."""
_DIGITS = 9
_LISTS = ("names", "values", "truth", "parts", "clusters")


def items_path(record: Path) -> Path:
    """Where the items of a record are kept."""
    return record.parent / FOLDER / f"{record.stem}.jsonl"


def items_lines(result: Result) -> bytes:
    """The items of a record as they are stored; nothing where there are none."""
    if not result.items or result.raw is None:
        return b""
    rows: list[dict[str, Any]] = [{"raw": result.raw}]
    written: dict[Items, str] = {}
    for metric, items in result.items.items():
        lists = replace(items, statistic="mean")
        if lists in written:  # of two rank correlations of the same scores
            rows.append({"metric": metric, "statistic": items.statistic, "lists_of": written[lists]})
            continue
        written[lists] = metric
        made = {name: _rounded(getattr(items, name)) for name in _LISTS if getattr(items, name)}
        rows.append({"metric": metric, "statistic": items.statistic, **made})
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode()


def read_items(content: bytes, raw: str | None) -> Mapping[str, Items]:
    """Items as they were stored; none where they are of other answers than these.

    Raises:
        ValueError: Not such a file.
    """
    first, *rows = [json.loads(line) for line in content.decode().split("\n") if line] or [{}]
    try:
        if raw is None or first["raw"] != raw:
            return {}
        by_metric = {row["metric"]: row for row in rows}
        return {
            metric: _items(metric, {**by_metric[row.get("lists_of", metric)], **row})
            for metric, row in by_metric.items()
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no file of items ({error})") from None


def _items(metric: str, row: Mapping[str, Any]) -> Items:
    lists = {name: tuple(row.get(name, ())) for name in _LISTS}
    items = Items(row["statistic"], **lists)
    for column in lists.values():
        if column and len(column) != len(items.names):
            raise ValueError(f"{metric} has lists of different lengths")
    if items.statistic not in ("mean", "srcc", "krcc", "plcc") or (items.statistic == "mean") == bool(items.truth):
        raise ValueError(f"{metric} is no mean and no correlation")
    numbers = items.values + items.truth
    if not all(isinstance(number, float | int) and not isinstance(number, bool) for number in numbers):
        raise ValueError(f"{metric} holds what is no number")
    return items


def _rounded(values: tuple[float | str, ...]) -> list[float | str]:
    """Numbers short enough to be stored by the thousand, and as exact as any statistic of them needs."""
    return [value if isinstance(value, str) else _shortest(value) for value in values]


def _shortest(value: float) -> float:
    rounded = float(f"{value:.{_DIGITS}g}")
    return int(rounded) if rounded == int(rounded) else rounded
