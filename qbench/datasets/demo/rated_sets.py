"""Demo sets of rated pictures: `demo-assessment` and the four of comparison.

The rating is the constructed severity, 100 for an untouched photo down to 0 at level 5. Levels of different types are
not comparable, so pictures are measured within their type.
"""

from __future__ import annotations

from dataclasses import replace

from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.pictures import DEMO_PHOTOS, AddPicture, DemoPicture
from qbench.records import Sample

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


def assessment_samples(add: AddPicture) -> list[Sample]:
    """Every photo untouched and at four levels of two types; untouched photos are measured with the first of these."""
    samples = []
    for photo in DEMO_PHOTOS:
        kinds = types_of(photo)
        samples.append(_rated(DemoPicture(photo), add, part=kinds[0]))
        samples += [
            _rated(DemoPicture(photo, Damage(kind, level)), add, part=kind) for kind in kinds for level in RATED_LEVELS
        ]
    return samples


def comparison_samples(add: AddPicture) -> list[Sample]:
    """Three sets, each of one type: eight photos, each at a level of its own."""
    samples = []
    for start, kind in enumerate(("lens-blur", "white-noise", "jpeg")):
        photos = [DEMO_PHOTOS[(start * 5 + step) % len(DEMO_PHOTOS)] for step in range(8)]
        for step, photo in enumerate(photos):
            damage = Damage(kind, round(step * 0.7, 1)) if step else None
            samples.append(_rated(DemoPicture(photo, damage), add, set=kind))
    return samples


def samples_by_level(add: AddPicture) -> list[Sample]:
    """Fine rule 1: one photo and type at five levels, four times."""
    pairs = (("raccoon", "motion-blur"), ("pagoda", "jpeg"), ("coffee", "white-noise"), ("railway", "underexposure"))
    pictures = [DemoPicture(photo, Damage(kind, level)) for photo, kind in pairs for level in range(1, 6)]
    return [_rated(picture, add) for picture in pictures]


def samples_by_type(add: AddPicture) -> list[Sample]:
    """Fine rule 2: one photo and level with five types, four times. No rating: construction does not rank types."""
    kinds = ("lens-blur", "white-noise", "jpeg", "underexposure", "pixelate")
    levels = (("astronaut", 3), ("house", 4), ("playground", 4), ("stadium", 5))
    pictures = [DemoPicture(photo, Damage(kind, level)) for photo, level in levels for kind in kinds]
    return [replace(_rated(picture, add), human=None) for picture in pictures]


def samples_by_interval(add: AddPicture) -> list[Sample]:
    """Fine rule 3: one type at twenty levels, over ten photos, in four intervals of the rating."""
    pictures = [DemoPicture(DEMO_PHOTOS[step % 10], Damage("lens-blur", (step + 1) / 4)) for step in range(20)]
    return [_rated(picture, add) for picture in pictures]


def _rated(picture: DemoPicture, add: AddPicture, **groups: str) -> Sample:
    level, kind = (picture.damage.level, picture.damage.kind) if picture.damage else (0, "untouched")
    about = {"content": picture.photo, "type": kind, "level": f"{level:g}", **groups}
    name = add(picture)
    return Sample(name, (name,), human=100.0 - 20 * level, groups=about, cluster=picture.photo)
