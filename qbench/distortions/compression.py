"""Compression and transmission: JPEG 2000 and JPEG (KADID-10k 9 and 10), banding, lost macroblocks."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

from qbench.distortions.blurs import smooth
from qbench.distortions.colour_space import Pixels, Planes, from_picture, to_uint8

_BLOCK = 16
"""Side of a macroblock."""
_HEADERS = 240
"""Bytes of a JPEG 2000 file before the first coefficient, as Pillow writes it."""


def jpeg(pixels: Pixels, quality: float, _: np.random.Generator) -> Pixels:
    """Strength is the encoder's quality."""
    return _recoded(pixels, "JPEG", quality=round(quality))


def jpeg_2000(pixels: Pixels, ratio: float, _: np.random.Generator) -> Pixels:
    """Strength is the compression ratio of KADID-10k's 512 × 384 pixels.

    Other sizes get as many bytes a pixel after the headers, which would be most of a small file.
    """
    share = pixels.size / (512 * 384 * 3)
    most_bytes = pixels.size / ratio + _HEADERS * (1 - share)
    # Five halvings are usual; a small picture has fewer.
    resolutions = min(min(pixels.shape[:2]).bit_length(), 6)
    return _recoded(
        pixels,
        "JPEG2000",
        quality_mode="rates",
        quality_layers=[pixels.size / most_bytes],
        irreversible=True,
        num_resolutions=resolutions,
    )


def banding(pixels: Pixels, step: float, _: np.random.Generator) -> Pixels:
    """Smooth areas fall into bands `step` grey levels apart; only detail stronger than the bands survives."""
    whole = pixels.astype(np.float64)
    base = smooth(whole, 2.0)
    detail = whole - base
    kept = detail * (detail * detail / (detail * detail + step * step / 4))
    # A hair more than a half: whole greys fall between two bands, and every processor must choose the same one.
    return to_uint8(np.floor(base / step + (0.5 + 1e-7)) * step + kept)


def transmission_error(pixels: Pixels, lost: float, generator: np.random.Generator) -> Pixels:
    """Runs of macroblocks that never arrived, this share of all, concealed as decoders do.

    A lost run shows grey, or repeats the last block before it, or holds content from elsewhere with a wrong offset.
    The runs of a weaker error are among those of a stronger one.
    """
    height, width = pixels.shape[:2]
    rows, columns = -(-height // _BLOCK), -(-width // _BLOCK)
    budget = max(round(lost * rows * columns), 1)
    received = pixels.astype(np.float64)
    damaged = received.copy()
    while budget > 0:
        row, start = int(generator.integers(rows)), int(generator.integers(columns))
        run = min(int(generator.integers(2, 12)), columns - start, budget)
        _conceal(damaged, received, row * _BLOCK, start * _BLOCK, run * _BLOCK, generator)
        budget -= run
    return to_uint8(damaged)


def _conceal(
    damaged: Planes,
    received: Planes,
    top: int,
    left: int,
    length: int,
    generator: np.random.Generator,
) -> None:
    """Fill a lost run in one of three ways. Every way draws the same numbers, so later runs fall where they did."""
    how, drawn, offset = generator.random(), generator.random(2), generator.uniform(20, 60, 3)
    hole = damaged[top : top + _BLOCK, left : left + length]
    if how < 0.3:
        hole[:] = 128
    elif how < 0.6:
        column = left - 1 if left else min(length, received.shape[1] - 1)
        hole[:] = received[top : top + _BLOCK, column : column + 1]
    else:
        y, x = (drawn * (received.shape[0] - hole.shape[0] + 1, received.shape[1] - hole.shape[1] + 1)).astype(int)
        hole[:] = received[y : y + hole.shape[0], x : x + hole.shape[1]] + offset * np.sign(drawn.mean() - 0.5)


def _recoded(pixels: Pixels, encoding: str, **settings: Any) -> Pixels:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, encoding, **settings)
    with Image.open(file, formats=[encoding]) as picture:
        return from_picture(picture.convert("RGB"))
