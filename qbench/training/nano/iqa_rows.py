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
from qbench.training.nano.fidelity import dss, gmsd, haarpsi, mdsi

Pixels = NDArray[np.uint8]

KINDS = tuple(TYPES)
TEACHERS = (gmsd, haarpsi, mdsi, dss)
TEACHER_SIGNS = np.array([-1.0, 1.0, -1.0, 1.0])
"""What turns each teacher's value so that higher is better."""
SIZES = ((384, 288), (640, 480))
"""Width and height of crops, and of the few larger views."""
_LARGE = 0.12
_PORTRAIT = 0.25
_SHARES = {"none": 0.06, "one": 0.5, "chain": 0.24, "mixture": 0.2}
"""How many of the crops are damaged how."""
_LEVELS = (0.4, 5.0)
_SHARPEST = 0.9
"""Largest scale at which a photo is shown, so that its own file's compression is not seen."""
_CHAIN: Sequence[tuple[float, tuple[str, ...], tuple[float, float]]] = (
    (0.45, ("lens-blur", "gaussian-blur", "motion-blur"), (0.5, 4.5)),
    (0.45, ("underexposure", "darken", "overexposure", "mean-shift-down"), (0.5, 3.5)),
    (0.5, ("white-noise", "ycbcr-noise", "multiplicative-noise"), (0.5, 5)),
    (0.5, ("denoised", "colour-diffusion"), (0.5, 5)),
    (0.2, ("contrast-down", "contrast-up", "undersaturation", "oversaturation"), (0.5, 2.5)),
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
    """The crop of this number."""
    generator = np.random.default_rng([seed, number])
    photo = int(generator.integers(len(images)))
    clean = _crop(images[photo], generator)
    levels = np.zeros(len(KINDS), np.float32)
    damaged = clean
    for kind, level in _damages(generator):
        damaged = distort_array(damaged, kind, level, generator)
        levels[KINDS.index(kind)] = level
    teachers = np.array([teacher(damaged, clean) for teacher in TEACHERS], np.float32)
    return Row(damaged, photo, levels, teachers)


def _crop(image: Image.Image, generator: np.random.Generator) -> Pixels:
    """A part of the photo at a random scale, half of the time mirrored."""
    size = SIZES[int(generator.random() < _LARGE)]
    if generator.random() < _PORTRAIT:
        size = (size[1], size[0])
    least = max(side / length for side, length in zip(size, image.size, strict=True))
    scale = np.exp(generator.uniform(np.log(least), np.log(max(least, _SHARPEST))))
    width, height = (side / scale for side in size)
    left, top = (
        generator.uniform(0, max(length - side, 0)) for length, side in zip(image.size, (width, height), strict=True)
    )
    box = (left, top, min(left + width, image.width), min(top + height, image.height))
    pixels = np.asarray(image.resize(size, Image.Resampling.LANCZOS, box=box))
    return np.ascontiguousarray(pixels[:, ::-1] if generator.random() < 0.5 else pixels)


def _damages(generator: np.random.Generator) -> list[tuple[str, float]]:
    """Kinds and levels, in the order in which they happen."""
    way = generator.choice(list(_SHARES), p=list(_SHARES.values()))
    if way == "none":
        return []
    if way == "chain":
        return [
            (str(generator.choice(kinds)), float(generator.uniform(*levels)))
            for share, kinds, levels in _CHAIN
            if generator.random() < share
        ]
    count = 1 if way == "one" else int(generator.integers(2, 4))
    kinds = generator.choice(KINDS, size=count, replace=False)
    top = _LEVELS[1] if count == 1 else 4.0
    return [(str(kind), float(generator.uniform(_LEVELS[0], top))) for kind in kinds]
