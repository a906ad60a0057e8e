"""What the embedded models learn from: a part of a photo, damaged in several ways, and what is known of each view.

Everything about a scene follows from the seed and its number, so that training goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from qbench.datasets.demo import PLACES, region_of
from qbench.distortions import TYPES, distort_array
from tools.demo.damage import Damage
from tools.nano.options import NanoOptions
from tools.nano.photos import Photos, Pixels, crop

KINDS = tuple(TYPES)
VIEWS = 4
"""Of each scene, the clean one first; the second and the third have the same type of damage."""
LEVELS = (0.5, 5.0)
LOCAL, SEVERAL = 0.4, 0.4
"""Shares of the last views with damage in one place, and with the chain of a phone."""
_LOCAL_COST = 0.5
"""How much the level of damage in one place counts."""
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


def plan_scene(generator: np.random.Generator) -> list[View]:
    """What is done to the views of a scene."""
    first, drawn = draw(generator), generator.random()
    second = Damage(first.kind, float(generator.uniform(*LEVELS)))
    if drawn < SEVERAL:
        third = phone_chain(generator)
    else:
        third = (draw(generator, str(generator.choice(PLACES)) if drawn < SEVERAL + LOCAL else None),)
    return [View(damages) for damages in ((), (first,), (second,), third)]


def make_pictures(
    photo: Image.Image, views: Sequence[View], generator: np.random.Generator, share: float = 1.0
) -> list[Pixels]:
    """The views of a scene, of a part of a photo with this share of its shorter side."""
    made = [crop(photo, share, generator)] * len(views)
    for number, view in enumerate(views):
        for damage in view.damages:
            region = region_of(damage.place, made[number].shape[1], made[number].shape[0])
            made[number] = distort_array(made[number], damage.kind, damage.level, generator, region)
    return made


def draw(generator: np.random.Generator, place: str | None = None) -> Damage:
    """A damage of a random type and level."""
    return Damage(str(generator.choice(KINDS)), float(generator.uniform(*LEVELS)), place)


def phone_chain(generator: np.random.Generator) -> tuple[Damage, ...]:
    """Some of `_CHAIN`."""
    return tuple(
        Damage(str(generator.choice(kinds)), float(generator.uniform(*levels)))
        for share, kinds, levels in _CHAIN
        if generator.random() < share
    )


def look_at_scenes(
    photos: Photos,
    options: NanoOptions,
    name: str,
    look: Callable[[Sequence[View], Sequence[Pixels]], Mapping[str, NDArray[Any]]],
    share: float = 1.0,
) -> tuple[list[View], dict[str, NDArray[Any]]]:
    """The views of all scenes, and what is seen of them; a scene is looked at where its file is missing.

    Args:
        photos: Which the scenes are of.
        options: How many scenes, and where the files go.
        name: Of these scenes; others have others.
        look: Gives arrays with a row for each view of a scene.
        share: Of the shorter side of a photo that a scene has.
    """
    (options.work / name).mkdir(parents=True, exist_ok=True)
    planned, paths = [], []
    for number in tqdm(range(options.scenes), desc=name, unit="scene", disable=None):
        generator = np.random.default_rng([options.seed, *name.encode(), number])
        planned.append(plan_scene(generator))
        paths.append(options.work / name / f"{number:06d}.npz")
        if not paths[-1].is_file():
            made = make_pictures(photos.images[number % len(photos.images)], planned[-1], generator, share)
            part = paths[-1].with_suffix(".part.npz")
            np.savez(part, **look(planned[-1], made))  # type: ignore[arg-type]
            part.replace(paths[-1])
    seen = {array: np.concatenate([np.load(path)[array] for path in paths]) for array in np.load(paths[0]).files}
    return [view for views in planned for view in views], seen
