"""Damaged crops for nano-iqa: one distortion, several together, or the chain that a phone's photo goes through.

Everything about a crop follows from the seed and its number, so that training goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.distortions import TYPES, distort_array
from tools.nano.fidelity import dss, gmsd, haarpsi, mdsi

Pixels = NDArray[np.uint8]

KINDS = tuple(TYPES)
TEACHERS = (gmsd, haarpsi, mdsi, dss)
TEACHER_SIGNS = np.array([-1.0, 1.0, -1.0, 1.0])
"""What turns each teacher's value so that higher is better."""
SIZES = ((384, 288), (512, 384), (768, 576), (1024, 768))
"""Width and height of views, as far as a photo has so many pixels."""
_SIZE_SHARES = (0.5, 0.25, 0.15, 0.1)
VIEWS = 3
"""Of one crop, row after row: damaged, with the same types at other levels or clean, and damaged otherwise."""
_PORTRAIT = 0.25
_CLEAN = 0.3
"""How many of the second views are clean."""
_ONE, _CHAINS = 0.5, 0.56
"""How many of the others have one damage, and of the rest how many the chain of a phone."""
_LEVELS, _MIXED = (0.4, 5.0), 4.0
"""Range of levels, and the highest where damages are mixed."""
_SHARPEST = 0.9
"""Largest scale at which a photo is shown, so that its own file's compression is not seen."""
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
class Row:
    """A crop and what was done to it."""

    pixels: Pixels
    photo: int
    levels: NDArray[np.float32]
    """Of each of `KINDS`; 0 where it was not used."""
    teachers: NDArray[np.float32]
    """What each of `TEACHERS` says of it beside the clean crop."""


def make_row(images: Sequence[Image.Image], seed: int, number: int) -> Row:
    """The view of this number; those of one crop follow one another."""
    crop_number, place = divmod(number, VIEWS)
    generator = np.random.default_rng([seed, crop_number])
    photo = int(generator.integers(len(images)))
    clean = random_crop(images[photo], SIZES, _SIZE_SHARES, generator)
    damages = _views(generator)[place]
    generator = np.random.default_rng([seed, crop_number, place])
    levels = np.zeros(len(KINDS), np.float32)
    damaged = clean
    for kind, level in damages:
        damaged = distort_array(damaged, kind, level, generator)
        levels[KINDS.index(kind)] = level
    teachers = np.array([teacher(damaged, clean) for teacher in TEACHERS], np.float32)
    return Row(damaged, photo, levels, teachers)


def random_crop(
    image: Image.Image, sizes: Sequence[tuple[int, int]], shares: Sequence[float], generator: np.random.Generator
) -> Pixels:
    """A part of the photo at a random scale and one of some sizes, half of the time mirrored."""
    size = sizes[int(generator.choice(len(sizes), p=shares))]
    if generator.random() < _PORTRAIT:
        size = (size[1], size[0])
    fits = min(1.0, *(_SHARPEST * length / side for side, length in zip(size, image.size, strict=True)))
    size = (int(size[0] * fits), int(size[1] * fits))
    least = max(side / length for side, length in zip(size, image.size, strict=True))
    scale = np.exp(generator.uniform(np.log(least), np.log(max(least, _SHARPEST))))
    width, height = (side / scale for side in size)
    left, top = (
        generator.uniform(0, max(length - side, 0)) for length, side in zip(image.size, (width, height), strict=True)
    )
    box = (left, top, min(left + width, image.width), min(top + height, image.height))
    pixels = np.asarray(image.resize(size, Image.Resampling.LANCZOS, box=box))
    return np.ascontiguousarray(pixels[:, ::-1] if generator.random() < 0.5 else pixels)


Damages = list[tuple[str, float]]
"""Kinds and levels, in the order in which they happen."""


def _views(generator: np.random.Generator) -> list[Damages]:
    """What is done to each of the `VIEWS` of a crop."""
    first = _damages(generator)
    second = [(kind, float(generator.uniform(_LEVELS[0], _LEVELS[1]))) for kind, _ in first]
    return [first, [] if generator.random() < _CLEAN else second, _damages(generator)]


def _damages(generator: np.random.Generator) -> Damages:
    if generator.random() >= _ONE:
        return several_damages(generator)
    return [(str(generator.choice(KINDS)), float(generator.uniform(*_LEVELS)))]


def several_damages(generator: np.random.Generator) -> Damages:
    """The chain of a phone, or two or three damages together."""
    if generator.random() < _CHAINS:
        return [
            (str(generator.choice(kinds)), float(generator.uniform(*levels)))
            for share, kinds, levels in _CHAIN
            if generator.random() < share
        ]
    kinds = generator.choice(KINDS, size=int(generator.integers(2, 4)), replace=False)
    return [(str(kind), float(generator.uniform(_LEVELS[0], _MIXED))) for kind in kinds]
