"""Which of two or more images fits a caption better (UniSim, Sec. 3.1 and Table 3, https://arxiv.org/abs/2412.10594)."""

from __future__ import annotations

from qbench.records import Picture, Sample
from qbench.tasks.choice import Choice, Cosine, Shape
from qbench.tasks.similarity.choosing import choice_task


def _nearness(sample: Sample, pictures: tuple[Picture, ...], cosine: Cosine) -> list[float]:
    [caption] = sample.texts
    return [cosine(caption, picture) for picture in pictures]


CHOICE = Choice("it-2afc", Shape(2, 9, against="caption"), nearness=_nearness)
TASK = choice_task(
    CHOICE,
    "Which picture fits a caption",
    "which of two or more images fits a caption better (UniSim-Bench)",
    chance=1 / 2,
)
