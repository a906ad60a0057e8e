"""Demo sets of rated pictures: `demo-assessment` and the four of comparison.

The rating is the constructed severity, 100 for an untouched photo down to 0 at level 5. Levels of different types are
not comparable, so pictures are measured within their type.
"""

from __future__ import annotations

from dataclasses import replace

from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.shots import PHOTOS, Shot, Take
from qbench.records import Sample

TYPES = (
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
GRID_LEVELS = (2, 3, 4, 5)
_APART = 5
"""Places in `TYPES` between the two types of a photo, so that they are of different families."""


def types_of(photo: str) -> tuple[str, str]:
    """The two types that this photo is damaged by in `demo-assessment`; each type comes with two photos."""
    place = PHOTOS.index(photo)
    return TYPES[place], TYPES[(place + _APART) % len(TYPES)]


def assessment(take: Take) -> list[Sample]:
    """Every photo untouched and at four levels of two types; untouched photos are measured with the first of these."""
    samples = []
    for photo in PHOTOS:
        kinds = types_of(photo)
        samples.append(_rated(Shot(photo), take, part=kinds[0]))
        samples += [
            _rated(Shot(photo, Damage(kind, level)), take, part=kind) for kind in kinds for level in GRID_LEVELS
        ]
    return samples


def comparison(take: Take) -> list[Sample]:
    """Three sets, each of one type: eight photos, each at a level of its own."""
    samples = []
    for start, kind in enumerate(("lens-blur", "white-noise", "jpeg")):
        photos = [PHOTOS[(start * 5 + step) % len(PHOTOS)] for step in range(8)]
        for step, photo in enumerate(photos):
            damage = Damage(kind, round(step * 0.7, 1)) if step else None
            samples.append(_rated(Shot(photo, damage), take, set=kind))
    return samples


def comparison_levels(take: Take) -> list[Sample]:
    """Fine rule 1: one photo and type at five levels, four times."""
    pairs = (("raccoon", "motion-blur"), ("pagoda", "jpeg"), ("coffee", "white-noise"), ("railway", "underexposure"))
    shots = [Shot(photo, Damage(kind, level)) for photo, kind in pairs for level in range(1, 6)]
    return [_rated(shot, take) for shot in shots]


def comparison_types(take: Take) -> list[Sample]:
    """Fine rule 2: one photo and level with five types, four times. No rating: construction does not rank types."""
    kinds = ("lens-blur", "white-noise", "jpeg", "underexposure", "pixelate")
    at = (("astronaut", 3), ("house", 4), ("playground", 4), ("stadium", 5))
    shots = [Shot(photo, Damage(kind, level)) for photo, level in at for kind in kinds]
    return [replace(_rated(shot, take), human=None) for shot in shots]


def comparison_intervals(take: Take) -> list[Sample]:
    """Fine rule 3: one type at twenty levels, over ten photos, in four intervals of the rating."""
    shots = [Shot(PHOTOS[step % 10], Damage("lens-blur", (step + 1) / 4)) for step in range(20)]
    return [_rated(shot, take) for shot in shots]


def _rated(shot: Shot, take: Take, **groups: str) -> Sample:
    level, kind = (shot.damage.level, shot.damage.kind) if shot.damage else (0, "untouched")
    about = {"content": shot.photo, "type": kind, "level": f"{level:g}", **groups}
    name = take(shot)
    return Sample(name, (name,), human=100.0 - 20 * level, groups=about, cluster=shot.photo)
