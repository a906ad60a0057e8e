"""How far sources of the same figure of a model are apart: by prompt, harness, version or slip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leaderboard.snapshot import Snapshot
from leaderboard.tables.columns import Board, Column
from leaderboard.tables.provenance import source_place
from leaderboard.tables.table import Table
from qbench.models.catalogue import ModelFacts

ROUNDING = 0.0005
"""Sources print three digits or four: figures no further apart may be the same."""


@dataclass(frozen=True)
class SourceSpread:
    """One model in the column that ranks a board, by several sources."""

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


def find_source_spreads(snapshot: Snapshot) -> SourceFinding:
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
