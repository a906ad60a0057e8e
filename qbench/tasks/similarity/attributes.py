"""Which of two images has more of an attribute (UniSim, Sec. 3.1 and App. C, https://arxiv.org/abs/2412.10594)."""

from __future__ import annotations

from qbench.tasks.choice import Choice, Shape
from qbench.tasks.similarity.choosing import choice_task

ATTRIBUTES = ("brightness", "colorfulness", "contrast", "sharpness")
CHOICE = Choice("attributes", Shape(2, 2, attributes=ATTRIBUTES), measured=lambda sample: sample.groups["attribute"])
TASK = choice_task(
    CHOICE,
    "Brighter, sharper, more colourful",
    "which of two images is brighter, more colorful, of more contrast or sharper (UniSim-Bench)",
    chance=1 / 2,
)
