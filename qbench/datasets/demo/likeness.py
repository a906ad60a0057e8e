"""Demo sets of likeness and quality in pairs: the other five of UniSim-Bench's seven tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.quality import GRID_LEVELS, TYPES, types_of
from qbench.datasets.demo.shots import PHOTOS, Shot, Take
from qbench.records import Sample

SEED = 11
_MORE: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "brightness": (("mean-shift-up", True), ("mean-shift-down", False)),
    "colorfulness": (("oversaturation", True), ("undersaturation", False)),
    "contrast": (("contrast-up", True), ("contrast-down", False)),
    "sharpness": (("gaussian-blur", False), ("lens-blur", False)),
}
"""Attribute -> types that change it, and whether to more."""
_GAPS = {"coarse": (2, 5), "fine": (3, 4)}


def nearer(take: Take) -> list[Sample]:
    """`img-2afc`: an untouched photo and two levels of one type; the lower one is nearer."""
    generator = np.random.default_rng(SEED)
    samples: list[Sample] = []
    for photo in PHOTOS:
        for kind in types_of(photo):
            for gap, (low, high) in _GAPS.items():
                shots = [Shot(photo, Damage(kind, level)) for level in (low, high)]
                samples.append(_choice(len(samples), shots, take, generator, photo, {"gap": gap}, Shot(photo)))
    return samples


def better(take: Take) -> list[Sample]:
    """`iqa-2afc`: two levels of one type, on one photo or on two."""
    generator = np.random.default_rng(SEED + 1)
    samples: list[Sample] = []
    for kind in TYPES:
        one, other = (photo for photo in PHOTOS if kind in types_of(photo))
        for gap, (low, high) in _GAPS.items():
            for first, second in ((one, one), (other, other), (one, other), (other, one)):
                shots = [Shot(first, Damage(kind, low)), Shot(second, Damage(kind, high))]
                groups = {"gap": gap, "photos": "one photo" if first == second else "two photos"}
                samples.append(_choice(len(samples), shots, take, generator, kind, groups))
    return samples


def attributes(take: Take) -> list[Sample]:
    """`attributes`: a photo and the same with more or less of the attribute."""
    generator = np.random.default_rng(SEED + 2)
    samples: list[Sample] = []
    for number, photo in enumerate(PHOTOS):
        for attribute, types in _MORE.items():
            kind, more = types[number % len(types)]
            damaged = Shot(photo, Damage(kind, GRID_LEVELS[1 + number % 3]))
            shots = [damaged, Shot(photo)] if more else [Shot(photo), damaged]
            samples.append(_choice(len(samples), shots, take, generator, photo, {"attribute": attribute}))
    return samples


def odd_one_out(take: Take) -> list[Sample]:
    """`odd-one-out`: one photo damaged in two ways, and another that is damaged like one of them."""
    generator = np.random.default_rng(SEED + 3)
    samples: list[Sample] = []
    for photo in PHOTOS:
        kind, second = types_of(photo)
        stranger = next(other for other in PHOTOS if other != photo and kind in types_of(other))
        for level in GRID_LEVELS:
            shots = [
                Shot(stranger, Damage(kind, level)),
                Shot(photo, Damage(kind, level)),
                Shot(photo, Damage(second, level)),
            ]
            samples.append(_choice(len(samples), shots, take, generator, photo, {"level": str(level)}))
    return samples


def retrieval(take: Take) -> list[Sample]:
    """`retrieval`: parts of a photo look for the whole, slightly damaged (easy) and severely (hard)."""
    samples: list[Sample] = []
    for photo in PHOTOS:
        found = {
            ease: tuple(take(Shot(photo, Damage(kind, level))) for kind in types_of(photo))
            for ease, level in (("easy", GRID_LEVELS[0]), ("hard", GRID_LEVELS[-1]))
        }
        samples += [Sample(name, (name,)) for names in found.values() for name in names]
        for view in ("centre", "top left"):
            name = take(Shot(photo, view=view))
            samples.append(Sample(f"query {name}", (name,), relevance=found, cluster=photo))
    return samples


def _choice(
    number: int,
    shots: Sequence[Shot],
    take: Take,
    generator: np.random.Generator,
    cluster: str,
    groups: Mapping[str, str],
    reference: Shot | None = None,
) -> Sample:
    """A sample whose alternatives, of which the first is right, are put in random order."""
    order = generator.permutation(len(shots))
    images = [take(shots[place]) for place in order]
    against = take(reference) if reference else None
    return Sample(
        str(number),
        (against, *images) if against else tuple(images),
        reference=against,
        answer=int(np.argmin(order)),
        groups=groups,
        cluster=cluster,
    )
