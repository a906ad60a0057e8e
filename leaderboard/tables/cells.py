"""Which record fills which cell of a model's row, and what the cell says beside its figure.

Published figures stand: of several records for one cell the paper's is shown, then one re-scored from raw responses,
then one run live, then a self-reported one. Of several papers the benchmark's own stands before others of its authors,
these before the model's authors, these before anybody else; among equals the newest, then the first in the store, where
a paper's main table stands before its ablations. So an upload can add to a board but never replace what a paper
printed. Records that are passed over stay listed with the row's provenance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from leaderboard.store import Recorded
from leaderboard.tables.classes import classed_protocol, how_asked, model_class
from leaderboard.tables.columns import Address, Board, Column
from leaderboard.tables.models import ModelRecords
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Result, SourceKind

PRECEDENCE: tuple[SourceKind, ...] = ("paper", "rescored", "live", "self-reported")
REPORTERS = ("the benchmark", "benchmark authors", "model authors", "others")
"""Who may have printed a figure, nearest to the benchmark first; `protocol.reported_by` of a record."""


class Note(NamedTuple):
    """A remark on a figure."""

    kind: Literal["flag", "info"]
    """That a printed figure is inconsistent, or how a figure came about."""
    text: str
    recomputed: float | None = None
    """Our own value beside an inconsistent printed one."""


class Cell(NamedTuple):
    """One figure of a table; a cell without a figure is none, and the row says why."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    """Independent items behind it, where known."""
    note: Note | None = None
    record: Recorded | None = None
    """Where it comes from; None for an average made here."""
    trained: Literal["scores", "images"] | None = None
    """What the model was trained on of these data, as a source or its author says; an average over such counts too."""
    share: float | None = None
    """Of the images, where it was trained on images without their scores and the share is known."""

    def figure(self) -> dict[str, float | int | None]:
        """The figure alone, for scripts."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}


def cell_of(estimate: Estimate | None, record: Recorded | None = None) -> Cell | None:
    """A figure of a record; None where there is none."""
    if estimate is None or estimate.value is None:
        return None
    return Cell(estimate.value, estimate.low, estimate.high, estimate.n, record=record)


@dataclass(frozen=True)
class Origin:
    """One record behind a row."""

    record: Recorded
    shown: tuple[str, ...]
    """Columns it fills."""
    passed_over: Mapping[str, float]
    """Columns where a record of higher precedence is shown -> the figure this one gives."""


@dataclass(frozen=True)
class Row:
    """One model on one board under one choice of columns."""

    model: ModelFacts
    cells: Mapping[str, Cell]
    """Column key -> figure."""
    absent: Mapping[str, str]
    """Column key -> why there is no figure."""
    origins: tuple[Origin, ...]
    """The records behind it, those that fill most of it first."""
    training: tuple[str, ...]
    """Data about image quality that it was trained on."""

    @cached_property
    def facets(self) -> tuple[str, str | None, str | None]:
        """Class, how it was asked and who printed it, as the record that fills most of the row says."""
        protocol = classed_protocol(self.origins[0].record.result, self.model) if self.origins else {}
        return model_class(self.model, protocol, self.training), how_asked(protocol), protocol.get("reported_by")


_Offer = tuple[Estimate, "Recorded | None"]
"""A figure, or the reason why there is none, and its record."""


def make_row(of_model: ModelRecords, board: Board, columns: Sequence[Column]) -> Row | None:
    """The row of a model; None where it has no figure in these columns, or none of the board's own."""
    offers = _find_offers(of_model, board)
    if not offers:
        return None
    row = _fill(board, offers)
    own = [column for column in board.columns if not column.borrowed]
    if not all(any(_has_value(row, column.key) for column in wanted) for wanted in (columns, own)):
        return None
    seen = _images_seen(of_model.model, board)
    cells: dict[str, Cell] = {}
    absent: dict[str, str] = {}
    for column in columns:
        estimate, record = row.get(column.key, (Estimate(None), None))
        if estimate.value is not None:
            on_scores = any(_on_its_data(row, key) for key in (column.key, *column.mean_of))
            trained: Literal["scores", "images"] | None = (
                "scores" if on_scores else "images" if column.key in seen else None
            )
            share = seen[column.key] if trained == "images" else None
            figure = (float(estimate.value), estimate.low, estimate.high, estimate.n)
            cells[column.key] = Cell(*figure, _note(estimate), record, trained, share)
        elif estimate.note:
            absent[column.key] = estimate.note
    return Row(of_model.model, cells, absent, _origins(offers, row, columns), of_model.training)


def figures(result: Result) -> Iterator[tuple[Address, Estimate]]:
    """Every figure of a record and where it stands."""
    place = (result.task, result.dataset, result.split)
    for metric, estimate in result.metrics.items():
        yield Address(*place, metric), estimate
    if (share := unread_share(result)) is not None:
        yield Address(*place, "unread"), share
    for grouping, groups in result.groups.items():
        for group, metrics in groups.items():
            for metric, estimate in metrics.items():
                yield Address(*place, metric, grouping, group), estimate


def unread_share(result: Result) -> Estimate | None:
    """The share of replies that were not read, why, and the accuracy without them; None where nobody counted."""
    accuracy, items = result.metrics.get("accuracy"), result.items.get("accuracy")
    total = len(items.names) if items else result.status.get("scored", 0)
    if result.source.kind == "paper" or accuracy is None or accuracy.value is None or not total:
        return None
    unread = sum(result.unscored.values())
    if not unread:
        return Estimate(0.0, n=total, method="count")
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in result.unscored.items())
    without = (
        f"; accuracy without them {100 * accuracy.value * total / (total - unread):.2f} %" if unread < total else ""
    )
    return Estimate(unread / total, n=total, method="count", note=f"{reasons} of {total:,}{without}")


def _find_offers(of_model: ModelRecords, board: Board) -> dict[str, list[_Offer]]:
    """Column key -> everything that the records of a model hold for it, what is shown first."""
    found: dict[str, list[_Offer]] = {}
    for record in of_model.records:
        result = record.result
        if (result.task, result.dataset, result.split) not in board.places:
            continue
        protocol = classed_protocol(result, of_model.model)
        if not board.admits(protocol, of_model.model):
            continue
        for address, estimate in figures(result):
            for column in board.by_address.get(address, ()):
                if column.takes(protocol):
                    found.setdefault(column.key, []).append((estimate, record))
    for offers in found.values():
        if len(offers) > 1:
            offers.sort(key=lambda offer: offer[1].result.source.at or "" if offer[1] else "", reverse=True)
            offers.sort(key=_precedence)
    return found


def _precedence(offer: _Offer) -> tuple[bool, int, bool, int]:
    """A figure goes before a mere reason for its absence; a record that names no reporter is the benchmark's paper."""
    estimate, record = offer
    said = record.result.protocol if record else {}
    by = said.get("reported_by")
    reporter = -1 if by is None else REPORTERS.index(by) if by in REPORTERS else len(REPORTERS)
    # "doubtful" is the field of a figure that probably belongs to another row than the one it is printed in.
    return estimate.value is None, PRECEDENCE.index(_kind(offer) or "self-reported"), "doubtful" in said, reporter


def _kind(offer: _Offer) -> SourceKind | None:
    return offer[1].result.source.kind if offer[1] else None


def _fill(board: Board, offers: Mapping[str, Sequence[_Offer]]) -> dict[str, _Offer]:
    """The first offer for each column, and the averages of complete sets."""
    row = {key: found[0] for key, found in offers.items()}
    for mean in board.means:
        row[mean.key] = _average(mean, board.by_key, row)
    return row


def _has_value(row: Mapping[str, _Offer], key: str) -> bool:
    return key in row and row[key][0].value is not None


def _average(column: Column, columns: Mapping[str, Column], row: Mapping[str, _Offer]) -> _Offer:
    """The printed average where it averages the very figures shown, else our own; none over missing figures."""
    missing = list(dict.fromkeys(columns[key].label for key in column.mean_of if not _has_value(row, key)))
    if missing:
        named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        return Estimate(None, note=f"no average, because there is no figure for {named}"), None
    parts = [row[key] for key in column.mean_of]
    if _has_value(row, column.key) and all(_kind(part) == _kind(row[column.key]) for part in parts):
        return row[column.key]
    mean = np.average([estimate.value for estimate, _ in parts], weights=column.weights or None)
    return Estimate(float(mean), method="mean", note=f"our mean of the {len(parts)} figures it averages"), None


def _on_its_data(row: Mapping[str, _Offer], key: str) -> bool:
    """Whether a figure is on a dataset that the model was trained on."""
    record = row[key][1] if key in row else None
    if record is None:
        return False
    said = record.result.protocol
    data = said.get("training_data") or ()
    return said.get("trained_on") is True or any(averaged in data for averaged in said.get("average_of") or ())


def _images_seen(model: ModelFacts, board: Board) -> dict[str, float | None]:
    """Columns on images that the model was tuned on without their scores -> the share of these images; and averages."""
    shares = model.images_seen
    seen = {
        column.key: shares[column.find.dataset]
        for column in board.columns
        if column.find and column.find.dataset in shares
    }
    for mean in board.means:
        if mean.key not in seen and any(key in seen for key in mean.mean_of):
            seen[mean.key] = None
    return seen


def _note(estimate: Estimate) -> Note | None:
    if estimate.note is None:
        return None
    return Note("flag" if estimate.method.startswith("printed") else "info", estimate.note, estimate.recomputed)


def _origins(
    offers: Mapping[str, Sequence[_Offer]], row: Mapping[str, _Offer], columns: Sequence[Column]
) -> tuple[Origin, ...]:
    found: dict[Recorded, tuple[list[str], dict[str, float]]] = {}
    for column in columns:
        for estimate, record in offers.get(column.key, ()):
            if record is not None and estimate.value is not None:
                shown, passed_over = found.setdefault(record, ([], {}))
                if row[column.key][1] is record:
                    shown.append(column.key)
                else:
                    passed_over[column.key] = estimate.value
    origins = [Origin(record, tuple(shown), passed_over) for record, (shown, passed_over) in found.items()]
    return tuple(sorted(origins, key=lambda origin: -len(origin.shown)))
