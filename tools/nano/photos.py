"""The photos that training damages: a folder of them, and random crops at random scales."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.errors import DataError, UserError
from qbench.images import load_pixels, open_picture
from qbench.records import Picture

Pixels = NDArray[np.uint8]
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
FEWEST_PHOTOS = 4
"""A few for each of training and a look at what was not trained on."""
_SHORT_SIDES = (384, 900)
"""Shorter sides of the photos that crops are taken from, in pixels: about those of photos that people rated."""
_USUAL = 0.5
"""Share of the crops that are taken at the smallest scale: the size of the photos that were damaged to be rated."""
_KEPT = 1024
"""Shorter side at which photos are kept in memory."""
_SHARPEST = 0.8
"""A crop is never taken above this share of a photo's own scale, so that its file's compression is not seen."""


@dataclass(frozen=True)
class Photos:
    """Photos in memory."""

    images: Sequence[Image.Image]
    digest: str
    """SHA-256 over the files, in the order of their names."""


def pictures_below(folder: Path) -> Iterator[tuple[Picture, Image.Image]]:
    """Every photo below a folder that can be decoded, in the order of their paths.

    Raises:
        UserError: No folder.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}; give the one that holds the photos")
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES):
        try:
            picture = open_picture(path)
            image = load_pixels(picture)
        except DataError:
            continue
        yield picture, image


def read_photos(folder: Path) -> Photos:
    """Read every photo below a folder that is large enough to take a crop from.

    Raises:
        UserError: No folder, or too few photos.
    """
    images, digest = [], hashlib.sha256()
    for picture, image in pictures_below(folder):
        scale = min(_SHARPEST, _KEPT / min(image.size))
        if min(image.size) * scale >= _SHORT_SIDES[0]:
            digest.update(picture.sha256.encode())
            size = [max(_SHORT_SIDES[0], round(side * scale)) for side in image.size]
            images.append(image.resize((size[0], size[1]), Image.Resampling.LANCZOS))
    if len(images) < FEWEST_PHOTOS:
        least = round(_SHORT_SIDES[0] / _SHARPEST)
        raise UserError(
            f"{folder} holds {len(images)} photos of {least} pixels or more; training needs {FEWEST_PHOTOS}"
        )
    return Photos(images, digest.hexdigest())


def crop(image: Image.Image, share: float, generator: np.random.Generator) -> Pixels:
    """A square as long as this share of the shorter side of the photo, at a random scale, half of the time mirrored."""
    shorter = min(image.size)
    scaled = np.exp(generator.uniform(*np.log((_SHORT_SIDES[0], min(shorter, _SHORT_SIDES[1])))))
    if generator.random() < _USUAL:
        scaled = _SHORT_SIDES[0]
    side, size = shorter * share, round(scaled * share)
    left, top = (generator.uniform(0, length - side) for length in image.size)
    box = (left, top, left + side, top + side)
    pixels = np.asarray(image.resize((size, size), Image.Resampling.LANCZOS, box=box))
    return np.ascontiguousarray(pixels[:, ::-1] if generator.random() < 0.5 else pixels)
