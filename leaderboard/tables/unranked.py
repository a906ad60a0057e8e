"""What stands under a table, never ranked: submissions that wait for review, and results of a part of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.store import Recorded
from leaderboard.store.submission import Entry
from leaderboard.tables.cells import figures
from leaderboard.tables.classes import classed_protocol
from leaderboard.tables.columns import Board
from leaderboard.tables.models import PARTS, FindModel, ModelsRecords, known_model
from leaderboard.tables.provenance import describe_origin
from leaderboard.tables.words import count
from qbench.models.catalogue import ModelFacts
from qbench.records import Result

MOST_LISTED = 20


@dataclass(frozen=True)
class Partial:
    """A result that would stand on the board if it were about the whole dataset."""

    board: Board
    record: Recorded
    model: str
    """What people call it."""
    figures: Mapping[str, float]
    """Column key -> figure over all that was covered."""

    @property
    def covers(self) -> str:
        """How much of the dataset it is about."""
        return covers(self.record.result)

    @property
    def origin(self) -> dict[str, Any]:
        """Where it comes from, as texts."""
        return describe_origin(self.record)


@dataclass(frozen=True)
class Unranked:
    """What stands under one board."""

    pending: tuple[Entry, ...]
    partial: tuple[Partial, ...]

    def to_json(self) -> dict[str, Any]:
        """How many there are, and the newest partial results.

        Of what waits for review nothing but the count: nobody has looked at its names and texts yet.
        """
        return {
            "pending": len(self.pending),
            "partial": {
                "count": len(self.partial),
                "newest": [
                    {
                        "model": result.model,
                        "covers": result.covers,
                        "figures": dict(result.figures),
                        "origin": result.origin,
                    }
                    for result in self.partial[:MOST_LISTED]
                ],
            },
        }


def covers(result: Result) -> str:
    """How much of its dataset a result is about that is not about all of it."""
    limit, rounds = (result.protocol.get(name) for name in PARTS)
    scored, missing = (result.status.get(name, 0) for name in ("scored", "missing"))
    if rounds is not None:
        return f"{count(limit, 'image')}, {count(rounds, 'round')}" if limit else count(rounds, "round")
    if missing:
        return f"{scored:,} of {scored + missing:,}"
    part = result.protocol.get("part_of_dataset")
    return f"{scored:,}: {part}" if part else f"the first {limit}"


def find_unranked(models: ModelsRecords, pending: Iterable[Entry], board: Board, find_model: FindModel) -> Unranked:
    """Everything that belongs under a board, newest first among the partial results."""
    partial = [
        Partial(board, record, of_model.model.name, offered)
        for of_model in models.values()
        if not board.is_reference(model := of_model.model)
        for record in of_model.records
        if any(name in record.result.protocol for name in PARTS)
        and not board.admits(classed_protocol(record.result, model), model)
        and (offered := _offered(record.result, board, model))
    ]
    return Unranked(
        pending=tuple(entry for entry in pending if _is_for(entry.submission.results, board, find_model)),
        partial=tuple(sorted(partial, key=lambda found: found.record.result.source.at or "", reverse=True)),
    )


def _is_for(results: Iterable[Result], board: Board, find_model: FindModel) -> bool:
    return any(_offered(result, board, known_model(result.model, find_model)) for result in results)


def _offered(result: Result, board: Board, model: ModelFacts) -> dict[str, float]:
    """Column key -> the figure the result has for it, whatever part of the dataset it is about."""
    protocol = classed_protocol(result, model)
    own = [column for column in board.columns if not column.borrowed and column.takes(protocol)]
    columns = {column.find: column.key for column in own if column.find and not column.find.grouping}
    found = {
        columns[address]: estimate.value
        for address, estimate in figures(result)
        if address in columns and estimate.value is not None
    }
    whole = {name: value for name, value in protocol.items() if name not in PARTS}
    return found if found and board.admits(whole, model) else {}
