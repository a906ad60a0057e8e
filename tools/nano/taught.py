"""What nano-vlm learns last: photos whose quality nano-iqa says, and which of two has more of an attribute.

Full-reference measures rank versions of one photo. Which of two different photos looks better they cannot say; the
teacher can, and people are asked nothing else about photos from phones. Half of the photos are shown as large as their
files hold them, since a phone's photo is made smaller to be looked at, and most that training damages are made larger.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from qbench.distortions import distort_array
from qbench.models.classical import MEASURES
from tools.nano.conversations import (
    ATTRIBUTE_GAP,
    AnswerShares,
    ConversationRow,
    conversation_rows,
    ratings,
    turns_about_one,
    turns_of_pair,
)
from tools.nano.eye import by_level
from tools.nano.iqa_rows import KINDS, Damages, several_damages
from tools.nano.photos import Pixels
from tools.nano.question_scenes import middle
from tools.nano.scenes import VIEWS, SceneView

Score = Callable[[Pixels], float]
"""From 0 to 1."""
TAUGHT = 2 / 3
"""What the teacher's word counts where the level of damage is known too."""
_TALL = 0.25
_LARGEST = 768
"""Pixels of the shorter side of a view before it is brought to the size that is looked at."""
_LEVELS = (0.4, 5.0)
_MILD, _MILDER = 0.6, (0.2, 0.9)
"""Share of the large views whose damage is weakened, and to which part of its level: phones do less than tests."""
_SINGLES, _ASKED = 8, 4
"""Rows of a step: views that are rated, and views that questions are asked about."""


@dataclasses.dataclass(frozen=True)
class Size:
    """How a view is taken from a photo."""

    smallest: int
    """Pixels of the shorter side below which it is not made, but by a photo that has no more."""
    part: float
    """Of the photo, at least."""
    clean: float
    """Share of views that are not damaged."""
    one: float
    """And of those with one damage; the others have the chain of a phone, or two or three together."""


LARGE, SMALL = Size(_LARGEST, 0.85, 0.15, 0.25), Size(384, 0.6, 0.12, 0.28)


def scorer(folder: Path, device: str) -> Score:
    """What nano-iqa's checkpoint says of pixels."""
    from qbench.models.iqa.features import look, open_backbone
    from qbench.models.iqa.heads import read_heads

    network, heads = open_backbone(folder, device), read_heads(folder)

    def score(pixels: Pixels) -> float:
        rating = heads.rate(look(network, Image.fromarray(pixels)).features())
        return float(np.clip(rating.score / 100, 0.01, 0.99))

    return score


def taught_views(
    images: Sequence[Image.Image], kind: Size, score: Score, size: int, seed: int, count: int
) -> Iterator[SceneView]:
    """So many views of whole photos, judged as large as they are made; of their damage nothing is said."""
    for index in range(count):
        generator = np.random.default_rng([seed, 12 if kind is LARGE else 11, index])
        pixels = _whole(images[int(generator.integers(len(images)))], kind, generator)
        for damage, level in _damages(kind, generator):
            pixels = distort_array(pixels, damage, level, generator)
        shown = middle(pixels, size)
        yield SceneView(np.asarray(shown), None, score(pixels), tuple(measure(shown) for measure in MEASURES.values()))


def judge(view: SceneView, score: Score) -> SceneView:
    """A view of a scene whose quality is two thirds the teacher's word and one third the level of damage."""
    quality = TAUGHT * score(view.pixels) + (1 - TAUGHT) * by_level(view.damage)
    return dataclasses.replace(view, quality=quality)


def _whole(image: Image.Image, kind: Size, generator: np.random.Generator) -> Pixels:
    """Most of a photo as 4:3 or 3:4, half of the time mirrored; never larger than it is."""
    sides = (3, 4) if generator.random() < _TALL else (4, 3)
    unit = min(length / side for length, side in zip(image.size, sides, strict=True)) * generator.uniform(kind.part, 1)
    width, height = (side * unit for side in sides)
    left, top = (generator.uniform(0, length - side) for length, side in zip(image.size, (width, height), strict=True))
    shorter = min(width, height)
    largest = min(shorter, _LARGEST)
    low = min(shorter, kind.smallest)
    scale = float(np.exp(generator.uniform(np.log(low), np.log(largest)))) / shorter
    size = round(width * scale), round(height * scale)
    pixels = np.asarray(image.resize(size, Image.Resampling.LANCZOS, box=(left, top, left + width, top + height)))
    return np.ascontiguousarray(pixels[:, ::-1] if generator.random() < 0.5 else pixels)


def _damages(kind: Size, generator: np.random.Generator) -> Damages:
    drawn = generator.random()
    if drawn < kind.clean:
        return []
    if drawn < kind.clean + kind.one:
        damages = [(str(generator.choice(KINDS)), float(generator.uniform(*_LEVELS)))]
    else:
        damages = several_damages(generator)
    if kind is LARGE and generator.random() < _MILD:
        share = float(generator.uniform(*_MILDER))
        damages = [(name, max(0.3, level * share)) for name, level in damages]
    return damages


@dataclasses.dataclass(frozen=True)
class Lesson:
    """What there is to learn from, by the numbers of views."""

    views: Sequence[SceneView]
    """Of scenes, four each; then large views; then small ones."""
    scenes: int
    """How many of them belong to scenes."""
    large: int
    shares: AnswerShares


def taught_rows(lesson: Lesson, generator: np.random.Generator) -> list[ConversationRow]:
    """The rows of a step: ratings, questions, and up to three pairs, each asked about in both orders."""
    views, scenes = lesson.views, lesson.scenes
    first_small = scenes + lesson.large
    numbers = [
        *generator.integers(scenes, first_small, size=_SINGLES // 2),
        *generator.integers(first_small, len(views), size=_SINGLES // 2),
    ]
    rows: list[ConversationRow] = [((int(number),), list(ratings(views[number].quality))) for number in numbers]
    for _ in range(_ASKED):
        one, other = (int(number) for number in generator.choice(scenes, 2, replace=False))
        rows.append(((one,), turns_about_one(views[one], views[other], generator, lesson.shares)))
    end = first_small if generator.random() < 0.5 else len(views)
    one, other = (int(number) for number in generator.integers(scenes, end, size=2))
    rows += in_both_orders(views, one, other, generator)
    if pair := differing_pair(views[:scenes], generator):
        rows += in_both_orders(views, *pair, generator)
    return [*rows, *_of_scenes(lesson, generator)]


def _of_scenes(lesson: Lesson, generator: np.random.Generator) -> list[ConversationRow]:
    """Two rows about two or three pictures, so that what was learnt of them before is kept."""
    rows: list[ConversationRow] = []
    while len(rows) < 2:
        rows += [row for row in conversation_rows(lesson.views[: lesson.scenes], 2, generator) if len(row[0]) > 1]
    return rows[:2]


def differing_pair(views: Sequence[SceneView], generator: np.random.Generator) -> tuple[int, int] | None:
    """Two views of a random scene that differ in a random attribute; each attribute is as likely."""
    scene = int(generator.integers(len(views) // VIEWS)) * VIEWS
    attribute = int(generator.integers(len(MEASURES)))
    measured = np.log(np.array([view.attributes[attribute] for view in views[scene : scene + VIEWS]]) + 1)
    first, second = np.nonzero(np.abs(measured[:, None] - measured) >= ATTRIBUTE_GAP)
    if not len(first):
        return None
    drawn = int(generator.integers(len(first)))
    return scene + int(first[drawn]), scene + int(second[drawn])


def in_both_orders(
    views: Sequence[SceneView], one: int, other: int, generator: np.random.Generator
) -> list[ConversationRow]:
    """Which is better, and which has more of each attribute, asked of both orders; nothing where they are too alike."""
    orders = ((one, other), (other, one))
    rows: list[ConversationRow] = [
        ((first, second), turns_of_pair(views[first], views[second], generator)) for first, second in orders
    ]
    return rows if rows[0][1] else []
