"""Preferring a position: the same two images asked in both orders, and what correlation a coin flip would reach.

2AFC prompting (arXiv 2402.01162), Tables II to IV and Sec. III-B. The papers print how often a model kept its answer,
not how often it named the first image; records that hold those shares are shown as they come in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from leaderboard.cells import FindModel
from leaderboard.chance import GROUPS, OF_TASK, Simulated
from leaderboard.columns import Board, Column
from leaderboard.compare import figures_of
from leaderboard.differences import Figure
from leaderboard.snapshot import Snapshot
from leaderboard.table import is_reference
from leaderboard.words import between, listed, percent
from qbench.models.catalogue import ModelFacts
from qbench.pairing import ROUNDS
from qbench.records import Estimate, Result, Source
from qbench.stats.intervals import wilson

COIN_FLIP = OF_TASK["comparison", "consistency"]
REPORTED = (
    "The paper prints no shares of first and second by model and dataset. It says that IDEFICS-Instruct and mPLUG-Owl "
    "chose the second image in more than 70 % of their answers and XComposer-VL the first in about 80 % (Sec. III-B)."
)
ABSENT = (
    "Shares of first, second and tie appear here once results hold them: score a file of comparisons, one presented "
    "order a line, with “python -m qbench score”."
)


@dataclass(frozen=True)
class Asked:
    """One model on one set of pairs, each asked in both orders."""

    model: ModelFacts
    key: str
    """Dataset or group of pairs."""
    label: str
    images: int
    kept: Figure
    """Share of pairs with the same answer in both orders."""
    right: Figure | None
    """Of those, the share that agrees with people; as if the pairs were independent."""
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
    def guessed(self) -> bool:
        """A correlation above chance from answers that may be right no more often than a coin flip."""
        return self.verdict == "above" and self.right is not None and (self.right.low or 0) <= COIN_FLIP

    @property
    def backwards(self) -> bool:
        """A correlation above chance from answers that are mostly wrong: the fitted curve hides its sign."""
        return self.verdict == "above" and self.right is not None and (self.right.high or 1) < COIN_FLIP


@dataclass(frozen=True)
class Position:
    """All models on the pairs of one board."""

    board: Board
    asked: tuple[Asked, ...]
    kept: str
    """The finding about consistency."""
    correlated: str
    """The finding about correlation."""
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Shares:
    """How often one model named the first image, the second, and neither."""

    model: ModelFacts
    dataset: str
    first: Estimate
    second: Estimate
    tie: Estimate


def position(snapshot: Snapshot, board: str, simulated: Simulated) -> Position:
    """What the pairs of one 2AFC board show."""
    table = snapshot.table(board, "all")
    columns = {column.key: column for column in table.columns}
    figures = figures_of([table.ranked, table.reference], table.columns)
    sets = [key.rpartition("/")[0] for key in columns if key.endswith("/correlation") and key in simulated]
    asked = tuple(
        _asked(table.models[name], key, columns[f"{key}/consistency"], row, simulated[f"{key}/correlation"])
        for name, row in figures.items()
        for key in sets
        if f"{key}/consistency" in row
    )
    return Position(
        board=table.board,
        asked=asked,
        kept=_sentence_on_keeping(asked),
        correlated=_sentence_on_correlation(asked),
        sources=tuple(one.result.source for name in figures for one in table.origins[name] if one.shown),
    )


def _asked(model: ModelFacts, key: str, column: Column, row: dict[str, Figure], chance: Estimate) -> Asked:
    kept, right, correlation = (row.get(f"{key}/{name}") for name in ("consistency", "accuracy_joint", "correlation"))
    assert kept is not None
    images = chance.n or 0
    rankings = GROUPS[key.partition("/")[0]][1] if "/" in key else 1
    answered = round(kept.value * ROUNDS * (images // 2) * rankings)
    share = None
    if right is not None and answered:
        estimate = wilson(min(answered, right.value / kept.value * answered), answered)
        share = Figure(right.value / kept.value, estimate.low, estimate.high, answered)
    return Asked(model, key, column.label, images, kept, share, correlation and correlation.value, chance)


def _sentence_on_keeping(asked: tuple[Asked, ...]) -> str:
    """Models that keep fewer answers than coin flips on every set, those that keep more on every set, and the rest."""
    kept: dict[str, list[float]] = {}
    for one in asked:
        if not is_reference(one.model):
            kept.setdefault(one.model.name, []).append(one.kept.value)
    fewer = {name: shares for name, shares in kept.items() if max(shares) < COIN_FLIP}
    more = {name: shares for name, shares in kept.items() if min(shares) > COIN_FLIP}
    rest = {name: shares for name, shares in kept.items() if name not in fewer and name not in more}
    flips = f"two coin flips would agree in {percent(COIN_FLIP)}"
    parts = [
        f"{listed(group)} kept {'its' if len(group) == 1 else 'their'} answer for "
        f"{between([share for shares in group.values() for share in shares])} of the pairs{told}"
        for group, told in ((fewer, f", where {flips}"), (more, ""), (rest, ", depending on the images"))
        if group
    ]
    return f"Asked in both orders, {'; '.join(parts)}{'' if fewer else f'; {flips}'}." if parts else ""


def _sentence_on_correlation(asked: tuple[Asked, ...]) -> str:
    known = [one for one in asked if one.verdict and not is_reference(one.model)]
    if not known:
        return ""
    levels = [one.chance.value for one in known if one.chance and one.chance.value is not None]
    low = sum(one.verdict != "above" for one in known)
    guessed = sum(one.guessed for one in known)
    sentence = (
        f"Judges flipping coins reach a correlation of {min(levels):.2f} to {max(levels):.2f} here, the more the fewer "
        f"images, because the fitted curve may fall as well as rise. Of {len(known)} correlations, {low} "
        f"{'is' if low == 1 else 'are'} no higher than coin flips can get, and {guessed} more "
        f"{'comes' if guessed == 1 else 'come'} from kept answers that may be right no more often than a coin flip."
    )
    backwards: dict[str, list[str]] = {}
    for one in known:
        if one.backwards:
            backwards.setdefault(one.model.name, []).append(one.label)
    if not backwards:
        return sentence
    named = listed(f"{name} on {listed(places)}" for name, places in backwards.items())
    return f"{sentence} Mostly wrong are those of {named}: these rankings probably run backwards."


def shares(results: Iterable[Result], find_model: FindModel) -> list[Shares]:
    """Every record that says how often each position was named, of models that see both pictures at once."""
    out = []
    for result in results:
        metrics = result.metrics
        model = find_model(result.model) or ModelFacts(result.model, result.model, "model")
        told = {"first_rate", "second_rate"} <= metrics.keys() and metrics["first_rate"].value is not None
        if told and model.kind == "model":
            tie = metrics.get("tie_rate") or Estimate(0.0)
            out.append(Shares(model, result.dataset, metrics["first_rate"], metrics["second_rate"], tie))
    return out
