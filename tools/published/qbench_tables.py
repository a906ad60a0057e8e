"""The shipped tables of the Q-Bench paper and its README, read for tests."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from qbench.records import Estimate, Result

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "published" / "qbench"
FILES = {
    "2": "table_02_a1_test.json",
    "3": "table_03_a2.json",
    "4": "table_04_a3.json",
    "5": "table_05_a1_kosmos.json",
    "7": "table_07_a1_dev.json",
    "8": "table_08_a1_yes_no.json",
    "9": "table_09_a3_argmax.json",
    "10": "table_10_a3_high_low.json",
    "11": "table_11_a3_synonyms.json",
    "GPT-4V": "table_readme_gpt4v.json",
    "closed": "table_readme_closed_models.json",
}


@cache
def records(table: str) -> tuple[Result, ...]:
    return tuple(Result.from_json(row) for row in json.loads((FOLDER / FILES[table]).read_text(encoding="utf-8")))


def printed_row(result: Result) -> str:
    found = re.search(r"row '(.+?)'(, column '|$)", result.source.cited)
    assert found, result.source.cited
    return found[1]


@cache
def cells(table: str) -> dict[str, dict[str, Estimate]]:
    """Row as printed -> column -> figure."""
    rows: dict[str, dict[str, Estimate]] = {}
    for result in records(table):
        row = rows.setdefault(printed_row(result), {})
        for name, metric in result.metrics.items():
            row[f"{result.dataset} {name}" if result.task == "assessment" else name] = metric
        for grouping, groups in result.groups.items():
            row.update({f"{grouping}/{group}": metric for group, some in groups.items() for metric in some.values()})
    return rows


def value(one: Estimate) -> float:
    assert one.value is not None
    return one.value


def best(one: Estimate) -> float:
    """Our own value where the printed one is flagged as wrong."""
    return value(one) if one.recomputed is None else one.recomputed
