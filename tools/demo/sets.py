"""The samples of every demo set, from which the lists in `qbench/datasets/demo/lists` were written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from qbench.datasets.demo import PLACES
from qbench.records import Sample
from tools.demo.damage import DAMAGE_WORDS, DEMO_PHOTOS, Damage, DemoPicture
from tools.demo.descriptions import caption, describe_damage
from tools.demo.questions import DemoQuestion, questions_about

RATED_TYPES = (
    "lens-blur",
    "motion-blur",
    "gaussian-blur",
    "white-noise",
    "impulse-noise",
    "jpeg",
    "jpeg-2000",
    "transmission-error",
    "underexposure",
    "overexposure",
    "oversaturation",
    "pixelate",
    "contrast-down",
    "oversharpening",
)
"""One for each photo."""
RATED_LEVELS = (2, 3, 4, 5)
_OFFSET = 5
"""Places in `RATED_TYPES` between the two types of a photo, so that they are of different families."""


def types_of(photo: str) -> tuple[str, str]:
    """The two types that this photo is damaged by in `demo-assessment`; each type comes with two photos."""
    place = DEMO_PHOTOS.index(photo)
    return RATED_TYPES[place], RATED_TYPES[(place + _OFFSET) % len(RATED_TYPES)]


def assessment_samples() -> list[Sample]:
    """Every photo untouched and at four levels of two types; untouched photos are measured with the first of these."""
    samples = []
    for photo in DEMO_PHOTOS:
        kinds = types_of(photo)
        samples.append(_rated(DemoPicture(photo), part=kinds[0]))
        samples += [
            _rated(DemoPicture(photo, Damage(kind, level)), part=kind) for kind in kinds for level in RATED_LEVELS
        ]
    return samples


def comparison_samples() -> list[Sample]:
    """Three sets, each of one type: eight photos, each at a level of its own."""
    samples = []
    for start, kind in enumerate(("lens-blur", "white-noise", "jpeg")):
        photos = [DEMO_PHOTOS[(start * 5 + step) % len(DEMO_PHOTOS)] for step in range(8)]
        for step, photo in enumerate(photos):
            damage = Damage(kind, round(step * 0.7, 1)) if step else None
            samples.append(_rated(DemoPicture(photo, damage), set=kind))
    return samples


def samples_by_level() -> list[Sample]:
    """Fine rule 1: one photo and type at five levels, four times."""
    pairs = (("raccoon", "motion-blur"), ("pagoda", "jpeg"), ("coffee", "white-noise"), ("railway", "underexposure"))
    pictures = [DemoPicture(photo, Damage(kind, level)) for photo, kind in pairs for level in range(1, 6)]
    return [_rated(picture) for picture in pictures]


def samples_by_type() -> list[Sample]:
    """Fine rule 2: one photo and level with five types, four times. No rating: construction does not rank types."""
    kinds = ("lens-blur", "white-noise", "jpeg", "underexposure", "pixelate")
    levels = (("astronaut", 3), ("house", 4), ("playground", 4), ("stadium", 5))
    pictures = [DemoPicture(photo, Damage(kind, level)) for photo, level in levels for kind in kinds]
    return [replace(_rated(picture), human=None) for picture in pictures]


def samples_by_interval() -> list[Sample]:
    """Fine rule 3: one type at twenty levels, over ten photos, in four intervals of the rating."""
    pictures = [DemoPicture(DEMO_PHOTOS[step % 10], Damage("lens-blur", (step + 1) / 4)) for step in range(20)]
    return [_rated(picture) for picture in pictures]


def _rated(picture: DemoPicture, **groups: str) -> Sample:
    level, kind = (picture.damage.level, picture.damage.kind) if picture.damage else (0, "untouched")
    about = {"content": picture.photo, "type": kind, "level": f"{level:g}", **groups}
    name = picture.name
    return Sample(name, (name,), human=100.0 - 20 * level, groups=about, cluster=picture.photo)


_SIMILARITY_SEED = 11
_CHANGING_TYPES: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "brightness": (("mean-shift-up", True), ("mean-shift-down", False)),
    "colorfulness": (("oversaturation", True), ("undersaturation", False)),
    "contrast": (("contrast-up", True), ("contrast-down", False)),
    "sharpness": (("gaussian-blur", False), ("lens-blur", False)),
}
"""Attribute -> types that change it, and whether they raise it."""
_LEVEL_PAIRS = {"coarse": (2, 5), "fine": (3, 4)}


def nearer_image_samples() -> list[Sample]:
    """`img-2afc`: an untouched photo and two levels of one type; the lower one is nearer."""
    generator = np.random.default_rng(_SIMILARITY_SEED)
    samples: list[Sample] = []
    for photo in DEMO_PHOTOS:
        for kind in types_of(photo):
            for gap, levels in _LEVEL_PAIRS.items():
                pictures = [DemoPicture(photo, Damage(kind, level)) for level in levels]
                reference = DemoPicture(photo)
                samples.append(_choice(len(samples), pictures, generator, photo, {"gap": gap}, reference))
    return samples


def better_quality_samples() -> list[Sample]:
    """`iqa-2afc`: two levels of one type, on one photo or on two."""
    generator = np.random.default_rng(_SIMILARITY_SEED + 1)
    samples: list[Sample] = []
    for kind in RATED_TYPES:
        one, other = (photo for photo in DEMO_PHOTOS if kind in types_of(photo))
        for gap, (low, high) in _LEVEL_PAIRS.items():
            for first, second in ((one, one), (other, other), (one, other), (other, one)):
                pictures = [DemoPicture(first, Damage(kind, low)), DemoPicture(second, Damage(kind, high))]
                groups = {"gap": gap, "photos": "one photo" if first == second else "two photos"}
                samples.append(_choice(len(samples), pictures, generator, kind, groups))
    return samples


def attribute_samples() -> list[Sample]:
    """`attributes`: a photo and the same with more or less of the attribute."""
    generator = np.random.default_rng(_SIMILARITY_SEED + 2)
    samples: list[Sample] = []
    for number, photo in enumerate(DEMO_PHOTOS):
        for attribute, types in _CHANGING_TYPES.items():
            kind, raises = types[number % len(types)]
            damaged = DemoPicture(photo, Damage(kind, RATED_LEVELS[1 + number % 3]))
            pictures = [damaged, DemoPicture(photo)] if raises else [DemoPicture(photo), damaged]
            samples.append(_choice(len(samples), pictures, generator, photo, {"attribute": attribute}))
    return samples


def odd_one_out_samples() -> list[Sample]:
    """`odd-one-out`: one photo damaged in two ways, and another that is damaged like one of them."""
    generator = np.random.default_rng(_SIMILARITY_SEED + 3)
    samples: list[Sample] = []
    for photo in DEMO_PHOTOS:
        kind, second_kind = types_of(photo)
        odd = next(other for other in DEMO_PHOTOS if other != photo and kind in types_of(other))
        for level in RATED_LEVELS:
            pictures = [
                DemoPicture(odd, Damage(kind, level)),
                DemoPicture(photo, Damage(kind, level)),
                DemoPicture(photo, Damage(second_kind, level)),
            ]
            samples.append(_choice(len(samples), pictures, generator, photo, {"level": str(level)}))
    return samples


def retrieval_samples() -> list[Sample]:
    """`retrieval`: parts of a photo look for the whole, slightly damaged (easy) and severely (hard)."""
    samples: list[Sample] = []
    for photo in DEMO_PHOTOS:
        relevant = {
            ease: tuple(DemoPicture(photo, Damage(kind, level)).name for kind in types_of(photo))
            for ease, level in (("easy", RATED_LEVELS[0]), ("hard", RATED_LEVELS[-1]))
        }
        samples += [Sample(name, (name,)) for names in relevant.values() for name in names]
        for view in ("centre", "top left"):
            name = DemoPicture(photo, view=view).name
            samples.append(Sample(f"query {name}", (name,), relevance=relevant, cluster=photo))
    return samples


def _choice(
    number: int,
    pictures: Sequence[DemoPicture],
    generator: np.random.Generator,
    cluster: str,
    groups: Mapping[str, str],
    reference: DemoPicture | None = None,
) -> Sample:
    """A sample whose alternatives, of which the first is right, are put in random order."""
    order = generator.permutation(len(pictures))
    images = [pictures[place].name for place in order]
    return Sample(
        str(number),
        (reference.name, *images) if reference else tuple(images),
        has_reference=reference is not None,
        answer=int(np.argmin(order)),
        groups=groups,
        cluster=cluster,
    )


_TEXT_SEED = 9
"""One whose draws come near the shares that are aimed at."""
_DAYLIGHT_PHOTOS = tuple(photo for photo in DEMO_PHOTOS if photo != "rocket")
"""Photos of which "the lighting is adequate" is plainly true."""
_ATTRIBUTES = ("brightness", "colour", "contrast")


def perception_samples() -> list[Sample]:
    """Two questions on each of 80 pictures, as evenly as can be over types, concerns, contexts and right answers."""
    generator = np.random.default_rng(_TEXT_SEED)
    asked: Counter[tuple[str, ...]] = Counter()
    samples = []
    for picture in _varied_pictures(80, generator):
        name = picture.name
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


def description_samples() -> list[Sample]:
    """Forty pictures with reference descriptions."""
    generator = np.random.default_rng(_TEXT_SEED + 1)
    return [
        Sample(picture.name, (picture.name,), reference=describe_damage(picture.damage, generator))
        for picture in _varied_pictures(40, generator)
    ]


def image_for_caption_samples() -> list[Sample]:
    """Which of two pictures a caption is about: they differ in the type of damage, or in its level."""
    generator = np.random.default_rng(_TEXT_SEED + 2)
    samples = []
    for number, (photo, damages, difference) in enumerate(_pairs_of_damages(generator)):
        right = int(generator.integers(2))
        samples.append(
            Sample(
                str(number),
                tuple(DemoPicture(photo, damage).name for damage in damages),
                texts=(caption(damages[right]),),
                answer=right,
                groups={"difference": difference},
                cluster=photo,
            )
        )
    return samples


def caption_for_image_samples() -> list[Sample]:
    """Which of two captions is about a picture: they differ in the type of damage, or in its level."""
    generator = np.random.default_rng(_TEXT_SEED + 3)
    samples = []
    for number, (photo, damages, difference) in enumerate(_pairs_of_damages(generator)):
        right = int(generator.integers(2))
        image = DemoPicture(photo, damages[right]).name
        samples.append(
            Sample(
                str(number),
                (image,),
                texts=tuple(map(caption, damages)),
                has_reference=True,
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


WAY_COUNTS = (2, 3, 4, 5, 6)
"""How many pictures there are to choose from, set by set."""
_WAYS_SEED = 13
_WAYS_LEVEL = 5
_UNLIKE_TYPES = (
    ("gaussian-blur", "motion-blur", "lens-blur", "zoom-blur"),
    ("white-noise", "impulse-noise", "multiplicative-noise"),
    (
        "overexposure",
        "contrast-up",
        "underexposure",
        "contrast-down",
        "darken",
        "brighten",
        "mean-shift-up",
        "mean-shift-down",
    ),
    ("colour-quantisation",),
    ("displaced-patches",),
)
"""A photo gets one type of each row. None is `questions.alike` one of another row, and there is no sixth such row."""
_CAPTIONS_PER_PHOTO = 4


def n_way_samples(ways: int) -> list[Sample]:
    """Which of so many pictures a caption is about; the right one stands in every place equally often, or once more."""
    questions = list(_questions())
    generator = np.random.default_rng([_WAYS_SEED, ways])
    places = generator.permutation(np.arange(len(questions)) % ways)
    samples = []
    for number, (right, others) in enumerate(questions):
        pictures = [others[place] for place in generator.permutation(ways - 1)]
        pictures.insert(int(places[number]), right)
        samples.append(
            Sample(
                str(number),
                tuple(picture.name for picture in pictures),
                texts=(caption(right.damage),),
                answer=int(places[number]),
                cluster=right.photo,
            )
        )
    return samples


def _questions() -> Iterator[tuple[DemoPicture, list[DemoPicture]]]:
    """The picture that a caption is about, and the others in the order in which they join, the same for all sets."""
    generator = np.random.default_rng(_WAYS_SEED)
    for number, photo in enumerate(DEMO_PHOTOS):
        damages = [Damage(kinds[number % len(kinds)], _WAYS_LEVEL) for kinds in _UNLIKE_TYPES]
        pictures = [DemoPicture(photo), *(DemoPicture(photo, damage) for damage in damages)]
        for right in generator.permutation(len(pictures))[:_CAPTIONS_PER_PHOTO]:
            others = [place for place in generator.permutation(len(pictures)) if place != right]
            yield pictures[right], [pictures[place] for place in others]


DEMO_SETS: Mapping[str, Callable[[], list[Sample]]] = {
    "demo-perception": perception_samples,
    "demo-description": description_samples,
    "demo-assessment": assessment_samples,
    "demo-comparison": comparison_samples,
    "demo-comparison-levels": samples_by_level,
    "demo-comparison-types": samples_by_type,
    "demo-comparison-intervals": samples_by_interval,
    "demo-img-2afc": nearer_image_samples,
    "demo-it-2afc": image_for_caption_samples,
    **{f"demo-it-2afc-{count}-way": partial(n_way_samples, count) for count in WAY_COUNTS},
    "demo-text-2afc": caption_for_image_samples,
    "demo-iqa-2afc": better_quality_samples,
    "demo-attributes": attribute_samples,
    "demo-odd-one-out": odd_one_out_samples,
    "demo-retrieval": retrieval_samples,
}
"""Name -> what makes its samples."""
