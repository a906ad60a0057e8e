"""All findings of one snapshot: habits, and what figures rest on: the quality of the photos, the judge, the source.

SRCC by quarter of quality says whether models that rank all images fail among the good ones. A quarter has a narrower
range than all images, which lowers everybody's correlation there. So a figure is held against what that range alone
leaves of the model's own SRCC (see `qbench.stats.correlation.restricted_srcc`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from leaderboard.analysis.habits import (
    PositionFinding,
    PositionShares,
    WordHabit,
    YesNoFinding,
    find_position,
    find_score_words,
    find_shares,
    find_yes_no,
)
from leaderboard.boards.scoring import ASSESSMENT_DATASETS
from leaderboard.snapshot import Snapshot
from leaderboard.store import Recorded
from leaderboard.tables.cells import Cell, cell_of
from leaderboard.tables.classes import classed_protocol, how_asked
from leaderboard.tables.columns import Board, Column
from leaderboard.tables.models import FindModel, known_model
from leaderboard.tables.provenance import source_place
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts
from qbench.records import Source
from qbench.results.answers import stored_grades
from qbench.results.quality import EXPECTED_SRCC, QUARTERS

PAIRS = {"coarse": "2afc-coarse", "fine": "2afc-fine"}
"""Kind of pairs -> board that holds them."""
ROUNDING = 0.0005
"""Sources print three digits or four: figures no further apart may be the same."""


@dataclass(frozen=True)
class Quarter:
    """One model among the images of one quarter."""

    name: str
    srcc: Cell
    expected: Cell
    """What the narrower range alone leaves."""

    @property
    def against_range(self) -> Literal["below", "as expected", "above"]:
        """Below or above where the 95 % interval leaves out what is expected."""
        if self.srcc.high is not None and self.srcc.high < self.expected.value:
            return "below"
        return "above" if self.srcc.low is not None and self.srcc.low > self.expected.value else "as expected"


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


@dataclass(frozen=True)
class JudgeOnModel:
    """What a judge that grades one description several times gave the descriptions of one model."""

    model: ModelFacts
    same: dict[str, float]
    """Dimension -> share of descriptions whose grades are all the same."""
    deviation: float
    """Standard deviation of the grades of one description, the mean over descriptions and dimensions."""
    source: Source

    @property
    def mean(self) -> float:
        """Of all dimensions."""
        return sum(self.same.values()) / len(self.same)


@dataclass(frozen=True)
class SourceSpread:
    """One model in the column that ranks a board, by several sources: by prompt, harness, version or slip."""

    model: ModelFacts
    board: Board
    column: Column
    figures: tuple[tuple[float, str], ...]
    """Each figure with the place it comes from, highest first."""

    @property
    def width(self) -> float:
        """Between the highest and the lowest."""
        return round(self.figures[0][0] - self.figures[-1][0], 6)


@dataclass(frozen=True)
class SourceFinding:
    """All models that have figures of several sources."""

    compared: int
    apart: tuple[SourceSpread, ...]
    """Those whose sources differ by more than rounding; of each metric the widest first."""


@dataclass(frozen=True)
class Findings:
    """What the results of one snapshot say."""

    revision: str
    as_of: str
    """Which data, in words; see `Loaded.as_of`."""
    yes_no: tuple[YesNoFinding, ...]
    """One for each set of questions."""
    position: dict[str, PositionFinding]
    """By kind of pairs."""
    shares: tuple[PositionShares, ...]
    score_words: list[WordHabit]
    judge: tuple[JudgeOnModel, ...]
    quarters: dict[str, list[ModelByQuarter]]
    """By dataset."""
    sources: SourceFinding


@lru_cache(maxsize=1)
def find_habits(snapshot: Snapshot) -> Findings:
    """Look at every record of a snapshot, once: three pages and an endpoint show what is found."""
    loaded, find_model = snapshot.loaded, snapshot.find_model
    return Findings(
        revision=loaded.revision,
        as_of=loaded.as_of,
        yes_no=tuple(find_yes_no(loaded.records, find_model)),
        position={
            kind: find_position(snapshot, board)
            for kind, board in PAIRS.items()
            if any(known.key == board for known in snapshot.boards)
        },
        shares=tuple(find_shares(loaded.results, find_model)),
        score_words=find_score_words(loaded.records, find_model),
        judge=_find_judge(loaded.records, find_model),
        quarters=_find_quarters(loaded.records, find_model),
        sources=_find_source_spreads(snapshot),
    )


def _find_quarters(records: Iterable[Recorded], find_model: FindModel) -> dict[str, list[ModelByQuarter]]:
    """Dataset -> models, those with the highest SRCC first; of several records of one model, asked in one way, the
    first counts."""
    found: dict[str, dict[tuple[str, str], ModelByQuarter]] = {}
    for record in records:
        result, model = record.result, known_model(record.result.model, find_model)
        asked = how_asked(classed_protocol(result, model)) or ""
        groups = result.groups.get("quarter", {})
        both = {
            name: [cell_of(groups.get(name, {}).get(metric)) for metric in ("srcc", EXPECTED_SRCC)] for name in QUARTERS
        }
        quarters = [Quarter(name, srcc, expected) for name, (srcc, expected) in both.items() if srcc and expected]
        if len(quarters) == len(QUARTERS):
            each = ModelByQuarter(model, asked, result.metrics["srcc"].value or 0.0, tuple(quarters), result.source)
            found.setdefault(result.dataset, {}).setdefault((model.id, asked), each)
    known = [name for name in ASSESSMENT_DATASETS if name in found]
    return {
        dataset: sorted(found[dataset].values(), key=lambda each: -each.over_all)
        for dataset in dict.fromkeys([*known, *found])
    }


def _find_judge(records: Iterable[Recorded], find_model: FindModel) -> tuple[JudgeOnModel, ...]:
    """What the records show whose grades are kept, those models first on which the judge agrees most with itself."""
    found = [
        JudgeOnModel(
            known_model(record.result.model, find_model),
            {name: float(np.mean([len(set(each)) == 1 for each in given])) for name, given in grades.items()},
            float(np.mean([np.std([int(grade) for grade in each]) for given in grades.values() for each in given])),
            record.result.source,
        )
        for record in records
        if (grades := stored_grades(record.result, record.file))
    ]
    return tuple(sorted(found, key=lambda each: (-round(each.mean, 6), each.deviation)))


def _find_source_spreads(snapshot: Snapshot) -> SourceFinding:
    """Compare the sources of every figure that ranks a model on a board."""
    spreads = [spread for table in snapshot.tables for spread in _spreads(table)]
    order = [table.primary.metric.key for table in snapshot.tables]
    apart = sorted(
        (spread for spread in spreads if spread.width > ROUNDING),
        key=lambda spread: (order.index(spread.column.metric.key), -spread.width),
    )
    return SourceFinding(len(spreads), tuple(apart))


def _spreads(table: Table) -> Iterator[SourceSpread]:
    key = table.primary.key
    for row in table.ranked.values():
        figures = {
            source_place(origin.record): row.cells[key].value if key in origin.shown else origin.passed_over[key]
            for origin in row.origins
            if key in origin.shown or key in origin.passed_over
        }
        if len(figures) > 1:
            highest_first = sorted(((value, place) for place, value in figures.items()), reverse=True)
            yield SourceSpread(row.model, table.board, table.primary, tuple(highest_first))
