"""The cards of the embedded models say what their records say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from qbench.models.builtin import WEIGHTS_FOLDER

FIGURE = re.compile(r"(-?\d\.\d+)(?: \((-?\d\.\d+) to (-?\d\.\d+)\))?")


def card(model: str) -> str:
    return (WEIGHTS_FOLDER / model / "README.md").read_text(encoding="utf-8")


def cells(model: str) -> Iterator[tuple[str, str, str, str]]:
    """Dataset, metric, model and what is printed, of the tables whose rows are figures of demo sets."""
    head: list[str] = []
    for line in card(model).splitlines():
        row = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if row[:2] == ["set", "figure"]:
            head = row
        elif row and head and row[0].startswith("demo-"):
            named = zip(head[2:], row[2:], strict=True)
            yield from ((row[0], row[1].lower().replace(" ", "_"), of, cell) for of, cell in named if of != "before")
        elif not row:
            head = []


@pytest.fixture(scope="module")
def records() -> dict[tuple[str, str], dict[str, Any]]:
    read = [json.loads(path.read_text(encoding="utf-8")) for path in (WEIGHTS_FOLDER / "demo").glob("*.json")]
    return {(record["dataset"], record["model"]): record for record in read}


@pytest.mark.parametrize(("model", "rows"), [("nano-iqa", 7), ("nano-vlm", 32), ("nano-clip", 30)])
def test_figures_on_demo_sets_are_those_of_the_records(
    model: str, rows: int, records: dict[tuple[str, str], dict[str, Any]]
) -> None:
    printed = [cell for cell in cells(model) if cell[3] != "–"]
    assert len({(dataset, metric) for dataset, metric, _, _ in printed}) == rows
    for dataset, metric, of, cell in printed:
        found = FIGURE.fullmatch(cell)
        assert found, cell
        recorded = records[dataset, of]["metrics"][metric]
        for key, figure in zip(("value", "low", "high"), found.groups(), strict=True):
            if figure is not None:
                assert float(figure) == pytest.approx(recorded[key], abs=0.00051), (dataset, metric, of, key)
