"""Preferring a position: the same two images asked in both orders, and what correlation a coin flip would reach.

2AFC prompting (arXiv 2402.01162), Tables II to IV and Sec. III-B. The papers print how often a model kept its answer,
not how often it named the first image; records that hold those shares are shown as they come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from leaderboard.boards.twoafc import FINE_RULES
from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import Board, Column
from leaderboard.tables.models import FindModel, known_model
from leaderboard.tables.table import is_reference
from leaderboard.tables.words import between, count, dataset_title, listed, percent
from qbench.models.catalogue import ModelFacts
from qbench.pairing import ROUNDS
from qbench.records import Estimate, Result, Source
from qbench.stats.intervals import wilson
from qbench.tasks import comparison

COIN_FLIP = comparison.TASK.chance["consistency"]
REPORTED_SHARES = (
    "The paper prints no shares of first and second by model and dataset. It says that IDEFICS-Instruct and mPLUG-Owl "
    "chose the second image in more than 70 % of their answers and XComposer-VL the first in about 80 % (Sec. III-B)."
)
NO_SHARES_YET = (
    "Shares of first, second and tie appear here once results hold them: score a file of comparisons, one presented "
    "order a line, with “python -m qbench score”."
)


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
    chance: Estimate | None
    """What coin-flip judges reach in its place."""

    @property
    def above_chance(self) -> float | None:
        """The correlation less the upper end of the range of coin flips."""
        if self.correlation is None or self.chance is None or self.chance.high is None:
            return None
        return self.correlation - self.chance.high

    @property
    def verdict(self) -> Literal["above", "within", "below", ""]:
        """Where the correlation lies against the range of coin flips."""
        chance = self.chance
        if self.correlation is None or chance is None or chance.low is None or chance.high is None:
            return ""
        if self.correlation > chance.high:
            return "above"
        return "below" if self.correlation < chance.low else "within"

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
    on_consistency: str
    """The finding in words."""
    on_correlation: str
    """The finding in words."""
    sources: tuple[Source, ...]
    remarks: tuple[str, ...] = ()
    """What is known to be wrong with the correlations, each with the models that it is about."""


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
    flagged: dict[str, list[str]] = {}
    for row in rows.values():
        notes = (cell.note for key in sets if (cell := row.cells.get(f"{key}/correlation")) and cell.note)
        for text in dict.fromkeys(note.text for note in notes if note.kind == "flag"):
            flagged.setdefault(text, []).append(row.model.name)
    return PositionFinding(
        board=table.board,
        cells=cells,
        on_consistency=_sentence_on_consistency(cells),
        on_correlation=_sentence_on_correlation(cells),
        sources=table.sources(rows),
        remarks=tuple(f"{listed(names)}: {text}" for text, names in flagged.items()),
    )


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


def keeps_fewer(finding: PositionFinding) -> list[bool]:
    """Of each model, whether it keeps fewer answers than coin flips on every set of pairs."""
    return [max(shares) < COIN_FLIP for shares in _kept_shares(finding.cells).values()]


def _kept_shares(cells: tuple[ModelOnPairs, ...]) -> dict[str, list[float]]:
    """Name of each model -> the share of answers that it keeps, by set."""
    shares_of: dict[str, list[float]] = {}
    for cell in cells:
        if not is_reference(cell.model):
            shares_of.setdefault(cell.model.name, []).append(cell.consistency.value)
    return shares_of


def _sentence_on_consistency(cells: tuple[ModelOnPairs, ...]) -> str:
    """Models that keep fewer answers than coin flips on every set, those that keep more on every set, and the rest."""
    shares_of = _kept_shares(cells)
    fewer = {name: shares for name, shares in shares_of.items() if max(shares) < COIN_FLIP}
    more = {name: shares for name, shares in shares_of.items() if min(shares) > COIN_FLIP}
    rest = {name: shares for name, shares in shares_of.items() if name not in fewer and name not in more}
    parts = [
        f"{count(len(group), 'model')} {'does' if len(group) == 1 else 'do'} so {how} "
        f"({between([share for shares in group.values() for share in shares])}): "
        f"{listed(group)}."
        for group, how in (
            (fewer, "less often"),
            (more, "more often"),
            (rest, "more often on some image sets, and not on others"),
        )
        if group
    ]
    flips = (
        "Each pair is asked in both orders; coin flips would choose the same photo twice for "
        f"{percent(COIN_FLIP)} of the pairs."
    )
    return " ".join([flips, *parts]) if parts else ""


def _sentence_on_correlation(cells: tuple[ModelOnPairs, ...]) -> str:
    known = [cell for cell in cells if cell.verdict and not is_reference(cell.model)]
    if not known:
        return ""
    levels = [cell.chance.value for cell in known if cell.chance and cell.chance.value is not None]
    low = sum(cell.verdict != "above" for cell in known)
    guessed = sum(cell.may_be_guessed for cell in known)
    sentence = (
        "Before each correlation, a curve is fitted between the model's ranking and people's scores. It may rise or "
        "fall, so even a reversed ranking gets a positive correlation. On these datasets coin flips reach "
        f"{min(levels):.2f} to {max(levels):.2f} on average. The fewer images a dataset has, the higher this value. "
        f"{low} of the {len(known)} correlations {'is' if low == 1 else 'are'} no better than coin flips."
    )
    if guessed:
        better = len(known) - low
        sentence = sentence[:-1] + (
            f"; the other {better} are better. But {guessed} of these {better} {'is' if guessed == 1 else 'are'} "
            "doubtful: among the pairs where the model chose the same photo in both orders, the share of right "
            "answers is not clearly above one half."
        )
    backwards: dict[str, list[str]] = {}
    for cell in known:
        if cell.runs_backwards:
            backwards.setdefault(cell.model.name, []).append(cell.label)
    if not backwards:
        return sentence
    named = listed(f"{name} on {listed(places)}" for name, places in backwards.items())
    return f"{sentence} The kept answers of {named} are mostly wrong, so these rankings are probably reversed."


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
