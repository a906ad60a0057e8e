"""Questions that follow from what was done to a photo.

Style and groups are those of LLVisionQA (Q-Bench, Sec. 2.2, https://arxiv.org/abs/2309.14181).
Nothing is asked that the construction does not settle: a slight damage is asked for neither as present nor as absent,
nor is an attribute that the damage changes by the way. It does presume that the photo itself is sharp, well lit and
natural in colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from qbench.datasets.demo.damage import PLACES, VISIBLE, WORDS, Damage, Family, Words, region_of, spoken
from qbench.datasets.demo.description import caption, description

__all__ = [
    "PLACES",
    "WORDS",
    "Damage",
    "Question",
    "Words",
    "alike",
    "caption",
    "description",
    "questions",
    "region_of",
]

_T = TypeVar("_T")
QuestionType = Literal["yes-or-no", "what", "how"]
Concern = Literal["distortion", "other"]
Context = Literal["global", "in-context"]

NO_SHARE = 0.4
"""Share of "No" among yes-or-no answers, about LLVisionQA's."""
STRONG = 3.5
"""From this level on it settles what an attribute of the photo is like."""
_YES_NO = ("Yes", "No")
_DEGREES = ("Slight", "Moderate", "Severe")
_WHOLE = "Not distorted", "Moderately distorted", "Severely distorted"
_CLARITY = "Clear", "Moderate", "Blurry"
_NOTHING = "No distortion"
_WRONG_OPTIONS = 3


@dataclass(frozen=True)
class Question:
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


@dataclass(frozen=True)
class _Scale:
    """An attribute with a natural middle, and two ways of leaving it."""

    how: str
    what: str
    options: tuple[str, str, str]
    asks: tuple[str, str, str]
    """A yes-or-no question for each option."""
    stands_out: tuple[str, str]
    """What a part of the photo looks at either end."""


_SCALES: Mapping[Family, _Scale] = {
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


def questions(damage: Damage | None, generator: np.random.Generator) -> list[Question]:
    """At most one question of every type, concern and context: those that the damage settles.

    Args:
        damage: What was done; None is an undamaged photo.
        generator: Chooses wordings, parts of the photo and wrong options.
    """
    place = damage.place if damage and damage.place else str(generator.choice(PLACES))
    cells: dict[tuple[str, str, str], list[Question]] = {}
    for where in (None, place):
        for one in (*_on_distortion(damage, where, generator), *_on_attributes(damage, where, generator)):
            cells.setdefault((one.question_type, one.concern, one.context), []).append(one)
    drawn = (_drawn(members, generator) for members in cells.values())
    return [one for one in drawn if one is not None]


@dataclass(frozen=True)
class _Subject:
    """What a question is about: the photo or one part of it, and types of damage it does not have."""

    phrase: str
    place: str | None
    absent: Sequence[str]
    generator: np.random.Generator

    def ask(self, text: str, right: str, options: Sequence[str], kind: QuestionType) -> Question:
        context: Context = "in-context" if self.place else "global"
        return Question(text.format(self.phrase), tuple(options), options.index(right), kind, "distortion", context)

    def which(self, right: str) -> Question:
        """What kind of distortion is there, among some that are not."""
        wrong = [_capital(WORDS[kind].noun) for kind in self.absent[:_WRONG_OPTIONS]]
        if right != _NOTHING and self.generator.random() < 1 / 3:
            wrong[-1] = _NOTHING
        options = [str(one) for one in self.generator.permutation([right, *wrong])]
        return self.ask("What kind of distortion is in {}?", right, options, "what")

    def shown(self, kind: str, answer: str) -> Iterator[Question]:
        """Is this type of damage there."""
        words = WORDS[kind]
        yield self.ask(f"Is {{}} {words.adjective}?", answer, _YES_NO, "yes-or-no")
        yield self.ask(f"Does {{}} show {words.noun}?", answer, _YES_NO, "yes-or-no")

    def overall(self, degree: int) -> Iterator[Question]:
        """Is there any damage, and how much."""
        yield self.ask("Is {} free of distortion?", _YES_NO[degree > 0], _YES_NO, "yes-or-no")
        yield self.ask("Is there distortion in {}?", _YES_NO[degree == 0], _YES_NO, "yes-or-no")
        yield self.ask("How strongly is {} distorted?", _WHOLE[degree], _WHOLE, "how")

    def clarity(self, degree: int) -> Iterator[Question]:
        """Is it clear."""
        if self.place is None:
            yield self.ask("Is {} clear?", _YES_NO[degree > 0], _YES_NO, "yes-or-no")
        yield self.ask("How clear is {}?", _CLARITY[degree], _CLARITY, "how")


def _on_distortion(damage: Damage | None, place: str | None, generator: np.random.Generator) -> Iterator[Question]:
    """Is it there, which is it, how bad is it: of the whole photo, or of a part where `place` is given."""
    if damage and place and not damage.place and not damage.words.everywhere:
        return
    absent = _unrelated(damage, generator, natural=place is None)
    phrase = f"the {spoken(place)} of this photo" if place else "this photo"
    if damage and damage.place and not place:
        subject = _Subject("any part of this photo", None, absent, generator)
        if damage.level >= VISIBLE:
            yield from subject.shown(absent[0], "No")
            yield from subject.shown(damage.kind, "Yes")
            yield replace(subject, phrase="a part of this photo").which(_capital(damage.words.noun))
        return
    subject = _Subject(phrase, place, absent, generator)
    if damage is None:
        yield from subject.shown(absent[0], "No")
        yield from subject.overall(0)
        yield subject.which(_NOTHING)
        if place is None:
            yield from subject.clarity(0)
        return
    yield from _on_present(damage, subject)


def _on_present(damage: Damage, subject: _Subject) -> Iterator[Question]:
    """Questions about what is damaged."""
    words, degree = damage.words, (damage.level >= VISIBLE) + (damage.level >= STRONG)
    yield subject.ask(f"How severe is the {words.noun} in {{}}?", _DEGREES[degree], _DEGREES, "how")
    if not degree:
        return
    yield from subject.shown(subject.absent[0], "No")
    if not (subject.place and words.natural):  # it is never called absent there, so asking would tell the answer
        yield from subject.shown(damage.kind, "Yes")
    yield subject.which(_capital(words.noun))
    yield from subject.overall(degree)
    if words.family == "sharpness" and words.pole:
        yield from subject.clarity(degree)
    if subject.place and damage.place:
        right, options = _parts(subject.place, subject.generator)
        yield subject.ask(f"Which part of this photo is {words.adjective}?", right, options, "what")


def _on_attributes(damage: Damage | None, place: str | None, generator: np.random.Generator) -> Iterator[Question]:
    """Brightness, colours and contrast: what was changed is off, what was left alone is as it should be."""
    subject = f"the {spoken(place)} of this photo" if place else "this photo"
    context: Context = "in-context" if place else "global"
    for family, scale in _SCALES.items():
        at = _standing(damage, family)
        if at is None or (at != 1 and damage and damage.place != place):
            continue
        usual = place is None or family == "colour"  # a good photo has dark and flat parts
        if at == 1 and not usual:
            continue
        for option, text in enumerate(scale.asks):
            if option == 1 and not usual:
                continue
            yield Question(text.format(subject), _YES_NO, int(option != at), "yes-or-no", "other", context)
        yield Question(scale.what.format(subject), scale.options, at, "what", "other", context)
        yield Question(scale.how.format(subject), scale.options, at, "how", "other", context)
        if place and at != 1:
            right, options = _parts(place, generator)
            look = f"Which part of this photo looks {scale.stands_out[at // 2]}?"
            yield Question(look, options, options.index(right), "what", "other", context)


def _standing(damage: Damage | None, family: Family) -> int | None:
    """Which option of the family's scale is true: 1 as it should be, 0 less, 2 more; None where it is not settled."""
    if damage is None or damage.keeps(family):
        return 1
    settled = damage.words.family == family and damage.words.pole and damage.level >= STRONG
    return damage.words.pole + 1 if settled else None


def _unrelated(damage: Damage | None, generator: np.random.Generator, *, natural: bool) -> list[str]:
    """Types that the damage cannot be taken for, one of each family, in random order; the first may be any of them."""
    found: dict[Family, str] = {}
    for kind in map(str, generator.permutation(list(WORDS))):
        words = WORDS[kind]
        if (natural or not words.natural) and not (damage and alike(damage.words, words)):
            found.setdefault(words.family, kind)
    return list(found.values())


def alike(one: Words, other: Words) -> bool:
    """Whether a viewer may take one for the other."""
    if one.family == other.family:
        return True
    if {one.family, other.family} <= _SCALES.keys() and bool(one.pole) != bool(other.pole):
        return False  # fringes or posterization of colours, and a photo too dark or too flat
    return one.family in other.near or other.family in one.near


def _drawn(members: Sequence[Question], generator: np.random.Generator) -> Question | None:
    """One of them; "No" as often as it should be. A kind of question whose answer never varies would give it away."""
    if members[0].question_type != "yes-or-no":
        return _either(members, generator)
    says_no = generator.random() < NO_SHARE
    if len({one.answer for one in members}) < len(_YES_NO):
        return None
    return _either([one for one in members if one.answer == says_no], generator)


def _parts(place: str, generator: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """The place and, among it, three others in random order."""
    others = generator.permutation([one for one in PLACES if one != place])[:_WRONG_OPTIONS]
    options = generator.permutation([place, *others])
    return _capital(spoken(place)), tuple(_capital(spoken(str(one))) for one in options)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _either(members: Sequence[_T], generator: np.random.Generator) -> _T:
    return members[int(generator.integers(len(members)))]
