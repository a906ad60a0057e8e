"""What the embedded models learn from: a part of a photo, damaged in several ways, and what is known of each view.

Everything about a scene follows from the seed and its number, so that training goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.datasets.demo import PLACES, region_of
from qbench.distortions import TYPES, distort_array
from qbench.models.classical import MEASURES
from tools.demo.damage import DAMAGE_WORDS, Damage
from tools.nano.photos import Photos, Pixels, crop

KINDS = tuple(TYPES)
VIEWS = 4
"""Of each scene, the clean one first; the second and the third have the same type of damage."""
LEVELS = (0.5, 5.0)
LOCAL, SEVERAL = 0.4, 0.4
"""Shares of the last views with damage in one place, and with several damages."""
_CHAINS = 0.6
"""How many of the latter have the chain of a phone."""
_LOCAL_COST = 0.5
"""How much the level of damage in one place counts."""
_TELLING = tuple(
    kind for kind, words in DAMAGE_WORDS.items() if words.family in ("brightness", "colour", "contrast") and words.pole
)
POOL = (*KINDS, *_TELLING)
"""Types as often as they are drawn: tones and colours oftener, so that "too dark" is more than a word seldom right."""
_CHAIN: Sequence[tuple[float, tuple[str, ...], tuple[float, float]]] = (
    (0.45, ("lens-blur", "gaussian-blur", "motion-blur"), (0.5, 4.5)),
    (0.45, ("underexposure", "darken", "overexposure", "mean-shift-down"), (0.5, 3.5)),
    (0.5, ("white-noise", "ycbcr-noise", "multiplicative-noise"), (0.5, 5)),
    (0.5, ("denoised", "colour-diffusion"), (0.5, 5)),
    (0.3, ("contrast-down", "contrast-down", "contrast-up", "undersaturation", "oversaturation"), (0.5, 3)),
    (0.35, ("oversharpening",), (0.5, 3)),
    (0.6, ("jpeg", "jpeg", "jpeg-2000"), (0.5, 4)),
)
"""What happens between a scene and a phone's file, in order: how often, which of them, from which level to which."""


@dataclass(frozen=True)
class View:
    """One version of a scene."""

    damages: tuple[Damage, ...]
    """In the order in which they were done."""
    quality: float = 1.0
    """From 0 to 1."""
    attributes: tuple[float, ...] = ()
    """Of `qbench.models.classical.MEASURES`, in their order."""

    @property
    def damage(self) -> Damage | None:
        """The one that it has; None if it is clean."""
        return self.damages[0] if self.damages else None

    @property
    def has_words(self) -> bool:
        """Whether what was done to it can be told: several damages have no one name."""
        return len(self.damages) < 2

    def where(self, height: int, width: int) -> Image.Image:
        """White where a picture of this size has its one damage, black where it has none."""
        left, top, right, bottom = (self.damage and region_of(self.damage.place, width, height)) or (0, 0, 1, 1)
        down, across = (np.arange(length) / length for length in (height, width))
        inside = np.outer((down >= top) & (down < bottom), (across >= left) & (across < right))
        return Image.fromarray((255 * inside * bool(self.damages)).astype(np.uint8))

    @property
    def by_level(self) -> float:
        """1 where there is no damage, 0 at the highest level."""
        levels = [damage.level * (_LOCAL_COST if damage.place else 1) for damage in self.damages]
        return max(0.0, 1 - float(np.hypot.reduce([0.0, *levels])) / LEVELS[1])


def plan_scene(seed: int, number: int, *, local: bool = True) -> list[View]:
    """What is done to the views of the scene of this number; all over the photo, if that is asked for."""
    generator = np.random.default_rng([seed, 0, number])
    first, drawn = draw(generator), generator.random()
    second = Damage(first.kind, float(generator.uniform(*LEVELS)))
    if drawn < SEVERAL:
        third = several_damages(generator)
    else:
        third = (draw(generator, str(generator.choice(PLACES)) if local and drawn < SEVERAL + LOCAL else None),)
    return [View(damages) for damages in ((), (first,), (second,), third)]


def make_pictures(photos: Photos, views: Sequence[View], seed: int, number: int, share: float = 1.0) -> list[Pixels]:
    """The views of a scene, of a part of a photo with this share of its shorter side."""
    generator = np.random.default_rng([seed, 1, number])
    clean = crop(photos.images[number % len(photos.images)], share, generator)
    return [do_damage(clean, view.damages, generator) for view in views]


def do_damage(pixels: Pixels, damages: Sequence[Damage], generator: np.random.Generator) -> Pixels:
    """What a picture looks like after them."""
    for damage in damages:
        region = region_of(damage.place, pixels.shape[1], pixels.shape[0])
        pixels = distort_array(pixels, damage.kind, damage.level, generator, region)
    return pixels


def draw(generator: np.random.Generator, place: str | None = None) -> Damage:
    """A damage of a random type and level."""
    return Damage(POOL[generator.integers(len(POOL))], float(generator.uniform(*LEVELS)), place)


def several_damages(generator: np.random.Generator) -> tuple[Damage, ...]:
    """The chain of a phone, or two or three damages together."""
    if generator.random() < _CHAINS:
        return tuple(
            Damage(str(generator.choice(kinds)), float(generator.uniform(*levels)))
            for share, kinds, levels in _CHAIN
            if generator.random() < share
        )
    return tuple(draw(generator) for _ in range(int(generator.integers(2, 4))))


def measure(image: Image.Image) -> list[float]:
    """All of `MEASURES`."""
    return [of(image) for of in MEASURES.values()]


def look_at_scenes(
    photos: Photos,
    folder: Path,
    count: int,
    seed: int,
    look: Callable[[Sequence[View], Sequence[Pixels]], Mapping[str, NDArray[Any]]],
    *,
    share: float = 1.0,
    local: bool = True,
) -> tuple[list[View], dict[str, NDArray[Any]]]:
    """The views of so many scenes, and what is seen of them; a scene is looked at where its file is missing.

    Args:
        photos: Which the scenes are of.
        folder: Of the files.
        count: How many scenes.
        seed: Of the scenes.
        look: Gives arrays with a row for each view of a scene.
        share: Of the shorter side of a photo that a scene has.
        local: Whether some damage is in one place.
    """
    from tqdm import tqdm

    folder.mkdir(parents=True, exist_ok=True)
    planned, paths = [plan_scene(seed, number, local=local) for number in range(count)], []
    for number, views in enumerate(tqdm(planned, desc=folder.name, unit="scene", disable=None)):
        paths.append(folder / f"{number:06d}.npz")
        if not paths[-1].is_file():
            rows: Any = look(views, make_pictures(photos, views, seed, number, share))
            part = paths[-1].with_suffix(".part.npz")
            np.savez(part, **rows)
            part.replace(paths[-1])
    names = np.load(paths[0]).files
    seen = {name: np.concatenate([np.load(path)[name] for path in paths]) for name in names}
    return [view for views in planned for view in views], seen
