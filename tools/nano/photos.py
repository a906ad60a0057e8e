"""The photos that training damages: a folder of them, and random parts at random scales."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from qbench.errors import DataError, UserError
from qbench.images import load_pixels, open_picture

Pixels = NDArray[np.uint8]
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
FEWEST_PHOTOS = 5
"""One for each fold of nano-iqa's heads."""
_SHORT_SIDES = (384, 768)
"""Shorter sides of whole photos at the scales that parts are taken at; half of them at the smallest."""
_KEPT = 1024
"""Shorter side at which photos are kept in memory."""
_SHARPEST = 0.8
"""A part is never taken above this share of a photo's own scale, so that its file's compression is not seen."""


@dataclass(frozen=True)
class Photos:
    """Photos in memory."""

    images: Sequence[Image.Image]
    digest: str
    """SHA-256 over the files, in the order of their names."""


def read_photos(folder: Path) -> Photos:
    """Read every photo below a folder that can be decoded and is large enough.

    Raises:
        UserError: No folder, or too few photos.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}; give the one that holds the photos")
    images, digest = [], hashlib.sha256()
    least = round(_SHORT_SIDES[0] / _SHARPEST)
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES):
        try:
            picture = open_picture(path)
            image = load_pixels(picture)
        except DataError:
            continue
        if min(image.size) >= least:
            digest.update(picture.sha256.encode())
            scale = min(_SHARPEST, _KEPT / min(image.size))
            size = [max(_SHORT_SIDES[0], round(side * scale)) for side in image.size]
            images.append(image.resize((size[0], size[1]), Image.Resampling.LANCZOS))
    if len(images) < FEWEST_PHOTOS:
        raise UserError(
            f"{folder} holds {len(images)} photos of {least} pixels or more; training needs {FEWEST_PHOTOS}"
        )
    return Photos(images, digest.hexdigest())


def crop(image: Image.Image, share: float, generator: np.random.Generator) -> Pixels:
    """A 4:3 part that has most of this share of a photo's shorter side, half of the time mirrored."""
    unit = min(image.width / 4, image.height / 3) * share * generator.uniform(0.75, 1)
    left, top = generator.uniform(0, image.width - 4 * unit), generator.uniform(0, image.height - 3 * unit)
    low, high = _SHORT_SIDES[0], min(_SHORT_SIDES[1], *image.size)
    shorter = low if generator.random() < 0.5 else np.exp(generator.uniform(np.log(low), np.log(high)))
    width, height = round(4 / 3 * shorter * share), round(shorter * share)
    box = (left, top, left + 4 * unit, top + 3 * unit)
    pixels = np.asarray(image.resize((width, height), Image.Resampling.LANCZOS, box=box))
    return np.ascontiguousarray(pixels[:, ::-1] if generator.random() < 0.5 else pixels)


def middle(image: Image.Image, side: int) -> Image.Image:
    """The middle square of a picture whose shorter side is brought to a size, as the models' processor takes it."""
    return ImageOps.fit(image, (side, side), Image.Resampling.BICUBIC)
