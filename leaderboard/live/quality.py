"""How good a photo looks to a model: a score with what it was made from, its place among others, a map of its parts.

Probe shows all of it; Pair, the place among a dataset's pictures and the damaged copies of a photo rest on the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from leaderboard.live.service.live import LiveRunner
from qbench.commands.evaluate import choose
from qbench.models.builtin import reference_scores
from qbench.records import Picture, Prompt, Response, Sample
from qbench.tasks import assessment
from qbench.tasks.words import WordPair


@dataclass(frozen=True)
class WordPairScore:
    """A score by one pair, or ensemble, of words."""

    words: str
    difference: float
    """Logits of the good words less those of the bad ones."""
    score: float
    """As the published figures have it, logits divided by 100 first."""
    as_printed: float
    """Eq. 1 as it is printed."""


@dataclass(frozen=True)
class Placement:
    """A score among a model's scores of a stated set of pictures."""

    title: str
    scores: tuple[float, ...]
    """The lowest first."""
    below: int
    """How many pictures score lower."""
    low: int
    """The same for a score that is lower by a standard error."""
    high: int
    """The same for a score that is higher by a standard error."""


@dataclass(frozen=True)
class Quality:
    """A quality score and what it was made from."""

    value: float | None
    order: float | None
    """What scores are ranked on: the logit difference where there is one."""
    mode: str
    reason: str = ""
    """Why there is no score."""
    logits: Mapping[str, float] | None = None
    pairs: tuple[WordPairScore, ...] = ()
    error: float | None = None
    """Standard error of the score, from a model that knows it."""
    faults: Mapping[str, float] = field(default_factory=dict)
    """Kind of damage -> probability, from a model that can tell."""
    placement: Placement | None = None
    """Where the score falls among those of pictures that everybody can look at."""


def judge_quality(runner: LiveRunner, picture: Picture) -> Quality:
    """The quality score, as `python -m qbench run --task assessment` has it."""
    sample, chosen = Sample("photo", (picture.path,)), choose(assessment.NAME, runner.model)
    outcome, given = runner.run(assessment.plan([sample], chosen))
    [score], [(_, response)] = outcome.scores["quality"], given
    mode, own = chosen.mode, chosen.words
    if mode != "words":
        return Quality(
            score.value,
            score.value,
            mode,
            score.reason or "",
            error=response.score_error,
            faults=response.faults,
            placement=_place(runner.model.name, score.value, response.score_error or 0.0),
        )
    pairs = [own, *(pair for pair in assessment.ensembles(response.logits) if pair != own)]
    return Quality(
        score.value,
        score.order,
        mode,
        score.reason or "",
        response.logits,
        tuple(_pair(sample, response, pair) for pair in pairs) if score.value is not None else (),
    )


def _place(model: str, score: float | None, error: float) -> Placement | None:
    reference = reference_scores(model)
    if reference is None or score is None:
        return None
    below, low, high = (reference.below(value) for value in (score, score - error, score + error))
    return Placement(reference.title, reference.scores, below, low, high)


def _pair(sample: Sample, response: Response, words: WordPair) -> WordPairScore:
    published, printed = (
        assessment.score_logits(sample, response, words, strategy) for strategy in ("softmax-t100", "softmax-t1")
    )
    return WordPairScore(words.label, published.order or 0.0, published.value or 0.0, printed.value or 0.0)


_DOWN, _ACROSS = ("upper", "", "lower"), ("left", "", "right")
_ALONE = {"upper": "top", "lower": "bottom", "left": "left side", "right": "right side", "": "middle"}
"""What a place is called that lies neither left nor right, or neither high nor low."""


@dataclass(frozen=True)
class QualityMap:
    """Scores of a photo's parts, row by row from the top left."""

    scores: tuple[tuple[float, ...], ...]
    margin: float
    """How far below the median part the worst part of nine in ten untouched photos lies at most."""

    @property
    def drops(self) -> tuple[tuple[float, ...], ...]:
        """How far each part's score is below the median part's; negative above it."""
        middle = median(score for row in self.scores for score in row)
        return tuple(tuple(middle - score for score in row) for row in self.scores)

    @property
    def worst_drop(self) -> float:
        return max(map(max, self.drops))

    @property
    def stands_out(self) -> bool:
        """Whether the worst part is below the median by more than parts of untouched photos are."""
        return self.worst_drop > self.margin

    @property
    def worst_place(self) -> str:
        """Where the worst part lies, such as "lower left"."""
        row, column = max(
            ((row, column) for row, drops in enumerate(self.drops) for column in range(len(drops))),
            key=lambda cell: self.drops[cell[0]][cell[1]],
        )
        down = _DOWN[int(3 * (row + 0.5) / len(self.scores))]
        across = _ACROSS[int(3 * (column + 0.5) / len(self.scores[0]))]
        return f"{down} {across}" if down and across else _ALONE[down or across]


def map_quality(runner: LiveRunner, picture: Picture) -> QualityMap | None:
    """The map of a photo; None where the photo is too small for one."""
    response = runner.ask(Prompt("map", (picture,)))
    if response.failure is not None or response.map_margin is None:
        return None
    return QualityMap(response.score_map, response.map_margin)


def map_json(known: QualityMap) -> dict[str, Any]:
    return {
        "scores": [list(row) for row in known.scores],
        "stands_out": known.stands_out,
        "worst": known.worst_place,
        "points_below": known.worst_drop,
    }
