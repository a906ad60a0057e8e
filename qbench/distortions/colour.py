"""Colour: diffusion, shift, quantisation and the two saturations (KADID-10k 4 to 8)."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from qbench.distortions.blurs import smooth
from qbench.distortions.colour_space import Pixels, from_lab, from_picture, luma, to_lab, to_uint8


def colour_diffusion(pixels: Pixels, amount: float, _: np.random.Generator) -> Pixels:
    """Colours of L*a*b* blurred and strengthened, lightness kept: they run out of the things they belong to."""
    lab = to_lab(pixels)
    lab[..., 1:] = smooth(lab[..., 1:], 1.5 * amount + 2) * max(amount, 1)
    return from_lab(lab)


def colour_shift(pixels: Pixels, amount: float, generator: np.random.Generator) -> Pixels:
    """The green channel moved by so many pixels, blended in where the picture has edges."""
    down, up = np.gradient(np.pad(luma(pixels), 1, mode="edge"))
    edges = smooth(np.hypot(down, up)[1:-1, 1:-1], 4.0)
    low, high = np.percentile(edges, (1, 99))
    weight = np.clip((edges - low) / max(high - low, 1e-6), 0, 1)
    angle = generator.uniform(0, math.pi / 2)
    rows, columns = round(amount * math.sin(angle)), round(amount * math.cos(angle))
    height, width = pixels.shape[:2]
    green = pixels[..., 1].astype(np.float64)
    moved = np.pad(green, ((rows, 0), (columns, 0)), mode="symmetric")[:height, :width]
    shifted: Pixels = pixels.copy()
    shifted[..., 1] = to_uint8(green + weight * (moved - green))
    return shifted


def colour_quantisation(pixels: Pixels, colours: float, _: np.random.Generator) -> Pixels:
    """So many colours, chosen for this picture by median cut (KADID-10k: by minimum variance), dithered."""
    # Median cut is slow in the number of different colours; five bits a channel are enough to place a palette.
    palette = Image.fromarray(pixels & 0xF8 | 4).quantize(round(colours), Image.Quantize.MEDIANCUT)
    quantised = Image.fromarray(pixels).quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
    return from_picture(quantised.convert("RGB"))


def undersaturation(pixels: Pixels, factor: float, _: np.random.Generator) -> Pixels:
    """HSV's saturation times a factor; below zero colours turn into their opposites.

    An HSV colour is V × (1 − S × k(H)) in each channel, so hue and saturation need not be worked out.
    """
    value = np.maximum(np.maximum(pixels[..., :1], pixels[..., 1:2]), pixels[..., 2:]).astype(np.float64)
    return to_uint8(value - factor * (value - pixels))


def oversaturation(pixels: Pixels, factor: float, _: np.random.Generator) -> Pixels:
    """a* and b* of L*a*b* times a factor."""
    return from_lab(to_lab(pixels) * np.array([1, factor, factor]))
