"""Photos as questions are asked about them: whole, 4:3, half of their damage in one place, tones and colours oftener.

Only such damage shows whether a part is seen, and whether "too dark" is more than a word that is seldom right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from PIL import Image

from qbench.datasets.demo import PLACES
from qbench.models.classical import MEASURES
from tools.demo.damage import DAMAGE_WORDS, Damage
from tools.nano.photos import Photos, Pixels
from tools.nano.scenes import KINDS, LEVEL_RANGE, SceneView, apply_damage, other_level

_TELLING = tuple(
    kind for kind, words in DAMAGE_WORDS.items() if words.family in ("brightness", "colour", "contrast") and words.pole
)
_POOL = (*KINDS, *_TELLING, *_TELLING)
_PLAIN, _LEAST = 0.7, {True: 3.5, False: 1.5}
"""Share of damages that are plain to see, and from which level on: what is telling, and what is not."""
_SECOND_LIKE_FIRST = 0.6
"""Share of the second damages of a scene that are of the first's type, all over the photo."""
_TALL = 0.15
_USUAL, _SHORTER = 0.6, (340, 384, 900)
"""Share of photos whose shorter side is the middle one of these; the others' is drawn between the outer ones."""

Line = tuple[float, float]
"""Quality at level 0, and what a level costs."""
UNJUDGED: tuple[Mapping[str, Line], float] = dict.fromkeys(KINDS, (1.0, 0.0)), 0.0
"""For views whose quality something else will say."""


def quality_lines(views: Sequence[SceneView]) -> tuple[Mapping[str, Line], float]:
    """Quality by level of each type of damage, from views that measures judged; and the share lost by one place."""
    whole = [(view.damage, view.quality) for view in views if view.damage and not view.damage.place]
    lines: dict[str, Line] = {}
    for kind in KINDS:
        known = np.array([(damage.level, quality) for damage, quality in whole if damage.kind == kind])
        if len(known) < 2:
            known = np.array([(damage.level, quality) for damage, quality in whole])
        slope, start = np.polyfit(known[:, 0], known[:, 1], 1)
        lines[kind] = float(start), float(slope)
    local = [view for view in views if view.damage and view.damage.place]
    costs = [(1 - view.quality) / max(0.05, 1 - _on(lines, view.damage)) for view in local if view.damage]
    return lines, float(np.median(costs)) if costs else 1.0


def question_scene(
    photos: Photos, lines: Mapping[str, Line], local: float, size: int, seed: int, index: int
) -> list[SceneView]:
    """The four views of this scene, clean, damaged twice, and damaged in one place; square, as they are looked at."""
    generator = np.random.default_rng([seed, 8, index])
    clean = _photo(photos.images[int(generator.integers(len(photos.images)))], generator)
    first = _draw(generator)
    if generator.random() < _SECOND_LIKE_FIRST:
        second = Damage(first.kind, other_level(first.level, generator))
    else:
        second = _draw(generator, _place(generator))
    third = _draw(generator, _place(generator))
    views = []
    for damage in (None, first, second, third):
        pixels = apply_damage(clean, damage, generator) if damage else clean
        quality = 1.0
        if damage:
            whole = float(np.clip(_on(lines, damage), 0.02, 0.98))
            quality = 1 - local * (1 - whole) if damage.place else whole
        shown = middle(pixels, size)
        measures = tuple(measure(shown) for measure in MEASURES.values())
        views.append(SceneView(np.asarray(shown), damage, quality, measures))
    return views


def question_scenes(
    photos: Photos, judged: Sequence[SceneView], size: int, seed: int, count: int
) -> Iterator[list[SceneView]]:
    """So many scenes, whose quality follows from views that measures have judged."""
    lines, local = quality_lines(judged)
    for index in range(count):
        yield question_scene(photos, lines, local, size, seed, index)


def _on(lines: Mapping[str, Line], damage: Damage) -> float:
    start, slope = lines[damage.kind]
    return start + slope * damage.level


def _place(generator: np.random.Generator) -> str:
    return PLACES[int(generator.integers(len(PLACES)))]


def _draw(generator: np.random.Generator, place: str | None = None) -> Damage:
    kind = _POOL[int(generator.integers(len(_POOL)))]
    low = _LEAST[kind in _TELLING] if generator.random() < _PLAIN else LEVEL_RANGE[0]
    return Damage(kind, float(generator.uniform(low, LEVEL_RANGE[1])), place)


def _photo(image: Image.Image, generator: np.random.Generator) -> Pixels:
    """Most of a photo as 4:3 or 3:4, at a random scale, half of the time mirrored."""
    sides = (3, 4) if generator.random() < _TALL else (4, 3)
    unit = min(length / side for length, side in zip(image.size, sides, strict=True)) * generator.uniform(0.75, 1)
    width, height = (side * unit for side in sides)
    left, top = (generator.uniform(0, length - side) for length, side in zip(image.size, (width, height), strict=True))
    shorter = min(width, height)
    low, usual, high = map(float, _SHORTER)
    if generator.random() >= _USUAL:
        usual = float(np.exp(generator.uniform(np.log(low), np.log(max(low + 1, min(shorter, high))))))
    scale = min(1.0, usual / shorter)
    size = round(width * scale), round(height * scale)
    pixels = np.asarray(image.resize(size, Image.Resampling.LANCZOS, box=(left, top, left + width, top + height)))
    return np.ascontiguousarray(pixels[:, ::-1] if generator.random() < 0.5 else pixels)


def middle(pixels: Pixels, size: int) -> Image.Image:
    """The middle square of a photo whose shorter side is brought to a size, as the model's processor takes it."""
    image = Image.fromarray(pixels)
    scale = size / min(image.size)
    image = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.BICUBIC)
    left, top = (image.width - size) // 2, (image.height - size) // 2
    return image.crop((left, top, left + size, top + size))
