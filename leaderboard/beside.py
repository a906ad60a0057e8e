"""What stands under a table, never ranked: submissions that wait for review, and results of a part of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.cells import FindModel, figures
from leaderboard.columns import Board
from leaderboard.provenance import describe_origin
from leaderboard.store import Loaded
from leaderboard.store.submission import Entry
from leaderboard.table import is_reference
from leaderboard.words import count
from qbench.models.catalogue import ModelFacts
from qbench.records import Result

PARTS = ("limit", "rounds")
"""Protocol fields that say how much was asked: how many samples, and rounds of comparisons."""
MOST_SHOWN = 20


@dataclass(frozen=True)
class Partial:
    """A result that would stand on the board if it were about the whole dataset."""

    result: Result
    model: str
    """What people call it."""
    figures: Mapping[str, float]
    """Column key -> figure over all that was covered."""
    entry: Entry | None = None
    """The submission it came with, if it was handed in."""

    @property
    def covers(self) -> str:
        """How much of the dataset it is about."""
        return covers(self.result)

    @property
    def origin(self) -> dict[str, Any]:
        """Where it comes from, as texts."""
        described = describe_origin(self.result, self.entry, lambda text: text)
        return {name: value for name, value in described.items() if value}


@dataclass(frozen=True)
class Beside:
    """What stands under one board."""

    pending: tuple[Entry, ...]
    partial: tuple[Partial, ...]

    def to_json(self) -> dict[str, Any]:
        """The newest of each, and how many there are."""
        return {
            "pending": {
                "count": len(self.pending),
                "newest": [
                    {
                        "model": one.submission.metadata.model,
                        "by": one.submission.identity,
                        "at": one.submission.submitted_at[:10],
                    }
                    for one in reversed(self.pending[-MOST_SHOWN:])
                ],
            },
            "partial": {
                "count": len(self.partial),
                "newest": [
                    {
                        "model": one.model,
                        "covers": one.covers,
                        "figures": dict(one.figures),
                        "origin": one.origin,
                    }
                    for one in self.partial[:MOST_SHOWN]
                ],
            },
        }


def covers(result: Result) -> str:
    """How much of its dataset a result is about that is not about all of it."""
    limit, rounds = (result.protocol.get(name) for name in PARTS)
    scored, missing = (result.status.get(name, 0) for name in ("scored", "missing"))
    if rounds is not None:
        return f"{count(limit, 'image')}, {count(rounds, 'round')}" if limit else count(rounds, "round")
    return f"{scored:,} of {scored + missing:,}" if missing else f"the first {limit}"


def find_beside(loaded: Loaded, board: Board, find_model: FindModel) -> Beside:
    """Everything that belongs under a board, newest first among the partial results."""
    handed_in = loaded.handed_in
    partial = [
        Partial(result, model.name, offered, handed_in.get(id(result)))
        for result in loaded.results
        if any(name in result.protocol for name in PARTS)
        and not is_reference(model := _model(result, find_model))
        and not board.admits(result.protocol, model)
        and (offered := _offered(result, board, model))
    ]
    return Beside(
        pending=tuple(one for one in loaded.pending if _is_for(one.submission.results, board, find_model)),
        partial=tuple(sorted(partial, key=lambda one: one.result.source.at or "", reverse=True)),
    )


def _is_for(results: Iterable[Result], board: Board, find_model: FindModel) -> bool:
    return any(_offered(result, board, _model(result, find_model)) for result in results)


def _offered(result: Result, board: Board, model: ModelFacts) -> dict[str, float]:
    """Column key -> the figure the result has for it, whatever part of the dataset it is about."""
    own = [column for column in board.columns if not column.borrowed]
    columns = {column.find: column.key for column in own if column.find and not column.find.grouping}
    found = {
        columns[address]: estimate.value
        for address, estimate in figures(result)
        if address in columns and estimate.value is not None
    }
    whole = {name: value for name, value in result.protocol.items() if name not in PARTS}
    return found if found and board.admits(whole, model) else {}


def _model(result: Result, find_model: FindModel) -> ModelFacts:
    return find_model(result.model) or ModelFacts(result.model, result.model, "model")
