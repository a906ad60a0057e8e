"""Questions that follow from what was done to a photo.

Nothing is asked that the construction does not settle: a slight damage is asked for neither as present nor as absent,
nor is an attribute that the damage changes by the way. It does presume that the photo itself is sharp, well lit and
natural in colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from qbench.datasets.demo.attribute_questions import ATTRIBUTE_SCALES, ask_about_attributes
from qbench.datasets.demo.damage import DAMAGE_WORDS, PLACES, VISIBLE, Damage, DamageWords, Family, place_in_words
from qbench.datasets.demo.question import (
    STRONG,
    WRONG_OPTIONS,
    YES_NO,
    Context,
    DemoQuestion,
    QuestionType,
    capitalised,
    part_options,
)

NO_SHARE = 0.4
"""Share of "No" among yes-or-no answers, about LLVisionQA's."""
_DEGREES = ("Slight", "Moderate", "Severe")
_OVERALL = "Not distorted", "Moderately distorted", "Severely distorted"
_CLARITY = "Clear", "Moderate", "Blurry"
_NO_DISTORTION = "No distortion"
_ItemT = TypeVar("_ItemT")


def questions_about(damage: Damage | None, generator: np.random.Generator) -> list[DemoQuestion]:
    """At most one question of every type, concern and context: those that the damage settles.

    Args:
        damage: What was done; None is an undamaged photo.
        generator: Chooses wordings, parts of the photo and wrong options.
    """
    place = damage.place if damage and damage.place else str(generator.choice(PLACES))
    by_kind: dict[tuple[str, str, str], list[DemoQuestion]] = {}
    for where in (None, place):
        asked = (*_ask_about_distortion(damage, where, generator), *ask_about_attributes(damage, where, generator))
        for question in asked:
            kind = (question.question_type, question.concern, question.context)
            by_kind.setdefault(kind, []).append(question)
    chosen = (_choose(members, generator) for members in by_kind.values())
    return [question for question in chosen if question is not None]


@dataclass(frozen=True)
class _Subject:
    """What a question is about: the photo or one part of it, and types of damage it does not have."""

    phrase: str
    place: str | None
    absent: Sequence[str]
    generator: np.random.Generator

    def ask(self, text: str, right: str, options: Sequence[str], kind: QuestionType) -> DemoQuestion:
        context: Context = "in-context" if self.place else "global"
        return DemoQuestion(text.format(self.phrase), tuple(options), options.index(right), kind, "distortion", context)

    def which(self, right: str) -> DemoQuestion:
        """What kind of distortion is there, among some that are not."""
        wrong = [capitalised(DAMAGE_WORDS[kind].noun) for kind in self.absent[:WRONG_OPTIONS]]
        if right != _NO_DISTORTION and self.generator.random() < 1 / 3:
            wrong[-1] = _NO_DISTORTION
        options = [str(option) for option in self.generator.permutation([right, *wrong])]
        return self.ask("What kind of distortion is in {}?", right, options, "what")

    def shown(self, kind: str, answer: str) -> Iterator[DemoQuestion]:
        """Is this type of damage there."""
        words = DAMAGE_WORDS[kind]
        yield self.ask(f"Is {{}} {words.adjective}?", answer, YES_NO, "yes-or-no")
        yield self.ask(f"Does {{}} show {words.noun}?", answer, YES_NO, "yes-or-no")

    def overall(self, degree: int) -> Iterator[DemoQuestion]:
        """Is there any damage, and how much."""
        yield self.ask("Is {} free of distortion?", YES_NO[degree > 0], YES_NO, "yes-or-no")
        yield self.ask("Is there distortion in {}?", YES_NO[degree == 0], YES_NO, "yes-or-no")
        yield self.ask("How strongly is {} distorted?", _OVERALL[degree], _OVERALL, "how")

    def clarity(self, degree: int) -> Iterator[DemoQuestion]:
        """Is it clear."""
        if self.place is None:
            yield self.ask("Is {} clear?", YES_NO[degree > 0], YES_NO, "yes-or-no")
        yield self.ask("How clear is {}?", _CLARITY[degree], _CLARITY, "how")


def _ask_about_distortion(
    damage: Damage | None, place: str | None, generator: np.random.Generator
) -> Iterator[DemoQuestion]:
    """Is it there, which is it, how bad is it: of the whole photo, or of a part where `place` is given."""
    if damage and place and not damage.place and not damage.words.everywhere:
        return
    absent = _absent_types(damage, generator, natural=place is None)
    phrase = f"the {place_in_words(place)} of this photo" if place else "this photo"
    if damage and damage.place and not place:
        subject = _Subject("any part of this photo", None, absent, generator)
        if damage.level >= VISIBLE:
            yield from subject.shown(absent[0], "No")
            yield from subject.shown(damage.kind, "Yes")
            yield replace(subject, phrase="a part of this photo").which(capitalised(damage.words.noun))
        return
    subject = _Subject(phrase, place, absent, generator)
    if damage is None:
        yield from subject.shown(absent[0], "No")
        yield from subject.overall(0)
        yield subject.which(_NO_DISTORTION)
        if place is None:
            yield from subject.clarity(0)
        return
    yield from _ask_about_damaged(damage, subject)


def _ask_about_damaged(damage: Damage, subject: _Subject) -> Iterator[DemoQuestion]:
    words, degree = damage.words, (damage.level >= VISIBLE) + (damage.level >= STRONG)
    yield subject.ask(f"How severe is the {words.noun} in {{}}?", _DEGREES[degree], _DEGREES, "how")
    if not degree:
        return
    yield from subject.shown(subject.absent[0], "No")
    if not (subject.place and words.natural):  # it is never called absent there, so asking would tell the answer
        yield from subject.shown(damage.kind, "Yes")
    yield subject.which(capitalised(words.noun))
    yield from subject.overall(degree)
    if words.family == "sharpness" and words.pole:
        yield from subject.clarity(degree)
    if subject.place and damage.place:
        right, options = part_options(subject.place, subject.generator)
        yield subject.ask(f"Which part of this photo is {words.adjective}?", right, options, "what")


def _absent_types(damage: Damage | None, generator: np.random.Generator, *, natural: bool) -> list[str]:
    """Types that the damage cannot be taken for, one of each family, in random order; the first may be any of them."""
    found: dict[Family, str] = {}
    for kind in map(str, generator.permutation(list(DAMAGE_WORDS))):
        words = DAMAGE_WORDS[kind]
        if (natural or not words.natural) and not (damage and alike(damage.words, words)):
            found.setdefault(words.family, kind)
    return list(found.values())


def alike(words: DamageWords, others: DamageWords) -> bool:
    """Whether a viewer may take one type of damage for the other."""
    if words.family == others.family:
        return True
    if {words.family, others.family} <= ATTRIBUTE_SCALES.keys() and bool(words.pole) != bool(others.pole):
        return False  # fringes or posterization of colours, and a photo too dark or too flat
    return words.family in others.near or others.family in words.near


def _choose(members: Sequence[DemoQuestion], generator: np.random.Generator) -> DemoQuestion | None:
    """One of them; "No" as often as it should be. A kind of question whose answer never varies would give it away."""
    if members[0].question_type != "yes-or-no":
        return _any_of(members, generator)
    says_no = generator.random() < NO_SHARE
    if len({question.answer for question in members}) < len(YES_NO):
        return None
    return _any_of([question for question in members if question.answer == says_no], generator)


def _any_of(members: Sequence[_ItemT], generator: np.random.Generator) -> _ItemT:
    return members[int(generator.integers(len(members)))]
