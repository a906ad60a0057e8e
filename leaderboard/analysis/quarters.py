"""SRCC by quarter of quality: whether models that rank all images fail among the good ones.

A quarter has a narrower range than all images, which lowers everybody's correlation there. So a figure is held against
what that range alone leaves of the model's own SRCC (see `qbench.stats.correlation.restricted_srcc`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from leaderboard.boards.scoring import ASSESSMENT_DATASETS
from leaderboard.store import Recorded
from leaderboard.tables.cells import Cell
from leaderboard.tables.classes import classed_protocol, how_asked
from leaderboard.tables.models import FindModel, known_model
from qbench.models.catalogue import ModelFacts
from qbench.records import Source
from qbench.results.quality import EXPECTED_SRCC, QUARTERS


@dataclass(frozen=True)
class Quarter:
    """One model among the images of one quarter."""

    name: str
    srcc: Cell
    expected: float
    """What the narrower range alone leaves."""

    @property
    def against_range(self) -> Literal["below", "as expected", "above"]:
        """Below or above where the 95 % interval leaves out what is expected."""
        if self.srcc.high is not None and self.srcc.high < self.expected:
            return "below"
        return "above" if self.srcc.low is not None and self.srcc.low > self.expected else "as expected"


@dataclass(frozen=True)
class ModelByQuarter:
    """One model on one dataset, asked in one way."""

    model: ModelFacts
    asked: str
    over_all: float
    """SRCC over all images."""
    quarters: tuple[Quarter, ...]
    """The lowest scores first."""
    source: Source


def find_quarters(records: Iterable[Recorded], find_model: FindModel) -> dict[str, list[ModelByQuarter]]:
    """Dataset -> models, those with the highest SRCC first; of several records of one model, asked in one way, the
    first counts."""
    found: dict[str, dict[tuple[str, str], ModelByQuarter]] = {}
    for record in records:
        result, model = record.result, known_model(record.result.model, find_model)
        asked = how_asked(classed_protocol(result, model)) or ""
        groups = result.groups.get("quarter", {})
        quarters = [
            Quarter(name, Cell(of.value, of.low, of.high, of.n), expected.value)
            for name in QUARTERS
            for of, expected in [[groups.get(name, {}).get(metric) for metric in ("srcc", EXPECTED_SRCC)]]
            if of and of.value is not None and expected and expected.value is not None
        ]
        if len(quarters) == len(QUARTERS):
            each = ModelByQuarter(model, asked, result.metrics["srcc"].value or 0.0, tuple(quarters), result.source)
            found.setdefault(result.dataset, {}).setdefault((model.id, asked), each)
    known = [name for name in ASSESSMENT_DATASETS if name in found]
    return {
        dataset: sorted(found[dataset].values(), key=lambda each: -each.over_all)
        for dataset in dict.fromkeys([*known, *found])
    }
