"""What the samples of a task of choosing hold, and what a choice among their alternatives is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qbench.parsing import parse_numbered, parse_preference
from qbench.records import Picture, Sample, Score

Item = str | Picture
"""Whatever has an embedding: a caption or an image."""
Cosine = Callable[[Item, Item], float]
Nearness = Callable[[Sequence[Picture], Cosine], list[float]]
"""How much speaks for each of these pictures."""
Place = tuple[int | None, str | None]
"""The place that was chosen, counted from 0; or None, and why there is no answer."""


@dataclass(frozen=True)
class Shape:
    """Fewest and most alternatives of a task, what they are, and what they are measured against."""

    fewest: int
    most: int
    texts: bool = False
    """Whether the alternatives are captions."""
    against: str = ""
    """A reference "image", a "caption", or nothing."""
    attributes: tuple[str, ...] = ()
    """Those that a sample may ask about, where it must name one."""

    @property
    def what(self) -> str:
        """A sentence's worth, for messages."""
        count = f"{self.fewest} to {self.most}" if self.most > self.fewest else f"{self.fewest}"
        reference = {"image": "a reference image and ", "caption": "one caption and "}.get(self.against, "")
        attribute = f" and an attribute, one of {', '.join(self.attributes)}" if self.attributes else ""
        return f"{reference}{count} {'captions' if self.texts else 'images'}{attribute}"

    @property
    def first_number(self) -> int:
        """The number that the first alternative is called by: a reference image is image 1."""
        return 2 if self.against == "image" and not self.texts else 1

    def count(self, sample: Sample) -> int:
        """How many alternatives a sample has."""
        return len(sample.texts) if self.texts else len(sample.images) - sample.has_reference

    def fits(self, sample: Sample) -> bool:
        """Whether a sample is of this shape."""
        count = self.count(sample)
        against = "caption" if len(sample.texts) == 1 else "image" if sample.has_reference else ""
        return (
            self.fewest <= count <= self.most
            and against == self.against
            and len(sample.images) == (0 if self.texts else count) + (self.against == "image")
            and len(sample.texts) == (count if self.texts else 0) + (self.against == "caption")
            and (sample.answer is None or 0 <= sample.answer < count)
            and (not self.attributes or sample.groups.get("attribute") in self.attributes)
        )


def read_place(reply: str, count: int, question: str = "", start: int = 1) -> Place:
    """The place that a reply to a question names: of several by its number, of two by preference.

    Numbers begin at `start`. A tie is no place, and says so.
    """
    if count > 2 or start > 1:
        numbered = parse_numbered(reply, count, start=start)
        return numbered.value, numbered.reason
    preferred = parse_preference(reply, question)
    if preferred.value == "tie":
        return None, "tie"
    return None if preferred.value is None else ("first", "second").index(preferred.value), preferred.reason


@dataclass(frozen=True)
class Choice:
    """How the alternatives of one task are compared, by each kind of model."""

    name: str
    shape: Shape
    nearness: Nearness | None = None
    """For encoders; None where alternatives are measured against a reference, or each by itself."""
    measured: Callable[[Sample], str] | None = None
    """What single images are measured by: quality or an attribute, as `prompts.NAIVE_CAPTIONS` calls it."""

    @property
    def has_texts(self) -> bool:
        """Whether images are compared with captions, and not with images alone."""
        return self.measured is not None or self.shape.texts or self.shape.against == "caption"


def score_choice(sample: Sample, chosen: int | None, reason: str | None = None) -> Score:
    """1 for the right alternative, 0 for another; without a choice, or without a known answer, why not."""
    right = None if chosen is None or sample.answer is None else float(chosen == sample.answer)
    return Score(
        sample.id,
        right,
        chosen=chosen,
        right=sample.answer,
        reason=None if right is not None else "no known answer" if chosen is not None else reason,
        cluster=sample.cluster,
        groups=sample.groups,
    )


def highest(values: Sequence[float]) -> Place:
    """Place of the one highest value; equal ones are a tie, which is no choice."""
    best = max(values)
    return (None, "tie") if values.count(best) > 1 else (values.index(best), None)
