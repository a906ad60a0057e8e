"""Preferring a position: the same two images asked in both orders, and what correlation a coin flip would reach.

2AFC prompting (arXiv 2402.01162), Tables II to IV and Sec. III-B. The papers print how often a model kept its answer,
not how often it named the first image; records that hold those shares are shown as they come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from leaderboard.boards.comparing import FINE_RULES
from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import Board, Column
from leaderboard.tables.models import FindModel, known_model
from leaderboard.tables.table import is_reference
from leaderboard.tables.words import dataset_title
from qbench.models.catalogue import ModelFacts
from qbench.pairing import ROUNDS
from qbench.records import Estimate, Result, Source
from qbench.stats.intervals import wilson
from qbench.tasks import comparison

COIN_FLIP = comparison.TASK.chance["consistency"]


@dataclass(frozen=True)
class ModelOnPairs:
    """One model on one set of pairs, each asked in both orders."""

    model: ModelFacts
    key: str
    """Dataset or group of pairs."""
    label: str
    images: int
    consistency: Cell
    """Share of pairs with the same answer in both orders."""
    right_of_consistent: Cell | None
    """Of those, the share that agrees with people; its interval takes the pairs as independent."""
    correlation: float | None
    chance: Estimate
    """What coin-flip judges reach in its place."""

    @property
    def above_chance(self) -> float | None:
        """The correlation less the upper end of the range of coin flips."""
        if self.correlation is None or self.chance.high is None:
            return None
        return self.correlation - self.chance.high

    @property
    def verdict(self) -> Literal["above", "within", "below"] | None:
        """Where the correlation lies against the range of coin flips."""
        low, high = self.chance.low, self.chance.high
        if self.correlation is None or low is None or high is None:
            return None
        return "above" if self.correlation > high else "below" if self.correlation < low else "within"

    @property
    def may_be_guessed(self) -> bool:
        """Whether a correlation above chance rests on answers that may be right no more often than a coin flip."""
        right = self.right_of_consistent
        return self.verdict == "above" and right is not None and (right.low or 0.0) <= COIN_FLIP

    @property
    def runs_backwards(self) -> bool:
        """Whether a correlation above chance rests on answers mostly wrong: the fitted curve hides its sign."""
        right = self.right_of_consistent
        return self.verdict == "above" and right is not None and right.high is not None and right.high < COIN_FLIP


@dataclass(frozen=True)
class PositionFinding:
    """All models on the pairs of one board."""

    board: Board
    cells: tuple[ModelOnPairs, ...]
    flags: Mapping[str, list[str]]
    """What is known to be wrong with the correlations -> the models that it is about."""
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class PositionShares:
    """How often one model named the first image, the second, and neither."""

    model: ModelFacts
    dataset: str
    first: Estimate
    second: Estimate
    tie: Estimate

    @property
    def pairs(self) -> str:
        """What people call the pairs: a dataset, and what part of it."""
        return dataset_title(self.dataset)


def find_position(snapshot: Snapshot, board: str) -> PositionFinding:
    """What the pairs of one 2AFC board show."""
    table, simulated = snapshot.table(board), snapshot.simulated
    columns = {column.key: column for column in table.columns}
    rows = {**table.ranked, **table.references}
    sets = [key.rpartition("/")[0] for key in columns if key.endswith("/correlation") and key in simulated]
    cells = tuple(
        _cell(row.model, key, columns[f"{key}/consistency"], row.cells, simulated[f"{key}/correlation"])
        for row in rows.values()
        for key in sets
        if f"{key}/consistency" in row.cells
    )
    flags: dict[str, list[str]] = {}
    for row in rows.values():
        notes = (cell.note for key in sets if (cell := row.cells.get(f"{key}/correlation")) and cell.note)
        for text in dict.fromkeys(note.text for note in notes if note.kind == "flag"):
            flags.setdefault(text, []).append(row.model.name)
    return PositionFinding(table.board, cells, flags, table.sources(rows))


def _cell(model: ModelFacts, key: str, column: Column, row: Mapping[str, Cell], chance: Estimate) -> ModelOnPairs:
    consistency, joint, correlation = (
        row.get(f"{key}/{name}") for name in ("consistency", "accuracy_joint", "correlation")
    )
    assert consistency is not None
    images = chance.n or 0
    rankings = next((rule.sizes[1] for rule in FINE_RULES if key.startswith(f"{rule.split}/")), 1)
    consistent = round(consistency.value * ROUNDS * (images // 2) * rankings)
    right = None
    if joint is not None and consistent:
        share = joint.value / consistency.value
        estimate = wilson(min(consistent, share * consistent), consistent)
        right = Cell(share, estimate.low, estimate.high, consistent)
    return ModelOnPairs(model, key, column.label, images, consistency, right, correlation and correlation.value, chance)


def kept_shares(finding: PositionFinding) -> dict[str, list[float]]:
    """Name of each model -> the share of answers that it keeps, by set."""
    shares_of: dict[str, list[float]] = {}
    for cell in finding.cells:
        if not is_reference(cell.model):
            shares_of.setdefault(cell.model.name, []).append(cell.consistency.value)
    return shares_of


def find_shares(results: Iterable[Result], find_model: FindModel) -> list[PositionShares]:
    """Every record that says how often each position was named, of models that see both pictures at once."""
    found = []
    for result in results:
        metrics = result.metrics
        model = known_model(result.model, find_model)
        stated = {"first_rate", "second_rate"} <= metrics.keys() and metrics["first_rate"].value is not None
        if stated and model.kind == "model":
            tie = metrics.get("tie_rate") or Estimate(0.0)
            found.append(PositionShares(model, result.dataset, metrics["first_rate"], metrics["second_rate"], tie))
    return found
