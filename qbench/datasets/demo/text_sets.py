"""Demo sets with words in them: `demo-perception`, `demo-description`, `demo-it-2afc` and `demo-text-2afc`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from qbench.datasets.demo.damage import DAMAGE_WORDS, PLACES, Damage
from qbench.datasets.demo.descriptions import caption, describe_damage
from qbench.datasets.demo.pictures import DEMO_PHOTOS, AddPicture, DemoPicture
from qbench.datasets.demo.question import DemoQuestion
from qbench.datasets.demo.questions import questions_about
from qbench.datasets.demo.rated_sets import types_of
from qbench.records import Sample

_SEED = 9
"""One whose draws come near the shares that are aimed at."""
_DAYLIGHT_PHOTOS = tuple(photo for photo in DEMO_PHOTOS if photo != "rocket")
"""Photos of which "the lighting is adequate" is plainly true."""
_ATTRIBUTES = ("brightness", "colour", "contrast")


def perception_samples(add: AddPicture) -> list[Sample]:
    """Two questions on each of 80 pictures, as evenly as can be over types, concerns, contexts and right answers."""
    generator = np.random.default_rng(_SEED)
    asked: Counter[tuple[str, ...]] = Counter()
    samples = []
    for picture in _varied_pictures(80, generator):
        name = add(picture)
        answerable = questions_about(picture.damage, generator)
        chosen = sorted(answerable, key=lambda question: asked[_kind(question)] + asked[_right_answer(question)])[:2]
        asked.update(map(_kind, chosen))
        # Yes-or-no answers have a share of their own.
        asked.update(_right_answer(question) for question in chosen if question.question_type != "yes-or-no")
        for number, question in enumerate(chosen, start=1):
            groups = dict(zip(("question_type", "concern"), _kind(question), strict=True))
            text, options, answer = question.question, question.options, question.answer
            samples.append(Sample(f"{name} {number}", (name,), text, options, answer, groups=groups))
    return samples


def description_samples(add: AddPicture) -> list[Sample]:
    """Forty pictures with reference descriptions."""
    generator = np.random.default_rng(_SEED + 1)
    return [
        Sample(name, (name,), reference=describe_damage(picture.damage, generator))
        for picture in _varied_pictures(40, generator)
        for name in [add(picture)]
    ]


def image_for_caption_samples(add: AddPicture) -> list[Sample]:
    """Which of two pictures a caption is about: they differ in the type of damage, or in its level."""
    generator = np.random.default_rng(_SEED + 2)
    samples = []
    for number, (photo, damages, difference) in enumerate(_pairs_of_damages(generator)):
        right = int(generator.integers(2))
        samples.append(
            Sample(
                str(number),
                tuple(add(DemoPicture(photo, damage)) for damage in damages),
                texts=(caption(damages[right]),),
                answer=right,
                groups={"difference": difference},
                cluster=photo,
            )
        )
    return samples


def caption_for_image_samples(add: AddPicture) -> list[Sample]:
    """Which of two captions is about a picture: they differ in the type of damage, or in its level."""
    generator = np.random.default_rng(_SEED + 3)
    samples = []
    for number, (photo, damages, difference) in enumerate(_pairs_of_damages(generator)):
        right = int(generator.integers(2))
        image = add(DemoPicture(photo, damages[right]))
        samples.append(
            Sample(
                str(number),
                (image,),
                texts=tuple(map(caption, damages)),
                reference=image,
                answer=right,
                groups={"difference": difference},
                cluster=photo,
            )
        )
    return samples


def _kind(question: DemoQuestion) -> tuple[str, str]:
    return question.question_type, question.group


def _right_answer(question: DemoQuestion) -> tuple[str, ...]:
    return *_kind(question), question.options[question.answer]


def _varied_pictures(count: int, generator: np.random.Generator) -> list[DemoPicture]:
    """Different pictures: every eighth untouched, every other damaged one in one place only.

    What changes brightness, colours or contrast comes oftener and strong, for else "just fine" were always right.
    """
    telling = [kind for kind, words in DAMAGE_WORDS.items() if words.family in _ATTRIBUTES and words.pole]
    kinds = [*DAMAGE_WORDS, *telling, *telling]
    pictures: dict[str, DemoPicture] = {}
    while len(pictures) < count:
        for place in generator.permutation(len(kinds)):
            number, kind = len(pictures), kinds[place]
            photo = _DAYLIGHT_PHOTOS[number % len(_DAYLIGHT_PHOTOS)]
            level = int(generator.integers(4 if kind in telling else 2, 6))
            where = str(generator.choice(PLACES)) if number % 2 else None
            picture = DemoPicture(photo, Damage(kind, level, where)) if number % 8 else DemoPicture(photo)
            pictures.setdefault(picture.name, picture)
    return list(pictures.values())[:count]


def _pairs_of_damages(generator: np.random.Generator) -> Iterator[tuple[str, tuple[Damage, Damage], str]]:
    """Four pairs of damages for every photo, in random order within the pair, and what they differ in."""
    for photo in DEMO_PHOTOS:
        one, other = types_of(photo)
        pairs = (
            ((Damage(one, 3), Damage(other, 3)), "type"),
            ((Damage(one, 5), Damage(other, 5)), "type"),
            ((Damage(one, 2), Damage(one, 5)), "level"),
            ((Damage(other, 2), Damage(other, 5)), "level"),
        )
        for (first, second), difference in pairs:
            yield photo, ((first, second) if generator.random() < 1 / 2 else (second, first)), difference
