"""Which record fills which cell.

Published figures stand: of several records for one cell the paper's is shown, then one re-scored from raw responses,
then one run live, then a self-reported one; among equals the newest, then the first in the store, where a paper's main
table stands before its ablations. So an upload can add to a board but never replace what a paper printed. Records that
are passed over stay listed with the row's provenance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from leaderboard.columns import Address, Board, Column
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Metrics, Result, SourceKind

PRECEDENCE: tuple[SourceKind, ...] = ("paper", "rescored", "live", "self-reported")

FindModel = Callable[[str], "ModelFacts | None"]
"""Name in a record -> the model that goes by it, if anybody knows it."""


@dataclass(frozen=True)
class Cell:
    """One figure for one column."""

    estimate: Estimate
    result: Result | None
    """The record it comes from; None for an average we computed."""


@dataclass(frozen=True)
class Offers:
    """What the records hold for one model."""

    model: ModelFacts
    cells: Mapping[str, list[Cell]]
    """Column key -> figures, the one to show first."""


Row = Mapping[str, Cell]
"""Column key -> what is shown."""


def collect(results: Iterable[Result], board: Board, find_model: FindModel) -> list[Offers]:
    """Everything the records hold for this board, by model."""
    columns = {column.find: column.key for column in board.columns if column.find}
    places = {(address.task, address.dataset, address.split) for address in columns}
    known: dict[str, ModelFacts] = {}
    cells: dict[str, dict[str, list[Cell]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if (result.task, result.dataset, result.split) not in places:
            continue
        if result.model not in known:
            known[result.model] = find_model(result.model) or ModelFacts(result.model, result.model, "model")
        model = known[result.model]
        if not board.admits(result.protocol, model):
            continue
        for address, estimate in figures(result):
            if address in columns:
                cells[model.id][columns[address]].append(Cell(estimate, result))
    for of_model in cells.values():
        for some in of_model.values():
            if len(some) > 1:
                _order(some)
    models = {model.id: model for model in known.values()}
    return [Offers(models[name], of_model) for name, of_model in cells.items()]


def fill(board: Board, offers: Offers) -> Row:
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


def has_value(row: Row, key: str) -> bool:
    """Whether the row has a figure in this column, not just a reason for its absence."""
    return key in row and row[key].estimate.value is not None


def _average(column: Column, columns: Mapping[str, Column], row: Row) -> Cell:
    """The printed average where it averages the very figures shown, else our own; none over missing figures."""
    missing = list(dict.fromkeys(columns[key].label for key in column.mean_of if not has_value(row, key)))
    if missing:
        named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        return Cell(Estimate(None, note=f"no average, because there is no figure for {named}"), None)
    parts = [row[key] for key in column.mean_of]
    if has_value(row, column.key) and all(_kind(part) == _kind(row[column.key]) for part in parts):
        return row[column.key]
    mean = np.average([part.estimate.value for part in parts], weights=column.weights or None)
    return Cell(Estimate(float(mean), method="mean", note=f"our mean of the {len(parts)} figures it averages"), None)


def _kind(cell: Cell) -> SourceKind | None:
    return cell.result.source.kind if cell.result else None


def _order(cells: list[Cell]) -> None:
    """Sort in place by precedence; a figure always goes before a mere reason for its absence."""
    cells.sort(key=lambda cell: cell.result.source.at or "" if cell.result else "", reverse=True)
    cells.sort(key=lambda cell: (cell.estimate.value is None, PRECEDENCE.index(_kind(cell) or "self-reported")))


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
