"""Which of three images does not belong: the one outside the nearest pair (UniSim, https://arxiv.org/abs/2412.10594)."""

from __future__ import annotations

from qbench.records import Picture, Sample
from qbench.tasks.choice import Choice, Cosine, Shape
from qbench.tasks.similarity.choosing import choice_task


def _nearness(_sample: Sample, pictures: tuple[Picture, ...], cosine: Cosine) -> list[float]:
    """How near the other two are to each other."""
    first, second, third = pictures
    return [cosine(second, third), cosine(first, third), cosine(first, second)]


CHOICE = Choice("odd-one-out", Shape(3, 3), nearness=_nearness)
TASK = choice_task(CHOICE, "Odd one out", "which of three images does not belong (UniSim-Bench)", chance=1 / 3)
