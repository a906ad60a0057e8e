"""Which of two images is nearer to a reference image (UniSim, Sec. 3.1, https://arxiv.org/abs/2412.10594)."""

from __future__ import annotations

from qbench.records import Picture, Sample
from qbench.tasks.choice import Choice, Cosine, Shape
from qbench.tasks.similarity.choosing import choice_task


def _nearness(_sample: Sample, pictures: tuple[Picture, ...], cosine: Cosine) -> list[float]:
    reference, *alternatives = pictures
    return [cosine(reference, picture) for picture in alternatives]


CHOICE = Choice("img-2afc", Shape(2, 2, against="image"), nearness=_nearness)
TASK = choice_task(
    CHOICE,
    "Which picture is more alike",
    "which of two images is nearer to a reference image (UniSim-Bench)",
    chance=1 / 2,
)
