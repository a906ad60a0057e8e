"""Every type of distortion as declared data.

KADID-10k's 25 types with the strengths of its authors' published generator (Lin, Hosu and Saupe, "KADID-10k: A
Large-scale Artificially Distorted IQA Database", QoMEX 2019, https://database.mmsp-kn.de/kadid-10k-database.html,
`imdist_generator.m`), except where a level there does nothing or levels do not grow:

- level 1 of Gaussian blur (0.1 pixels), of motion blur (1 pixel) and of oversaturation (factor 1) changes no pixel;
- mean shift and contrast change run from one side through zero to the other; here each side is a type of its own,
  with levels between and beyond.

What each does follows the paper and ARNIQA's port (https://github.com/miccunifi/ARNIQA, `utils/distortions.py`); where
something else stands in for a part that has no equal here, the function says so. Types without a number are what
Q-Bench asks about besides; their strengths are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from qbench.distortions import blurs, colour, compression, light, noise, spatial
from qbench.distortions.colour_space import Pixels

LEVELS = (1, 2, 3, 4, 5)

Apply = Callable[[Pixels, float, np.random.Generator], Pixels]


@dataclass(frozen=True)
class Distortion:
    """One way to damage a photo."""

    label: str
    family: str
    attribute: str
    """The low-level attribute people are asked about that it changes."""
    kadid: int | None
    """Its number in KADID-10k."""
    apply: Apply
    strengths: tuple[float, ...]
    """Where the damage begins (level 0), then levels 1 to 5; `apply` says what they measure."""

    @property
    def key(self) -> str:
        """Its name in commands and files, such as `gaussian-blur`."""
        return self.label.lower().replace(" ", "-")

    def strength(self, level: float) -> float:
        """The strength of a level, also between two levels."""
        return float(np.interp(level, range(len(self.strengths)), self.strengths))


def _family(name: str, *rows: tuple[int | None, str, str, Apply, tuple[float, ...]]) -> dict[str, Distortion]:
    kinds = (Distortion(label, name, word, kadid, apply, levels) for kadid, label, word, apply, levels in rows)
    return {kind.key: kind for kind in kinds}


TYPES: Mapping[str, Distortion] = (
    _family(
        "blur",
        (1, "Gaussian blur", "blur", blurs.gaussian_blur, (0.3, 0.4, 0.5, 1, 2, 5)),
        (2, "Lens blur", "blur", blurs.lens_blur, (0.5, 1, 2, 4, 6, 8)),
        (3, "Motion blur", "blur", blurs.motion_blur, (1, 1.5, 2, 4, 6, 10)),
        (None, "Zoom blur", "blur", blurs.zoom_blur, (0, 0.02, 0.05, 0.09, 0.14, 0.2)),
        (None, "Glass blur", "blur", blurs.glass_blur, (0, 1, 1.5, 2, 3, 4.5)),
    )
    | _family(
        "colour",
        (4, "Colour diffusion", "colour", colour.colour_diffusion, (0, 1, 3, 6, 8, 12)),
        (5, "Colour shift", "colour", colour.colour_shift, (1, 1, 3, 6, 8, 12)),
        (6, "Colour quantisation", "colour", colour.colour_quantisation, (256, 64, 48, 32, 16, 8)),
        (7, "Undersaturation", "saturation", colour.undersaturation, (1, 0.4, 0.2, 0.1, 0, -0.4)),
        (8, "Oversaturation", "saturation", colour.oversaturation, (1, 1.5, 2, 3, 6, 9)),
    )
    | _family(
        "compression",
        (9, "JPEG 2000", "compression", compression.jpeg_2000, (4, 16, 32, 45, 120, 400)),
        (10, "JPEG", "compression", compression.jpeg, (90, 43, 36, 24, 7, 4)),
        (None, "Banding", "banding", compression.banding, (1, 8, 12, 18, 26, 40)),
        (None, "Transmission error", "transmission", compression.transmission_error, (0, 0.01, 0.03, 0.06, 0.12, 0.2)),
    )
    | _family(
        "noise",
        (11, "White noise", "noise", noise.white_noise, (0, 0.001, 0.002, 0.003, 0.005, 0.01)),
        (12, "YCbCr noise", "noise", noise.ycbcr_noise, (0, 0.0001, 0.0005, 0.001, 0.002, 0.003)),
        (13, "Impulse noise", "noise", noise.impulse_noise, (0, 0.001, 0.005, 0.01, 0.02, 0.03)),
        (14, "Multiplicative noise", "noise", noise.multiplicative_noise, (0, 0.001, 0.005, 0.01, 0.02, 0.05)),
        (15, "Denoised", "texture", noise.denoised, (0, 0.01, 0.03, 0.05, 0.1, 0.15)),
    )
    | _family(
        "brightness",
        (16, "Brighten", "brightness", light.brighten, (0, 0.1, 0.2, 0.4, 0.7, 1.1)),
        (17, "Darken", "brightness", light.darken, (0, 0.05, 0.1, 0.2, 0.4, 0.8)),
        (18, "Mean shift up", "brightness", light.mean_shift, (0, 0.04, 0.08, 0.15, 0.22, 0.3)),
        (18, "Mean shift down", "brightness", light.mean_shift, (0, -0.04, -0.08, -0.15, -0.22, -0.3)),
        (None, "Overexposure", "exposure", light.exposure, (0, 0.5, 1, 1.5, 2.2, 3)),
        (None, "Underexposure", "exposure", light.exposure, (0, -0.7, -1.4, -2.1, -3, -4)),
    )
    | _family(
        "spatial",
        (19, "Jitter", "texture", spatial.jitter, (0, 0.05, 0.1, 0.2, 0.5, 1)),
        (20, "Displaced patches", "texture", spatial.displaced_patches, (0, 20, 40, 60, 80, 100)),
        (21, "Pixelate", "pixelation", spatial.pixelate, (0, 0.01, 0.05, 0.1, 0.2, 0.5)),
        (22, "Quantisation", "quantisation", spatial.quantisation, (40, 20, 16, 13, 10, 7)),
        (23, "Colour blocks", "occlusion", spatial.colour_blocks, (0, 2, 4, 6, 8, 10)),
    )
    | _family(
        "sharpness and contrast",
        (24, "Oversharpening", "sharpness", light.oversharpening, (0, 1, 2, 3, 6, 12)),
        (25, "Contrast up", "contrast", light.contrast_change, (0, 0.1, 0.2, 0.35, 0.5, 0.7)),
        (25, "Contrast down", "contrast", light.contrast_change, (0, -0.1, -0.2, -0.3, -0.4, -0.6)),
    )
)
