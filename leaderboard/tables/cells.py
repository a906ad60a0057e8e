"""Which record fills which cell.

Published figures stand: of several records for one cell the paper's is shown, then one re-scored from raw responses,
then one run live, then a self-reported one. Of several papers the benchmark's own stands before others of its authors,
these before the model's authors, these before anybody else; among equals the newest, then the first in the store, where
a paper's main table stands before its ablations. So an upload can add to a board but never replace what a paper
printed. Records that are passed over stay listed with the row's provenance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from leaderboard.store import Recorded
from leaderboard.tables.classes import classed_protocol
from leaderboard.tables.columns import Address, Board, Column
from leaderboard.tables.models import ModelRecords
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Metrics, Result, SourceKind

PRECEDENCE: tuple[SourceKind, ...] = ("paper", "rescored", "live", "self-reported")

REPORTERS = ("the benchmark", "benchmark authors", "model authors", "others")
"""Who may have printed a figure, nearest to the benchmark first; `protocol.reported_by` of a record."""


@dataclass(frozen=True)
class RecordedFigure:
    """One figure for one column."""

    estimate: Estimate
    record: Recorded | None
    """Where it comes from; None for an average we computed."""


@dataclass(frozen=True)
class ModelFigures:
    """What the records hold for one model."""

    model: ModelFacts
    cells: Mapping[str, list[RecordedFigure]]
    """Column key -> figures, the one to show first."""


BoardRow = Mapping[str, RecordedFigure]
"""Column key -> what is shown."""


def figures_of_model(of_model: ModelRecords, board: Board) -> ModelFigures:
    """Everything the records of a model hold for this board."""
    columns = board.by_address
    cells: dict[str, list[RecordedFigure]] = {}
    for record in of_model.records:
        result = record.result
        if (result.task, result.dataset, result.split) not in board.places:
            continue
        protocol = classed_protocol(result, of_model.model)
        if not board.admits(protocol, of_model.model):
            continue
        for address, estimate in figures(result):
            for column in columns.get(address, ()):
                if column.takes(protocol):
                    cells.setdefault(column.key, []).append(RecordedFigure(estimate, record))
    for some in cells.values():
        if len(some) > 1:
            _order(some)
    return ModelFigures(of_model.model, cells)


def fill_row(board: Board, offers: ModelFigures) -> BoardRow:
    """One model's row: the first offer for each column, and the averages of complete sets."""
    columns = {column.key: column for column in board.columns}
    row = {key: cells[0] for key, cells in offers.cells.items()}
    done: set[str] = set()

    def average(column: Column) -> None:
        """Fill a mean after the columns it averages, which may be means themselves."""
        if column.mean_of and column.key not in done:
            done.add(column.key)
            for key in column.mean_of:
                average(columns[key])
            row[column.key] = _average(column, columns, row)

    for column in board.columns:
        average(column)
    return row


def has_value(row: BoardRow, key: str) -> bool:
    """Whether the row has a figure in this column, not just a reason for its absence."""
    return key in row and row[key].estimate.value is not None


def _average(column: Column, columns: Mapping[str, Column], row: BoardRow) -> RecordedFigure:
    """The printed average where it averages the very figures shown, else our own; none over missing figures."""
    missing = list(dict.fromkeys(columns[key].label for key in column.mean_of if not has_value(row, key)))
    if missing:
        named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        return RecordedFigure(Estimate(None, note=f"no average, because there is no figure for {named}"), None)
    parts = [row[key] for key in column.mean_of]
    if has_value(row, column.key) and all(_kind(part) == _kind(row[column.key]) for part in parts):
        return row[column.key]
    mean = np.average([part.estimate.value for part in parts], weights=column.weights or None)
    return RecordedFigure(
        Estimate(float(mean), method="mean", note=f"our mean of the {len(parts)} figures it averages"), None
    )


def _kind(cell: RecordedFigure) -> SourceKind | None:
    return cell.record.result.source.kind if cell.record else None


def _order(cells: list[RecordedFigure]) -> None:
    """Sort in place by precedence; a figure always goes before a mere reason for its absence."""
    cells.sort(key=lambda cell: cell.record.result.source.at or "" if cell.record else "", reverse=True)
    cells.sort(key=lambda cell: (cell.estimate.value is None, _kind_rank(cell), _reporter_rank(cell)))


def _kind_rank(cell: RecordedFigure) -> int:
    return PRECEDENCE.index(_kind(cell) or "self-reported")


def _reporter_rank(cell: RecordedFigure) -> int:
    """How near to the benchmark whoever printed the figure is; a record that does not say is the benchmark's paper."""
    by = cell.record.result.protocol.get("reported_by") if cell.record else None
    return -1 if by is None else REPORTERS.index(by) if by in REPORTERS else len(REPORTERS)


def figures(result: Result) -> Iterator[tuple[Address, Estimate]]:
    """Every figure of a record and where it stands."""
    place = (result.task, result.dataset, result.split)
    yield from _addressed(place, result.metrics)
    for grouping, groups in result.groups.items():
        for group, metrics in groups.items():
            yield from _addressed(place, metrics, grouping, group)


def _addressed(
    place: tuple[str, str, str | None], metrics: Metrics, grouping: str | None = None, group: str | None = None
) -> Iterator[tuple[Address, Estimate]]:
    for metric, estimate in metrics.items():
        yield Address(*place, metric, grouping, group), estimate
