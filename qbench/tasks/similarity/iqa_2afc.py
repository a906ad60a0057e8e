"""Which of two images has better quality (UniSim, Sec. 3.1 and App. C, https://arxiv.org/abs/2412.10594)."""

from __future__ import annotations

from qbench.tasks.choice import Choice, Shape
from qbench.tasks.similarity.choosing import choice_task

CHOICE = Choice("iqa-2afc", Shape(2, 2), measured=lambda _sample: "quality")
TASK = choice_task(
    CHOICE, "Better of two pictures", "which of two images has better quality (UniSim-Bench)", chance=1 / 2
)
