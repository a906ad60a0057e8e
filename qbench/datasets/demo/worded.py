"""Demo sets with words in them: `demo-perception`, `demo-description`, `demo-it-2afc` and `demo-text-2afc`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from qbench.datasets.demo.damage import PLACES, WORDS, Damage
from qbench.datasets.demo.quality import types_of
from qbench.datasets.demo.shots import PHOTOS, Shot, Take
from qbench.datasets.demo.wording import Question, caption, description, questions
from qbench.records import Sample

SEED = 9
"""One whose draws come near the shares that are aimed at."""
_BY_DAY = tuple(photo for photo in PHOTOS if photo != "rocket")
"""Photos of which "the lighting is adequate" is plainly true."""
_ATTRIBUTES = ("brightness", "colour", "contrast")


def perception(take: Take) -> list[Sample]:
    """Two questions on each of 80 pictures, as evenly as can be over types, concerns, contexts and right answers."""
    generator = np.random.default_rng(SEED)
    asked: Counter[tuple[str, ...]] = Counter()
    samples = []
    for shot in _scenes(80, generator):
        name = take(shot)
        answerable = questions(shot.damage, generator)
        chosen = sorted(answerable, key=lambda one: asked[_cell(one)] + asked[_answer(one)])[:2]
        asked.update(map(_cell, chosen))
        asked.update(_answer(one) for one in chosen if one.question_type != "yes-or-no")  # these have their own share
        for number, one in enumerate(chosen, start=1):
            groups = dict(zip(("question_type", "concern"), _cell(one), strict=True))
            samples.append(Sample(f"{name} {number}", (name,), one.question, one.options, one.answer, groups=groups))
    return samples


def describing(take: Take) -> list[Sample]:
    """Forty pictures with reference descriptions."""
    generator = np.random.default_rng(SEED + 1)
    return [
        Sample(name, (name,), reference=description(shot.damage, generator))
        for shot in _scenes(40, generator)
        for name in [take(shot)]
    ]


def image_for_text(take: Take) -> list[Sample]:
    """Which of two pictures a caption is about: they differ in the type of damage, or in its level."""
    generator = np.random.default_rng(SEED + 2)
    samples = []
    for number, (photo, damages, differs) in enumerate(_pairs(generator)):
        right = int(generator.integers(2))
        images = tuple(take(Shot(photo, damage)) for damage in damages)
        samples.append(
            Sample(
                str(number),
                images,
                texts=(caption(damages[right]),),
                answer=right,
                groups={"difference": differs},
                cluster=photo,
            )
        )
    return samples


def text_for_image(take: Take) -> list[Sample]:
    """Which of two captions is about a picture: they differ in the type of damage, or in its level."""
    generator = np.random.default_rng(SEED + 3)
    samples = []
    for number, (photo, damages, differs) in enumerate(_pairs(generator)):
        right = int(generator.integers(2))
        image = take(Shot(photo, damages[right]))
        samples.append(
            Sample(
                str(number),
                (image,),
                texts=tuple(map(caption, damages)),
                reference=image,
                answer=right,
                groups={"difference": differs},
                cluster=photo,
            )
        )
    return samples


def _cell(question: Question) -> tuple[str, str]:
    return question.question_type, question.group


def _answer(question: Question) -> tuple[str, ...]:
    return *_cell(question), question.options[question.answer]


def _scenes(count: int, generator: np.random.Generator) -> list[Shot]:
    """Different pictures: every eighth untouched, every other damaged one in one place only.

    What changes brightness, colours or contrast comes oftener and strong, for else "just fine" were always right.
    """
    telling = [kind for kind, words in WORDS.items() if words.family in _ATTRIBUTES and words.pole]
    kinds = [*WORDS, *telling, *telling]
    shots: dict[str, Shot] = {}
    while len(shots) < count:
        for place in generator.permutation(len(kinds)):
            number, kind = len(shots), kinds[place]
            photo = _BY_DAY[number % len(_BY_DAY)]
            level = int(generator.integers(4 if kind in telling else 2, 6))
            where = str(generator.choice(PLACES)) if number % 2 else None
            shot = Shot(photo, Damage(kind, level, where)) if number % 8 else Shot(photo)
            shots.setdefault(shot.name, shot)
    return list(shots.values())[:count]


def _pairs(generator: np.random.Generator) -> Iterator[tuple[str, tuple[Damage, Damage], str]]:
    """Four pairs of damages for every photo, in random order within the pair, and what they differ in."""
    for photo in PHOTOS:
        one, other = types_of(photo)
        pairs = (
            ((Damage(one, 3), Damage(other, 3)), "type"),
            ((Damage(one, 5), Damage(other, 5)), "type"),
            ((Damage(one, 2), Damage(one, 5)), "level"),
            ((Damage(other, 2), Damage(other, 5)), "level"),
        )
        for (first, second), differs in pairs:
            yield photo, ((first, second) if generator.random() < 1 / 2 else (second, first)), differs
