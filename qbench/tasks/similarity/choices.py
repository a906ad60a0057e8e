"""The six tasks of choosing among alternatives (UniSim, Sec. 3.1 and App. C, https://arxiv.org/abs/2412.10594).

Encoders choose by how near two things are; where single images are measured instead, by captions or by scores.
"""

from __future__ import annotations

from qbench.records import Picture, Sample
from qbench.tasks.choice import Choice, Cosine, Shape
from qbench.tasks.similarity.choosing import choice_task

ATTRIBUTES = ("brightness", "colorfulness", "contrast", "sharpness")
Pictures = tuple[Picture, ...]


def _to_reference(_sample: Sample, pictures: Pictures, cosine: Cosine) -> list[float]:
    reference, *alternatives = pictures
    return [cosine(reference, picture) for picture in alternatives]


def _to_caption(sample: Sample, pictures: Pictures, cosine: Cosine) -> list[float]:
    [caption] = sample.texts
    return [cosine(caption, picture) for picture in pictures]


def _of_captions(sample: Sample, pictures: Pictures, cosine: Cosine) -> list[float]:
    [reference] = pictures
    return [cosine(reference, caption) for caption in sample.texts]


def _of_the_others(_sample: Sample, pictures: Pictures, cosine: Cosine) -> list[float]:
    """How near the other two are to each other."""
    first, second, third = pictures
    return [cosine(second, third), cosine(first, third), cosine(first, second)]


IQA_2AFC = Choice("iqa-2afc", Shape(2, 2), measured=lambda _sample: "quality")
ODD_ONE_OUT = Choice("odd-one-out", Shape(3, 3), nearness=_of_the_others)
CHOICE_TASKS = (
    choice_task(
        Choice("img-2afc", Shape(2, 2, against="image"), nearness=_to_reference),
        "Which picture is more alike",
        "which of two images is nearer to a reference image (UniSim-Bench)",
        chance=1 / 2,
    ),
    choice_task(
        Choice("it-2afc", Shape(2, 9, against="caption"), nearness=_to_caption),
        "Which picture fits a caption",
        "which of two or more images fits a caption better (UniSim-Bench)",
        chance=1 / 2,
    ),
    choice_task(
        Choice("text-2afc", Shape(2, 2, texts=True, against="image"), nearness=_of_captions),
        "Which caption fits a picture",
        "which of two captions fits an image better (UniSim-Bench)",
        chance=1 / 2,
    ),
    choice_task(
        IQA_2AFC, "Better of two pictures", "which of two images has better quality (UniSim-Bench)", chance=1 / 2
    ),
    choice_task(
        Choice("attributes", Shape(2, 2, attributes=ATTRIBUTES), measured=lambda sample: sample.groups["attribute"]),
        "Brighter, sharper, more colourful",
        "which of two images is brighter, more colorful, of more contrast or sharper (UniSim-Bench)",
        chance=1 / 2,
    ),
    choice_task(ODD_ONE_OUT, "Odd one out", "which of three images does not belong (UniSim-Bench)", chance=1 / 3),
)
