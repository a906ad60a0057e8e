"""What waits for review, one line each, as the Owner page and `python -m leaderboard review` list it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.snapshot import Snapshot
from leaderboard.store.decisions import DECISIONS, by_source
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry, record_bytes
from leaderboard.submissions.form import other_scripts
from leaderboard.submissions.preview import Placing, find_placings
from leaderboard.submissions.private import is_private
from leaderboard.tables.words import count, dataset_title, figure_with_unit, listed, minus, named_metric
from qbench.errors import UserError
from qbench.models.catalogue import suggest


@dataclass(frozen=True)
class Waiting:
    """A submission that waits for review."""

    entry: Entry
    source: str
    """The account that handed it in, or `anonymous`."""
    placed: tuple[Placing, ...]
    """Where it would stand, on the board that would rank it first."""
    flags: tuple[str, ...]
    """What to look at before it is accepted."""

    @property
    def board(self) -> str:
        """The board that it is for, or the dataset where no board takes it."""
        return self.placed[0].board.title if self.placed else dataset_title(self.entry.submission.results[0].dataset)

    @property
    def figure(self) -> str:
        """Its figure there, or the first that it has."""
        if self.placed:
            return figure_told(self.placed[0])
        known = self.entry.submission.results[0].metrics.items()
        return next((f"{name} {minus(f'{made.value:.3f}')}" for name, made in known if made.value is not None), "")

    @property
    def place(self) -> str:
        """The place that it would take; that of its column alone in brackets."""
        if not self.placed:
            return "no board"
        place = f"{self.placed[0].rank} of {self.placed[0].models}"
        return f"({place})" if self.placed[0].unranked else place


def list_waiting(now: Snapshot, pending: Iterable[Entry]) -> list[Waiting]:
    """What waits, of whoever handed in most first."""
    found = []
    for source, entries in by_source(pending).items():
        for entry in entries:
            placings = find_placings(now, entry.submission.results)
            placed = tuple(sorted(placings, key=lambda placing: bool(placing.unranked)))
            found.append(Waiting(entry, source, placed, tuple(_flags(entry, now))))
    return found


def decide(store: Store, decision: str, digests: Iterable[str], by: str, reason: str) -> str:
    """Decide the same on several; tells what was done, and why others stay as they are.

    Raises:
        UserError: There is no such decision, or its reason cannot be kept.
    """
    if decision not in DECISIONS:
        raise UserError("There is no such decision; use the buttons.")
    try:
        done, refused = store.decide_each(digests, DECISIONS[decision], by, reason.strip())
    except ValueError as fault:
        raise UserError(str(fault)) from fault
    said = [f"{DECISIONS[decision].capitalize()}: {count(len(done), 'submission')}."] if done else []
    return " ".join([*said, *(f"{sentence}." for sentence in refused)])


def stored_text(entry: Entry) -> str:
    """The file of a submission."""
    return record_bytes(entry.submission).decode()


def figure_told(placing: Placing) -> str:
    """A figure with the name of its column where that is not the board's own: “KonIQ-10k SRCC 0.912”."""
    column = placing.column
    of_column = f"{column.label} " if placing.unranked else ""
    return f"{of_column}{named_metric(column.metric)} {figure_with_unit(placing.value, column.metric)}"


def _flags(entry: Entry, now: Snapshot) -> Iterable[str]:
    made = entry.submission
    name = made.metadata.model
    if entry.decisions:
        yield "decided before"
    if made.supersedes or made.relation == "correction":
        yield "correction"
    elif made.relation == "reproduction":
        yield "same name"
    if scripts := other_scripts(name):
        yield f"{listed(scripts)} letters"
    elif not now.find_model(name) and (near := suggest(name)):
        yield f"like {near[0]}"
    if any(result.protocol.get("trained_on") is True for result in made.results):
        yield "trained on it"
    if any(map(is_private, made.results)):
        yield "private answers"
    if any(result.source.kind == "self-reported" for result in made.results):
        yield "self-reported"
