"""The six tasks of choosing among alternatives (UniSim, Sec. 3.1 and App. C, https://arxiv.org/abs/2412.10594).

Models choose by a written answer, letters, scores of images or embeddings, as they can: encoders by how near two things
are; where single images are measured instead, by captions or by scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from qbench.errors import UserError
from qbench.records import Picture, Sample, Want
from qbench.tasks.choice import Choice, Cosine, Shape, score_choice
from qbench.tasks.similarity import instructions, measures
from qbench.tasks.task import Answered, Chosen, Outcome, Plan, Task, need

WANTS: Mapping[str, Want] = {
    "text": "text",
    "letter-logits": "words",
    "scores": "score",
    "embeddings": "embedding",
}
"""Mode -> what it asks of a model. Models that write are asked, as the paper does it, even where they also embed."""


def choice_task(choice: Choice, title: str, sentence: str, chance: float) -> Task:
    """The task of making a choice, of which guessing makes this share right.

    A score of one image says which of two is better, and nothing else. For embeddings the style is which of the
    approaches of `measures` is the result; the other is reported beside it.
    """
    asked = ("paper", "code")
    measured = {"embeddings": measures.APPROACHES} if choice.measured else {}
    return Task(
        name=choice.name,
        title=title,
        sentence=sentence,
        modes={mode: want for mode, want in WANTS.items() if mode != "scores" or choice.measured},
        encoder_modes=("embeddings",),
        check=need(choice.shape.what, choice.shape.fits),
        styles={"text": asked, "letter-logits": asked, **measured},
        options=frozenset({"judge", "mode", "style"}),
        plan=partial(plan, choice),
        result="choices",
        metric="accuracy",
        parse=lambda answered, _chosen: parse(choice, answered),
        chance={"accuracy": chance},
        choice=choice,
    )


def plan(choice: Choice, samples: Sequence[Sample], chosen: Chosen) -> Plan:
    """Ask what the task needs of the model, once."""
    if chosen.mode == "embeddings" and choice.has_texts and not chosen.encoder:
        raise UserError(
            f"{choice.name} by embeddings compares images with captions, and this model embeds images alone; leave out "
            "--mode to have it asked, or choose among CLIP, SigLIP and BLIP checkpoints"
        )
    samples = _by_number_of_alternatives(choice, samples)
    if chosen.mode == "embeddings":
        return measures.plan_embeddings(choice, samples, chosen.style)
    if chosen.mode == "scores":
        return measures.plan_scores(samples)
    return instructions.plan(choice, samples, chosen)


def parse(choice: Choice, answered: Sequence[Answered]) -> Outcome:
    """What chosen places come to, counted from 0 in the order listed, that files hold as the answers."""
    samples = _by_number_of_alternatives(choice, [sample for sample, _ in answered])
    scores = [
        score_choice(sample, response.chosen, "no usable answer")
        for sample, (_, response) in zip(samples, answered, strict=True)
    ]
    return Outcome(scores={"accuracy": scores})


def _by_number_of_alternatives(choice: Choice, samples: Sequence[Sample]) -> Sequence[Sample]:
    """Samples grouped by how many alternatives they have, where some have more than the fewest."""
    count = choice.shape.count
    if not any(count(sample) > choice.shape.fewest for sample in samples):
        return samples
    return [replace(sample, groups={**sample.groups, "alternatives": str(count(sample))}) for sample in samples]


ATTRIBUTES = ("brightness", "colorfulness", "contrast", "sharpness")


def _of_the_others(pictures: Sequence[Picture], cosine: Cosine) -> list[float]:
    """How near the other two are to each other."""
    first, second, third = pictures
    return [cosine(second, third), cosine(first, third), cosine(first, second)]


IQA_2AFC = Choice("iqa-2afc", Shape(2, 2), measured=lambda _sample: "quality")
ODD_ONE_OUT = Choice("odd-one-out", Shape(3, 3), nearness=_of_the_others)
CHOICE_TASKS = (
    choice_task(
        Choice("img-2afc", Shape(2, 2, against="image")),
        "Which picture is more alike",
        "which of two images is nearer to a reference image (UniSim-Bench)",
        chance=1 / 2,
    ),
    choice_task(
        Choice("it-2afc", Shape(2, 9, against="caption")),
        "Which picture fits a caption",
        "which of two or more images fits a caption better (UniSim-Bench)",
        chance=1 / 2,
    ),
    choice_task(
        Choice("text-2afc", Shape(2, 2, texts=True, against="image")),
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
