"""How often a judge that grades one description several times gives it the same grade."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leaderboard.store import Recorded
from leaderboard.tables.models import FindModel, known_model
from qbench.models.catalogue import ModelFacts
from qbench.records import Source
from qbench.results.answers import stored_grades


@dataclass(frozen=True)
class JudgeOnModel:
    """What a judge gave the descriptions of one model."""

    model: ModelFacts
    same: dict[str, float]
    """Dimension -> share of descriptions whose grades are all the same."""
    deviation: float
    """Standard deviation of the grades of one description, the mean over descriptions and dimensions."""
    source: Source

    @property
    def mean(self) -> float:
        """Of all dimensions."""
        return sum(self.same.values()) / len(self.same)


def find_judge(records: Iterable[Recorded], find_model: FindModel) -> tuple[JudgeOnModel, ...]:
    """What the records show whose grades are kept, those models first on which the judge agrees most with itself."""
    found = [
        JudgeOnModel(
            known_model(record.result.model, find_model),
            {name: float(np.mean([len(set(each)) == 1 for each in given])) for name, given in grades.items()},
            float(np.mean([np.std([int(grade) for grade in each]) for given in grades.values() for each in given])),
            record.result.source,
        )
        for record in records
        if (grades := stored_grades(record.result, record.file))
    ]
    return tuple(sorted(found, key=lambda each: (-round(each.mean, 6), each.deviation)))
