"""Preferring a good word: how often a model finds the positive score word likelier than the negative one.

Q-Bench (arXiv 2309.14181), Sec. 2.4.1; shares by model and dataset are ours, from the logits that paper released.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.boards.qbench import ASSESSMENT_DATASETS
from leaderboard.tables.cells import Cell
from leaderboard.tables.models import FindModel, known_model
from leaderboard.tables.words import between, count, listed
from qbench.models.catalogue import ModelFacts
from qbench.records import Result, Source

NO_PREFERENCE = 0.5
METRIC = "positive_rate"
REPORTED_WORDS = (
    "Asked to rate the quality of an image in words, Shikra and LLaVA-v1 answered “good” for 78 % of the images and "
    "“poor” for 20 % (Q-Bench, Sec. 2.4.1); asked for a number from 1 to 5, they gave 5 for 84 %."
)


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


@dataclass(frozen=True)
class ScoreWordFinding:
    """All models, the most positive first."""

    habits: tuple[WordHabit, ...]
    datasets: dict[str, str]
    """Dataset -> label, those with figures only."""
    finding: str
    sources: tuple[Source, ...]


def find_score_words(results: Iterable[Result], find_model: FindModel) -> ScoreWordFinding:
    """What records with a share of positive words show; of several for one model and dataset the first counts."""
    shares: dict[str, dict[str, Cell]] = {}
    pairs: dict[str, str] = {}
    sources: list[Source] = []
    for result in results:
        share = result.metrics.get(METRIC)
        if share is None or share.value is None or result.dataset in shares.get(result.model, {}):
            continue
        shares.setdefault(result.model, {})[result.dataset] = Cell(share.value, share.low, share.high, share.n)
        pairs.setdefault(result.model, _pair(result))
        sources.append(result.source)
    models = {name: known_model(name, find_model) for name in shares}
    habits = tuple(
        sorted(
            (WordHabit(models[name], pairs[name], row) for name, row in shares.items()), key=lambda habit: -habit.mean
        )
    )
    known = {dataset: label for dataset, (label, _) in ASSESSMENT_DATASETS.items()}
    present = dict.fromkeys(dataset for row in shares.values() for dataset in row)
    return ScoreWordFinding(
        habits=habits,
        datasets={dataset: known.get(dataset, dataset) for dataset in sorted(present, key=[*known, *present].index)},
        finding=_sentence(habits),
        sources=tuple(sources),
    )


def _pair(result: Result) -> str:
    """The words, where the record states them as this tool does: records come from anybody."""
    words = result.protocol.get("words")
    sides = [words.get(sign) for sign in ("positive", "negative")] if isinstance(words, dict) else [None]
    told = all(isinstance(side, list) and all(isinstance(word, str) for word in side) for side in sides)
    return "/".join("+".join(side) for side in sides if side) if told else ""


def _sentence(habits: tuple[WordHabit, ...]) -> str:
    if not habits:
        return ""
    always = [habit for habit in habits if min(share.value for share in habit.shares.values()) > NO_PREFERENCE]
    extreme = [habit for habit in habits if habit.mean > 0.95]
    rarely = [habit for habit in habits if habit.mean < NO_PREFERENCE]
    sentence = (
        f"{len(always)} of {count(len(habits), 'model')} find the good word likelier than the bad one for most images "
        "of every dataset"
    )
    if extreme:
        sentence += f"; {len(extreme)} of them for more than 95 % of all images"
    if rarely:
        means = between([habit.mean for habit in rarely])
        sentence += (
            f". Only {listed(habit.model.name for habit in rarely)} {'leans' if len(rarely) == 1 else 'lean'} to the "
        )
        sentence += f"bad word, choosing the good one for {means} of the images on average"
    return f"{sentence}. Naming the likelier word would say little about an image; A3 scores how far apart the two are."
