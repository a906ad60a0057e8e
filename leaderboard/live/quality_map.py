"""Where a photo looks worse than the rest of itself, to a model that scores parts of photos."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from leaderboard.live.service.live_runner import LiveRunner
from qbench.records import Picture, Prompt

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
        """The largest of `drops`."""
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


def to_json(known: QualityMap) -> dict[str, Any]:
    """For scripts."""
    return {
        "scores": [list(row) for row in known.scores],
        "stands_out": known.stands_out,
        "worst": known.worst_place,
        "points_below": known.worst_drop,
    }
