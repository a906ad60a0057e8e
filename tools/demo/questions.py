"""Multiple-choice questions about a photo that follow from what was done to it.

Style and groups are those of LLVisionQA (Q-Bench, Sec. 2.2, https://arxiv.org/abs/2309.14181). Nothing is asked that
the construction does not settle: a slight damage is asked for neither as present nor as absent, nor is an attribute
that the damage changes by the way. It does presume that the photo itself is sharp, well lit and natural in colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from qbench.datasets.demo import PLACES, place_in_words
from tools.demo.damage import DAMAGE_WORDS, VISIBLE, Damage, DamageWords, Family

QuestionType = Literal["yes-or-no", "what", "how"]
Concern = Literal["distortion", "other"]
Context = Literal["global", "in-context"]

YES_NO = ("Yes", "No")
STRONG = 3.5
"""From this level on it settles what an attribute of the photo is like."""
WRONG_OPTIONS = 3


@dataclass(frozen=True)
class DemoQuestion:
    """One multiple-choice question; the task shuffles the options."""

    question: str
    options: tuple[str, ...]
    answer: int
    question_type: QuestionType
    concern: Concern
    context: Context = "global"

    @property
    def group(self) -> str:
        """Concern and context as LLVisionQA joins them."""
        return f"in-context-{self.concern}" if self.context == "in-context" else self.concern


def part_options(place: str, generator: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """The place as an option, and all options: with it three others, in random order."""
    others = generator.permutation([other for other in PLACES if other != place])[:WRONG_OPTIONS]
    options = generator.permutation([place, *others])
    return capitalised(place_in_words(place)), tuple(capitalised(place_in_words(str(option))) for option in options)


def capitalised(text: str) -> str:
    """The text with a capital first letter and all others as they were."""
    return text[0].upper() + text[1:]


@dataclass(frozen=True)
class _Scale:
    """An attribute with a natural middle, and two ways of leaving it."""

    how: str
    what: str
    options: tuple[str, str, str]
    yes_no: tuple[str, str, str]
    """A yes-or-no question for each option."""
    extremes: tuple[str, str]
    """How a part of the photo looks at either end."""


_MIDDLE = 1
"""Which option says that the attribute is as it should be."""
ATTRIBUTE_SCALES: Mapping[Family, _Scale] = {
    "brightness": _Scale(
        "How is the lighting of {}?",
        "What can be said of the brightness of {}?",
        ("Too dark", "Just fine", "Too bright"),
        ("Is {} too dark?", "Is the lighting of {} adequate?", "Is {} too bright?"),
        ("unnaturally dark", "unnaturally bright"),
    ),
    "colour": _Scale(
        "How are the colors of {}?",
        "Which word describes the colors of {} best?",
        ("Faded", "Natural", "Oversaturated"),
        ("Are the colors of {} faded?", "Do the colors of {} look natural?", "Are the colors of {} oversaturated?"),
        ("unnaturally pale", "unnaturally colorful"),
    ),
    "contrast": _Scale(
        "How is the contrast of {}?",
        "What can be said of the contrast of {}?",
        ("Too low", "Just fine", "Too high"),
        ("Is the contrast of {} too low?", "Is the contrast of {} adequate?", "Is the contrast of {} too high?"),
        ("unnaturally flat", "unnaturally harsh"),
    ),
}


def ask_about_attributes(
    damage: Damage | None, place: str | None, generator: np.random.Generator
) -> Iterator[DemoQuestion]:
    """Questions about each attribute: what was changed is off, what was left alone is as it should be.

    Args:
        damage: What was done; None is an undamaged photo.
        place: The part of the photo that is asked about; None is the whole photo.
        generator: Chooses wrong options.
    """
    subject = f"the {place_in_words(place)} of this photo" if place else "this photo"
    context: Context = "in-context" if place else "global"
    for family, scale in ATTRIBUTE_SCALES.items():
        right = _right_option(damage, family)
        if right is None or (right != _MIDDLE and damage and damage.place != place):
            continue
        usual = place is None or family == "colour"  # a good photo has dark and flat parts
        if right == _MIDDLE and not usual:
            continue
        for option, text in enumerate(scale.yes_no):
            if option == _MIDDLE and not usual:
                continue
            yield DemoQuestion(text.format(subject), YES_NO, int(option != right), "yes-or-no", "other", context)
        yield DemoQuestion(scale.what.format(subject), scale.options, right, "what", "other", context)
        yield DemoQuestion(scale.how.format(subject), scale.options, right, "how", "other", context)
        if place and right != _MIDDLE:
            part, options = part_options(place, generator)
            which = f"Which part of this photo looks {scale.extremes[right // 2]}?"
            yield DemoQuestion(which, options, options.index(part), "what", "other", context)


def _right_option(damage: Damage | None, family: Family) -> int | None:
    """Which option of the family's scale is true: 1 as it should be, 0 less, 2 more; None where it is not settled."""
    if damage is None or damage.keeps(family):
        return _MIDDLE
    settled = damage.words.family == family and damage.words.pole and damage.level >= STRONG
    return damage.words.pole + _MIDDLE if settled else None


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
