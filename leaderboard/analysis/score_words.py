"""Preferring a good word: how often a model finds the positive score word likelier than the negative one.

Q-Bench (arXiv 2309.14181), Sec. 2.4.1; shares by model and dataset are ours, from the logits that paper released.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.boards.scoring import ASSESSMENT_DATASETS
from leaderboard.store import Recorded
from leaderboard.tables.cells import Cell
from leaderboard.tables.models import FindModel, known_model
from qbench.models.catalogue import ModelFacts
from qbench.records import Result

NO_PREFERENCE = 0.5
METRIC = "positive_rate"


@dataclass(frozen=True)
class WordHabit:
    """One model's choice of words."""

    model: ModelFacts
    words: str
    """The pair compared, e.g. good/poor."""
    shares: dict[str, Cell]
    """Dataset -> share of images where the positive word is the likelier one."""

    @property
    def mean(self) -> float:
        """Plain mean over the datasets there are."""
        return sum(share.value for share in self.shares.values()) / len(self.shares)


def find_score_words(records: Iterable[Recorded], find_model: FindModel) -> list[WordHabit]:
    """What records with a share of positive words show, the most positive first; of several for one model and dataset
    the first counts."""
    habits: dict[str, WordHabit] = {}
    for record in records:
        result, share = record.result, record.result.metrics.get(METRIC)
        if share is None or share.value is None:
            continue
        if result.model not in habits:
            habits[result.model] = WordHabit(known_model(result.model, find_model), _pair(result), {})
        cell = Cell(share.value, share.low, share.high, share.n, record=record)
        habits[result.model].shares.setdefault(result.dataset, cell)
    return sorted(habits.values(), key=lambda habit: -habit.mean)


def datasets_of(habits: Iterable[WordHabit]) -> dict[str, str]:
    """Dataset -> label, those with figures only."""
    known = {dataset: label for dataset, (label, _) in ASSESSMENT_DATASETS.items()}
    present = dict.fromkeys(dataset for habit in habits for dataset in habit.shares)
    return {dataset: known.get(dataset, dataset) for dataset in sorted(present, key=[*known, *present].index)}


def _pair(result: Result) -> str:
    """The words, where the record states them as this tool does: records come from anybody."""
    words = result.protocol.get("words")
    sides = [words.get(sign) for sign in ("positive", "negative")] if isinstance(words, dict) else [None]
    told = all(isinstance(side, list) and all(isinstance(word, str) for word in side) for side in sides)
    return "/".join("+".join(side) for side in sides if side) if told else ""
