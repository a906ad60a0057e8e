"""Where results would stand: the row they add to each board, and the models it cannot be told apart from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from leaderboard.beside import find_beside
from leaderboard.cells import FindModel
from leaderboard.columns import EVERYTHING, Board, Column
from leaderboard.differences import Figure, differences
from leaderboard.store import Loaded
from leaderboard.table import Table, build_table
from qbench.records import Result

MOST_COMPARED = 300


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
    unranked: str = ""
    """Why the row has no rank on the board as a whole, if it has none."""


@dataclass(frozen=True)
class Listing:
    """A result of a part of its dataset, as it would be listed under a board."""

    board: Board
    covers: str
    figures: Mapping[str, float]
    """Column key -> figure."""


def listings(added: Sequence[Result], boards: Iterable[Board], find_model: FindModel) -> list[Listing]:
    """What would stand under the boards and not be ranked."""
    loaded = Loaded(tuple(added), (), "")
    return [
        Listing(board, one.covers, one.figures)
        for board in boards
        for one in find_beside(loaded, board, find_model).partial
    ]


def preview(
    present: Sequence[Result], added: Sequence[Result], boards: Iterable[Board], find_model: FindModel
) -> list[Placing]:
    """The new row on every board that takes some of these results."""
    placings = []
    for board in boards:
        for model in dict.fromkeys(result.model for result in added):
            mine = [result for result in added if result.model == model]
            table = build_table([*present, *mine], board, board.choose(EVERYTHING, EVERYTHING), find_model)
            found = find_model(model)
            placing = _placing(table, found.id if found else model, mine)
            if placing is not None:
                placings.append(placing)
    return placings


def _placing(table: Table, model: str, added: Sequence[Result]) -> Placing | None:
    if model not in table.ranked.value.index:
        return None
    mine = {id(result) for result in added}
    origins = [one for one in table.origins[model] if id(one.result) in mine]
    filled = [key for one in origins for key in one.shown]
    passed_over = [key for one in origins for key in one.passed_over]
    if not filled and not passed_over:
        return None
    values = table.ranked.value.loc[model]
    ranks_here = not pd.isna(values[table.primary]) and bool(filled)
    key = table.primary if ranks_here else next(one.key for one in table.columns if one.key in (filled or passed_over))
    column = next(one for one in table.columns if one.key == key)
    figures = {str(name): _figure(table, str(name), key) for name in table.ranked.value[key].dropna().index}
    figure = figures[model]
    others = _best_first(column, figures, model)
    near = [_neighbour(column, figures, model, name, table) for name in others[:MOST_COMPARED]]
    ranking = table.ranks[key]
    rank = ranking.rank.get(model)
    claimed = ranking.ranges.get(model)
    place = sum(_is_better(column, figures[name], figure) for name in others)
    primary = next(one for one in table.columns if one.key == table.primary)
    note = table.notes.get((model, table.primary))
    return Placing(
        board=table.board,
        column=column,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        rank=place + 1 if rank is None or pd.isna(rank) else int(rank),
        best=claimed.best if claimed else None,
        worst=claimed.worst if claimed else None,
        models=len(figures),
        alike=tuple(one for one in near if one.apart is False),
        above=_neighbour(column, figures, model, others[place - 1], table) if place else None,
        below=_neighbour(column, figures, model, others[place], table) if place < len(others) else None,
        untested=sum(one.apart is None for one in near),
        filled=tuple(filled),
        passed_over=tuple(passed_over),
        unranked="" if key == table.primary else (note.text if note else f"{primary.label} is not filled"),
    )


def _is_better(column: Column, one: Figure, other: Figure) -> bool:
    return one.value < other.value if column.metric.direction == "lower" else one.value > other.value


def _best_first(column: Column, figures: Mapping[str, Figure], model: str) -> list[str]:
    """The other models by this column, which need not be the one that orders the board."""
    descending = column.metric.direction != "lower"
    others = (name for name in figures if name != model)
    return sorted(others, key=lambda name: figures[name].value, reverse=descending)


def _neighbour(column: Column, figures: Mapping[str, Figure], model: str, name: str, table: Table) -> Neighbour:
    """Another model, with whether it can be told apart from the new one."""
    [pair] = differences(column, {model: figures[model], name: figures[name]})
    return Neighbour(table.models[name].name, figures[name].value, pair.apart)


def _figure(table: Table, model: str, key: str) -> Figure:
    value, low, high, n = (getattr(table.ranked, part).loc[model, key] for part in ("value", "low", "high", "count"))
    return Figure(
        float(value),
        None if pd.isna(low) else float(low),
        None if pd.isna(high) else float(high),
        None if pd.isna(n) else int(n),
    )


def listing_json(listing: Listing) -> dict[str, Any]:
    """What is listed under a board, for scripts."""
    return {"board": listing.board.key, "covers": listing.covers, "figures": dict(listing.figures)}


def to_json(placing: Placing) -> dict[str, Any]:
    """A row's place, for scripts."""
    return {
        "board": placing.board.key,
        "column": placing.column.key,
        "value": placing.value,
        "low": placing.low,
        "high": placing.high,
        "rank": None if placing.unranked else placing.rank,
        "place_in_column": placing.rank,
        "ranks_claimed": None if placing.best is None else [placing.best, placing.worst],
        "models": placing.models,
        "cannot_be_told_apart_from": [one.name for one in placing.alike],
        "not_testable": placing.untested,
        "columns_filled": list(placing.filled),
        "columns_where_a_published_figure_stands": list(placing.passed_over),
        "why_no_rank": placing.unranked or None,
    }
