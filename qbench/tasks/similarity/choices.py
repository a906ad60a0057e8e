"""The six tasks of choosing among alternatives (UniSim, Sec. 3.1 and App. C, https://arxiv.org/abs/2412.10594).

Models choose by a written answer, letters, scores of images or embeddings, as they can: encoders by how near two things
are; where single images are measured instead, by captions or by scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from qbench.errors import UserError
from qbench.records import Picture, Sample, Want
from qbench.tasks import asking
from qbench.tasks.asking import need_replies
from qbench.tasks.choice import Choice, Cosine, Shape, score_choice
from qbench.tasks.similarity import instructions, measures
from qbench.tasks.task import Answered, Outcome, Plan, Setup, Task, one_of

Mode = Literal["text", "letter-logits", "scores", "embeddings"]
Style = Literal["paper", "code", "naive", "clip-iqa"]
WANTS: Mapping[Mode, Want] = {
    "text": "text",
    "letter-logits": "words",
    "scores": "score",
    "embeddings": "embedding",
}
"""Mode -> what it asks of a model. Models that write are asked, as the paper does it, even where they also embed."""


@dataclass(frozen=True)
class Similarity:
    """How to compare: by a written answer or its letter's logit, by scores of images, or by nearness of embeddings."""

    mode: Mode | None = None
    """None takes the first of the modes above that the model can do; encoders only embed."""
    style: Style | None = None
    """Of `prompts.SIMILARITY` for models that are asked ("paper" unless told); for embeddings, which of the approaches
    of `measures` is the result ("naive" unless told). The other is reported beside it."""
    judge: bool = False
    """Let a judge read the replies that the parser leaves unread."""


def choice_task(choice: Choice, title: str, sentence: str, chance: float) -> Task:
    """The task of making a choice, of which guessing makes this share right."""

    def plan_run(samples: Sequence[Sample], setup: Setup) -> Plan:
        mode, style = one_of(setup.options.mode, Mode), one_of(setup.options.style, Style)
        return plan(choice, samples, setup.wants, Similarity(mode, style, setup.judged))

    return Task(
        name=choice.name,
        title=title,
        sentence=sentence,
        modes=modes_of(choice),
        choose_mode=partial(choose_mode, choice.name, modes_of(choice)),
        check=choice.check,
        styles=styles_of(choice),
        options=frozenset({"judge", "mode", "style"}),
        plan=plan_run,
        result="choices",
        metric="accuracy",
        parse=lambda answered, _setup: parse(choice, answered),
        chance={"accuracy": chance},
        choice=choice,
    )


def plan(choice: Choice, samples: Sequence[Sample], wants: frozenset[Want], options: Similarity) -> Plan:
    """Ask what the task needs of the model, once.

    Raises:
        UserError: The model cannot do this task.
    """
    mode = choose_mode(choice.name, modes_of(choice), wants, options.mode)
    if mode == "embeddings" and choice.has_texts and not asking.is_encoder(wants):
        raise UserError(
            f"{choice.name} by embeddings compares images with captions, and this model embeds images alone; leave out "
            "--mode to have it asked, or choose among CLIP, SigLIP and BLIP checkpoints"
        )
    if options.judge:
        need_replies(choice.name, mode, WANTS[mode])
    samples = _by_number_of_alternatives(choice, samples)
    styles = styles_of(choice).get(mode, ())
    if options.style and options.style not in styles:
        known = f"knows {' and '.join(styles)}" if styles else "has no styles"
        raise UserError(f"{choice.name} by {mode} {known}, not {options.style!r}; leave out --style or name another")
    style: str = options.style or (styles[0] if styles else "")
    if mode == "embeddings":
        return measures.plan_embeddings(choice, samples, style)
    if mode == "scores":
        return measures.plan_scores(samples)
    return instructions.plan(choice, samples, style, by_letter=mode == "letter-logits", judge=options.judge)


def parse(choice: Choice, answered: Sequence[Answered]) -> Outcome:
    """What chosen places come to, counted from 0 in the order listed, that files hold as the answers."""
    samples = _by_number_of_alternatives(choice, [sample for sample, _ in answered])
    scores = [
        score_choice(sample, None if response.text is None else int(response.text), "no usable answer")
        for sample, (_, response) in zip(samples, answered, strict=True)
    ]
    return Outcome(scores={"accuracy": scores})


def _by_number_of_alternatives(choice: Choice, samples: Sequence[Sample]) -> Sequence[Sample]:
    """Samples grouped by how many alternatives they have, where some have more than the fewest."""
    count = choice.shape.count
    if not any(count(sample) > choice.shape.fewest for sample in samples):
        return samples
    return [replace(sample, groups={**sample.groups, "alternatives": str(count(sample))}) for sample in samples]


def modes_of(choice: Choice) -> dict[Mode, Want]:
    """The modes that serve a choice: a score of one image says which of two is better, and nothing else."""
    return {mode: want for mode, want in WANTS.items() if mode != "scores" or choice.measured}


def styles_of(choice: Choice) -> dict[Mode, tuple[Style, ...]]:
    """The wordings of each mode; captions to compare images with, for embeddings."""
    asked: dict[Mode, tuple[Style, ...]] = {"text": ("paper", "code"), "letter-logits": ("paper", "code")}
    return {**asked, "embeddings": ("naive", "clip-iqa")} if choice.measured else asked


def choose_mode(task: str, modes: Mapping[Mode, Want], wants: frozenset[Want], asked: Mode | None = None) -> Mode:
    """How a model that offers this is asked; see `asking.choose_mode`."""
    if asked and asked not in modes:
        raise UserError(f"{task} cannot be done by {asked}; leave out --mode, or choose {' or '.join(modes)}")
    usable = wants & {"embedding"} if asking.is_encoder(wants) else wants
    return asking.choose_mode(task, modes, wants, asked, usable=usable)


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
