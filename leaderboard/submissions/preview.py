"""Where results would stand: the row they add to each board, and the models it cannot be told apart from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from leaderboard.snapshot import Snapshot
from leaderboard.store import Recorded, records_of
from leaderboard.submissions.same_name import SameName, compare_same_name
from leaderboard.tables.cells import Cell, make_row
from leaderboard.tables.columns import COMPARED_DECIMALS, Board, Column
from leaderboard.tables.differences import differences
from leaderboard.tables.models import FindModel, group_by_model, known_model
from leaderboard.tables.table import Table, rank_rows
from leaderboard.tables.unranked import Partial, find_unranked
from qbench.models.catalogue import ModelFacts
from qbench.records import Result

STAYS = "the figures that were published under this name stay"
"""Why a row has no rank."""


@dataclass(frozen=True)
class Neighbour:
    """A ranked model near the new row."""

    name: str
    value: float
    apart: bool | None
    """Whether the two can be told apart; None where the board's figure comes without evidence."""


@dataclass(frozen=True)
class Placing:
    """The new row on one board, by one column."""

    board: Board
    column: Column
    value: float
    low: float | None
    high: float | None
    rank: int
    best: int | None
    worst: int | None
    """Ranks it can claim at 95 %; None without evidence."""
    models: int
    """How many have a figure in this column, the new one included."""
    alike: tuple[Neighbour, ...]
    """Models it cannot be told apart from, best first."""
    above: Neighbour | None
    below: Neighbour | None
    untested: int
    """Models whose figures come without evidence, so that nobody can say."""
    filled: tuple[str, ...]
    """Columns the results fill."""
    passed_over: tuple[str, ...]
    """Columns where a figure that was published before stands, and the new one is listed with its row."""
    same_name: tuple[SameName, ...] = ()
    """Columns in which the board has a figure under the name of this model already."""
    unranked: str = ""
    """Why the row has no rank on the board as a whole, if it has none."""

    def to_json(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "board": self.board.key,
            "column": self.column.key,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "rank": None if self.unranked else self.rank,
            "place_in_column": self.rank,
            "ranks_claimed": None if self.best is None else [self.best, self.worst],
            "models": self.models,
            "cannot_be_told_apart_from": [model.name for model in self.alike],
            "not_testable": self.untested,
            "columns_filled": list(self.filled),
            "columns_where_a_published_figure_stands": list(self.passed_over),
            "under_the_same_name": [known.to_json() for known in self.same_name],
            "why_no_rank": self.unranked or None,
        }


def find_listings(added: Sequence[Result], boards: Iterable[Board], find_model: FindModel) -> list[Partial]:
    """What would stand under the boards and not be ranked."""
    models = group_by_model(records_of(added), find_model)
    return [each for board in boards for each in find_unranked(models, (), board, find_model).partial]


def find_placings(now: Snapshot, added: Sequence[Result]) -> list[Placing]:
    """The new row on every board that takes some of these results."""
    of_models = [
        records_of(_newest(result) for result in added if result.model == model)
        for model in dict.fromkeys(result.model for result in added)
    ]
    found = (_place_model(now, mine, table) for table in now.tables for mine in of_models)
    return [placing for placing in found if placing is not None]


def _newest(result: Result) -> Result:
    """As the results will be ordered once they are handed in: after all that have a date."""
    return result if result.source.at else replace(result, source=replace(result.source, at="9999-12-31"))


def _place_model(now: Snapshot, mine: Sequence[Recorded], before: Table) -> Placing | None:
    """The row of one model on a board. Where that keeps other figures of it, these results have a row of their own.

    What is compared with the other models is always a figure of these results, never one that the board has already.
    """
    facts = known_model(mine[0].result.model, now.find_model)
    [these] = group_by_model(mine, lambda _: facts).values()
    if make_row(these, before.board, before.columns) is None:
        return None
    known = now.models[facts.id].records if facts.id in now.models else ()
    after = _with_row(before, facts, [*known, *mine])
    if facts.id not in after.ranked:
        return None
    origins = [origin for origin in after.ranked[facts.id].origins if origin.record in mine]
    filled = tuple(key for origin in origins for key in origin.shown)
    passed_over = tuple(key for origin in origins for key in origin.passed_over)
    if not filled and not passed_over:
        return None
    same_name = compare_same_name(before, after, facts.id, mine)
    placing = partial(_placing, filled=filled, passed_over=passed_over, same_name=same_name)
    primary = before.primary.key
    if _rests_on(after, primary, filled) and primary in after.ranked[facts.id].cells:
        return placing(after, facts.id, after.primary)
    if not passed_over:
        return placing(after, facts.id, _column(after, filled[0]))
    own = replace(facts, id=f"{facts.id} (these results)")
    alone = _with_row(before, own, mine)
    figures = [column for column in alone.columns if column.key in (*filled, *passed_over)]
    return placing(alone, own.id, alone.primary if primary in alone.ranked[own.id].cells else figures[0])


def _with_row(table: Table, model: ModelFacts, records: Iterable[Recorded]) -> Table:
    """A table with the row that these records make of a model."""
    [of_model] = group_by_model(records, lambda _: model).values()
    row = make_row(of_model, table.board, table.columns)
    return rank_rows(table.board, table.columns, {**table.rows, **({model.id: row} if row else {})})


def _column(table: Table, key: str) -> Column:
    return next(column for column in table.columns if column.key == key)


def _rests_on(table: Table, key: str, filled: Sequence[str]) -> bool:
    """Whether a column shows one of these figures, or a mean of some."""
    return key in filled or any(_rests_on(table, part, filled) for part in table.board.by_key[key].mean_of)


def _placing(
    table: Table, model: str, column: Column, *, same_name: tuple[SameName, ...], **columns: tuple[str, ...]
) -> Placing:
    figures = {name: row.cells[column.key] for name, row in table.ranked.items() if column.key in row.cells}
    figure = figures[model]
    sign = 1 if column.metric.direction == "lower" else -1
    merit = {name: sign * round(cell.value, COMPARED_DECIMALS) for name, cell in figures.items()}  # the best has least
    others = sorted((name for name in figures if name != model), key=merit.__getitem__)
    near = [_neighbour(column, figures, model, name, table) for name in others]
    place = sum(merit[name] < merit[model] for name in others)
    rank, claimed = table.ranks[column.key].get(model, (place + 1, None))
    why = table.ranked[model].absent.get(table.primary.key, f"{table.primary.label} is not filled")
    stays = any(known.column.key == column.key and known.stays for known in same_name)
    return Placing(
        board=table.board,
        column=column,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        rank=rank,
        best=claimed.best if claimed else None,
        worst=claimed.worst if claimed else None,
        models=len(figures),
        alike=tuple(neighbour for neighbour in near if neighbour.apart is False),
        above=_neighbour(column, figures, model, others[place - 1], table) if place else None,
        below=_neighbour(column, figures, model, others[place], table) if place < len(others) else None,
        untested=sum(neighbour.apart is None for neighbour in near),
        same_name=same_name,
        unranked=STAYS if stays else "" if column == table.primary else why,
        **columns,
    )


def _neighbour(column: Column, figures: Mapping[str, Cell], model: str, name: str, table: Table) -> Neighbour:
    """Another model, with whether it can be told apart from the new one."""
    [pair] = differences(column, {model: figures[model], name: figures[name]})
    return Neighbour(table.ranked[name].model.name, figures[name].value, pair.apart)
