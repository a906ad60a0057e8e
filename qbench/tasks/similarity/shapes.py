"""What the samples of each task hold, and what a choice among their alternatives is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qbench.errors import DataError
from qbench.records import Sample, Score

ATTRIBUTES = ("brightness", "colorfulness", "contrast", "sharpness")


@dataclass(frozen=True)
class Shape:
    """Fewest and most alternatives of a task, what they are, and what they are measured against."""

    fewest: int
    most: int
    texts: bool = False
    """Whether the alternatives are captions."""
    against: str = ""
    """A reference "image", a "caption", or nothing."""

    @property
    def what(self) -> str:
        """A sentence's worth, for messages."""
        count = f"{self.fewest} to {self.most}" if self.most > self.fewest else f"{self.fewest}"
        reference = {"image": "a reference image and ", "caption": "one caption and "}.get(self.against, "")
        return f"{reference}{count} {'captions' if self.texts else 'images'}"


SHAPES: Mapping[str, Shape] = {
    "img-2afc": Shape(2, 2, against="image"),
    "it-2afc": Shape(2, 9, against="caption"),
    "text-2afc": Shape(2, 2, texts=True, against="image"),
    "iqa-2afc": Shape(2, 2),
    "attributes": Shape(2, 2),
    "odd-one-out": Shape(3, 3),
}
TASKS = (*SHAPES, "retrieval")


def count_alternatives(task: str, sample: Sample) -> int:
    """How many may be chosen from."""
    return len(sample.texts) if SHAPES[task].texts else len(sample.images) - (sample.reference is not None)


def check_samples(task: str, samples: Sequence[Sample]) -> None:
    """Raise DataError naming the first sample that is not of this task, and how many there are."""
    wrong = [sample for sample in samples if not _fits(task, sample)]
    if wrong:
        what = "one image" if task == "retrieval" else SHAPES[task].what
        if task == "attributes":
            what += f" and an attribute, one of {', '.join(ATTRIBUTES)}"
        raise DataError(f"{task} compares {what} in each sample; {len(wrong):,} hold others, first {wrong[0].id!r}")


def _fits(task: str, sample: Sample) -> bool:
    if task == "retrieval":
        return len(sample.images) == 1 and sample.reference is None and not sample.texts
    shape, count = SHAPES[task], count_alternatives(task, sample)
    against = "caption" if len(sample.texts) == 1 else "image" if sample.reference is not None else ""
    return (
        shape.fewest <= count <= shape.most
        and against == shape.against
        and len(sample.images) == (0 if shape.texts else count) + (shape.against == "image")
        and len(sample.texts) == (count if shape.texts else 0) + (shape.against == "caption")
        and (sample.answer is None or 0 <= sample.answer < count)
        and (task != "attributes" or sample.groups.get("attribute") in ATTRIBUTES)
    )


def score_choice(sample: Sample, chosen: int | None, reason: str | None = None) -> Score:
    """1 for the right alternative, 0 for another; without a choice, or without a known answer, why not."""
    right = None if chosen is None or sample.answer is None else float(chosen == sample.answer)
    return Score(
        sample.id,
        right,
        truth=None if sample.answer is None else float(sample.answer),
        order=None if chosen is None else float(chosen),
        reason=None if right is not None else "no known answer" if chosen is not None else reason,
        cluster=sample.cluster,
        groups=sample.groups,
    )


def highest(values: Sequence[float]) -> tuple[int | None, str | None]:
    """Place of the one highest value; equal ones are a tie, which is no choice."""
    best = max(values)
    return (None, "tie") if values.count(best) > 1 else (values.index(best), None)
