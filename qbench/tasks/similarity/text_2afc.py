"""Which of two captions fits an image better (UniSim, Sec. 3.1, https://arxiv.org/abs/2412.10594)."""

from __future__ import annotations

from qbench.records import Picture, Sample
from qbench.tasks.choice import Choice, Cosine, Shape
from qbench.tasks.similarity.choosing import choice_task


def _nearness(sample: Sample, pictures: tuple[Picture, ...], cosine: Cosine) -> list[float]:
    [reference] = pictures
    return [cosine(reference, caption) for caption in sample.texts]


CHOICE = Choice("text-2afc", Shape(2, 2, texts=True, against="image"), nearness=_nearness)
TASK = choice_task(
    CHOICE, "Which caption fits a picture", "which of two captions fits an image better (UniSim-Bench)", chance=1 / 2
)
