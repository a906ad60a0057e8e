"""[Result] -> Table: one row per model, full precision, with intervals, notes, provenance, coverage and ranks.

Incomplete is null: an average over a missing figure does not exist and says which one is missing. People, random
guess and what a board names besides are references beside the ranked models, never among them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from leaderboard.tables.columns import COMPARED_DECIMALS, REFERENCE_KINDS, Board, Column, ColumnChoice
from leaderboard.tables.differences import Figure
from leaderboard.tables.models import ModelRecords, ModelsRecords
from leaderboard.tables.ranks import ColumnRanks, rank_column
from leaderboard.tables.row import Note, Origin, TableRow, make_row
from qbench.models.catalogue import ModelFacts


@dataclass(frozen=True)
class Frames:
    """Figures with their intervals: rows are model ids, columns are column keys, NaN is missing."""

    value: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame
    count: pd.DataFrame
    """Independent items behind each figure, where known."""


RowOf = tuple[ModelRecords, "TableRow | None"]
"""The records of a model and its row."""


@dataclass(frozen=True)
class Table:
    """One board under one choice of columns."""

    board: Board
    choice: ColumnChoice
    columns: tuple[Column, ...]
    primary: str
    """Key of the column that ranks the models."""
    rows: Mapping[str, RowOf]
    """Of each model in the store, what its row was made from, and the row if it has one."""
    models: Mapping[str, ModelFacts]
    """Every row's model, references included, best first."""
    ranked: Frames
    """Models, best first by the primary column, those without a figure there last."""
    reference: Frames
    """People, random guess and the board's own references."""
    notes: Mapping[tuple[str, str], Note]
    """(model id, column key) -> remark."""
    trained: frozenset[tuple[str, str]]
    """(model id, column key) of figures on a dataset that the model was trained on, as the paper or its author says;
    an average over one is among them."""
    images_seen: Mapping[tuple[str, str], float | None]
    """(model id, column key) of figures on images that the model was tuned on without their scores -> their share."""
    origins: Mapping[str, tuple[Origin, ...]]
    ranks: Mapping[str, ColumnRanks]
    """Column key -> how the models rank by it."""

    def row(self, model: str) -> TableRow:
        """The row of a model that has one."""
        row = self.rows[model][1]
        assert row is not None, f"{model} has no row"
        return row

    @property
    def coverage(self) -> dict[str, float]:
        """Share of the columns each ranked model has a figure in."""
        return {str(name): float(row.notna().mean()) for name, row in self.ranked.value.iterrows()}


def build_table(models: ModelsRecords, board: Board, choice: ColumnChoice, before: Table | None = None) -> Table:
    """The table of one board.

    Args:
        models: The records of each model.
        board: What to show.
        choice: Which of its columns.
        before: The same table of an earlier state of the store, from which is taken what has not changed since.
    """
    columns = board.shown(choice)
    primary = board.ranks_by(choice)
    if before is not None and before.board != board:
        before = None
    earlier = before.rows if before else {}
    rows = {name: _row(of_model, board, columns, earlier.get(name)) for name, of_model in models.items()}
    shown = _shown(rows)
    if before is not None and list(shown.items()) == list(_shown(earlier).items()):
        return replace(before, rows=rows)
    names = sorted(shown, key=lambda name: models[name].model.name.casefold())
    names = _best_first(names, shown, primary, [column.key for column in columns].index(primary.key))
    reference = _frames([name for name in names if board.is_reference(models[name].model)], shown, columns)
    ranked = _frames([name for name in names if not board.is_reference(models[name].model)], shown, columns)
    unchanged = _unchanged(before.ranked, ranked) if before else ()
    return Table(
        board=board,
        choice=choice,
        columns=columns,
        primary=primary.key,
        rows=rows,
        models={name: models[name].model for name in names},
        ranked=ranked,
        reference=reference,
        notes={(name, key): note for name, row in shown.items() for key, note in row.notes.items()},
        trained=frozenset((name, key) for name, row in shown.items() for key in row.trained),
        images_seen={(name, key): share for name, row in shown.items() for key, share in row.images_seen.items()},
        origins={name: row.origins for name, row in shown.items()},
        ranks={
            column.key: rank_column(
                column,
                ranked.value[column.key],
                ranked.count[column.key],
                before.ranks[column.key] if before and column.key in unchanged else None,
            )
            for column in columns
        },
    )


def _shown(rows: Mapping[str, RowOf]) -> dict[str, TableRow]:
    return {name: made for name, (_, made) in rows.items() if made is not None}


def _row(of_model: ModelRecords, board: Board, columns: Sequence[Column], before: RowOf | None) -> RowOf:
    return before if before is not None and before[0] is of_model else (of_model, make_row(of_model, board, columns))


def figures_of(frames: Frames, columns: Iterable[Column]) -> dict[str, dict[str, Figure]]:
    """Model id -> column key -> figure; models without any are left out."""
    keys = [column.key for column in columns]
    value, low, high, n = (
        frame[keys].to_dict("index") for frame in (frames.value, frames.low, frames.high, frames.count)
    )
    figures = {
        str(model): {
            key: Figure(row[key], _number(low[model][key]), _number(high[model][key]), _whole(n[model][key]))
            for key in keys
            if not math.isnan(row[key])
        }
        for model, row in value.items()
    }
    return {model: known for model, known in figures.items() if known}


def _number(number: float) -> float | None:
    return None if math.isnan(number) else number


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else int(number)


def is_reference(model: ModelFacts | None) -> bool:
    """Whether this is no model but people or random guess."""
    return model is not None and model.kind in REFERENCE_KINDS


def _best_first(names: Iterable[str], rows: Mapping[str, TableRow], column: Column, place: int) -> list[str]:
    """Models in the order of one column, those without a figure there last."""
    names = list(names)
    value = np.array([rows[name].figures[0, place] for name in names], dtype=float).round(COMPARED_DECIMALS)
    order = np.argsort(value if column.metric.direction == "lower" else -value, kind="stable")
    return [names[i] for i in order]


def _frames(names: Sequence[str], rows: Mapping[str, TableRow], columns: Sequence[Column]) -> Frames:
    keys = [column.key for column in columns]
    figures = np.array([rows[name].figures for name in names], dtype=float).reshape(len(names), 4, len(keys))
    return Frames(*(pd.DataFrame(figures[:, kind], list(names), keys) for kind in range(4)))


def _unchanged(before: Frames, now: Frames) -> set[str]:
    """Columns in which the same models have the same figures of as many items."""
    same = pd.Series(True, index=now.value.columns)
    for old, new in ((before.value, now.value), (before.count, now.count)):
        here = old.reindex(new.index)
        same &= ((here == new) | (here.isna() & new.isna())).all() & (old.notna().sum() == new.notna().sum())
    return {str(key) for key in same.index[same]}
