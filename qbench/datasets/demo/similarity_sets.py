"""Demo sets of similarity and quality in pairs: the other five of UniSim-Bench's seven tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.pictures import DEMO_PHOTOS, AddPicture, DemoPicture
from qbench.datasets.demo.rated_sets import RATED_LEVELS, RATED_TYPES, types_of
from qbench.records import Sample

_SEED = 11
_CHANGING_TYPES: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "brightness": (("mean-shift-up", True), ("mean-shift-down", False)),
    "colorfulness": (("oversaturation", True), ("undersaturation", False)),
    "contrast": (("contrast-up", True), ("contrast-down", False)),
    "sharpness": (("gaussian-blur", False), ("lens-blur", False)),
}
"""Attribute -> types that change it, and whether they raise it."""
_LEVEL_PAIRS = {"coarse": (2, 5), "fine": (3, 4)}


def nearer_image_samples(add: AddPicture) -> list[Sample]:
    """`img-2afc`: an untouched photo and two levels of one type; the lower one is nearer."""
    generator = np.random.default_rng(_SEED)
    samples: list[Sample] = []
    for photo in DEMO_PHOTOS:
        for kind in types_of(photo):
            for gap, levels in _LEVEL_PAIRS.items():
                pictures = [DemoPicture(photo, Damage(kind, level)) for level in levels]
                reference = DemoPicture(photo)
                samples.append(_choice(len(samples), pictures, add, generator, photo, {"gap": gap}, reference))
    return samples


def better_quality_samples(add: AddPicture) -> list[Sample]:
    """`iqa-2afc`: two levels of one type, on one photo or on two."""
    generator = np.random.default_rng(_SEED + 1)
    samples: list[Sample] = []
    for kind in RATED_TYPES:
        one, other = (photo for photo in DEMO_PHOTOS if kind in types_of(photo))
        for gap, (low, high) in _LEVEL_PAIRS.items():
            for first, second in ((one, one), (other, other), (one, other), (other, one)):
                pictures = [DemoPicture(first, Damage(kind, low)), DemoPicture(second, Damage(kind, high))]
                groups = {"gap": gap, "photos": "one photo" if first == second else "two photos"}
                samples.append(_choice(len(samples), pictures, add, generator, kind, groups))
    return samples


def attribute_samples(add: AddPicture) -> list[Sample]:
    """`attributes`: a photo and the same with more or less of the attribute."""
    generator = np.random.default_rng(_SEED + 2)
    samples: list[Sample] = []
    for number, photo in enumerate(DEMO_PHOTOS):
        for attribute, types in _CHANGING_TYPES.items():
            kind, raises = types[number % len(types)]
            damaged = DemoPicture(photo, Damage(kind, RATED_LEVELS[1 + number % 3]))
            pictures = [damaged, DemoPicture(photo)] if raises else [DemoPicture(photo), damaged]
            samples.append(_choice(len(samples), pictures, add, generator, photo, {"attribute": attribute}))
    return samples


def odd_one_out_samples(add: AddPicture) -> list[Sample]:
    """`odd-one-out`: one photo damaged in two ways, and another that is damaged like one of them."""
    generator = np.random.default_rng(_SEED + 3)
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
            samples.append(_choice(len(samples), pictures, add, generator, photo, {"level": str(level)}))
    return samples


def retrieval_samples(add: AddPicture) -> list[Sample]:
    """`retrieval`: parts of a photo look for the whole, slightly damaged (easy) and severely (hard)."""
    samples: list[Sample] = []
    for photo in DEMO_PHOTOS:
        relevant = {
            ease: tuple(add(DemoPicture(photo, Damage(kind, level))) for kind in types_of(photo))
            for ease, level in (("easy", RATED_LEVELS[0]), ("hard", RATED_LEVELS[-1]))
        }
        samples += [Sample(name, (name,)) for names in relevant.values() for name in names]
        for view in ("centre", "top left"):
            name = add(DemoPicture(photo, view=view))
            samples.append(Sample(f"query {name}", (name,), relevance=relevant, cluster=photo))
    return samples


def _choice(
    number: int,
    pictures: Sequence[DemoPicture],
    add: AddPicture,
    generator: np.random.Generator,
    cluster: str,
    groups: Mapping[str, str],
    reference: DemoPicture | None = None,
) -> Sample:
    """A sample whose alternatives, of which the first is right, are put in random order."""
    order = generator.permutation(len(pictures))
    images = [add(pictures[place]) for place in order]
    against = add(reference) if reference else None
    return Sample(
        str(number),
        (against, *images) if against else tuple(images),
        reference=against,
        answer=int(np.argmin(order)),
        groups=groups,
        cluster=cluster,
    )
