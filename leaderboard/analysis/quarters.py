"""SRCC by quarter of quality: whether models that rank all images fail among the good ones.

A quarter has a narrower range than all images, which lowers everybody's correlation there. So a figure is held against
what that range alone leaves of the model's own SRCC (see `qbench.stats.correlation.restricted_srcc`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from leaderboard.boards.qbench import ASSESSMENT_DATASETS
from leaderboard.store import Recorded
from leaderboard.tables.cells import Cell
from leaderboard.tables.classes import classed_protocol, how_asked
from leaderboard.tables.models import FindModel, known_model
from leaderboard.tables.words import dataset_title
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


@dataclass(frozen=True)
class QuarterFinding:
    """All models on one dataset, those with the highest SRCC first."""

    dataset: str
    label: str
    models: tuple[ModelByQuarter, ...]
    finding: str
    sources: tuple[Source, ...]


def find_quarters(records: Iterable[Recorded], find_model: FindModel) -> list[QuarterFinding]:
    """One finding a dataset; of several records of one model, asked in one way, the first counts."""
    found: dict[str, dict[tuple[str, str], ModelByQuarter]] = {}
    sources: dict[str, dict[Source, None]] = {}
    for record in records:
        result, model = record.result, known_model(record.result.model, find_model)
        asked = how_asked(classed_protocol(result, model)) or ""
        key = (model.id, asked)
        groups = result.groups.get("quarter", {})
        quarters = [
            Quarter(name, Cell(of.value, of.low, of.high, of.n), expected.value)
            for name in QUARTERS
            for of, expected in [[groups.get(name, {}).get(metric) for metric in ("srcc", EXPECTED_SRCC)]]
            if of and of.value is not None and expected and expected.value is not None
        ]
        if len(quarters) == len(QUARTERS) and key not in found.get(result.dataset, {}):
            over_all = result.metrics["srcc"].value or 0.0
            found.setdefault(result.dataset, {})[key] = ModelByQuarter(model, asked, over_all, tuple(quarters))
            sources.setdefault(result.dataset, {})[result.source] = None
    known = [name for name in ASSESSMENT_DATASETS if name in found]
    return [
        QuarterFinding(
            dataset,
            ASSESSMENT_DATASETS[dataset][0] if dataset in ASSESSMENT_DATASETS else dataset_title(dataset),
            tuple(sorted(found[dataset].values(), key=lambda each: -each.over_all)),
            _sentence(list(found[dataset].values())),
            tuple(sources[dataset]),
        )
        for dataset in dict.fromkeys([*known, *found])
    ]


def _sentence(models: list[ModelByQuarter]) -> str:
    """For each way of asking, how many fall behind among the best photos, and how many are better there."""
    said = [
        "In the best quarter of the images, people's scores span a narrower range, which alone makes ranking harder."
    ]
    for asked in dict.fromkeys(each.asked for each in models):
        best = [each.quarters[-1].against_range for each in models if each.asked == asked]
        worse, better = best.count("below"), best.count("above")
        where = f"When the scores of models come from {asked}," if asked else "Here"
        said.append(
            f"{where} {worse or 'none'} of the {len(best)} models {_rank(worse)} these images worse than this effect "
            f"predicts, and {better or 'none'} {_rank(better)} them better."
        )
    return " ".join(said)


def _rank(models: int) -> str:
    return "ranks" if models == 1 else "rank"
