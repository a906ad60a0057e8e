"""Heads on the features of a photo: its quality, how sure that is, and which kinds of damage it shows.

They weigh the features, standardised, and beside them Gaussian bumps around crops that training saw (a radial basis): a
sum of those can bend, so that grain on a lawn is not what grain in a sky is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.models.iqa.features import COLOUR_STATISTICS, SCENE_STATISTICS
from qbench.records import Response

Floats = NDArray[np.float32]
Halves = NDArray[np.float16]

LARGEST = 6.0
"""Standard deviations at which features are cut off."""
TONES = 13
FILE, FACTS = "heads.safetensors", "heads.json"

FAULTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "blur": ("gaussian-blur", "lens-blur", "motion-blur", "zoom-blur", "glass-blur"),
        "noise": ("white-noise", "ycbcr-noise", "impulse-noise", "multiplicative-noise"),
        "compression artefacts": ("jpeg", "jpeg-2000"),
        "smoothed away detail": ("denoised",),
        "oversharpening": ("oversharpening",),
        "too dark": ("darken", "mean-shift-down", "underexposure"),
        "too bright": ("brighten", "mean-shift-up", "overexposure"),
        "too little contrast": ("contrast-down",),
        "too much contrast": ("contrast-up",),
        "faded colours": ("undersaturation",),
        "glaring colours": ("oversaturation",),
        "colour bleeding or fringes": ("colour-diffusion", "colour-shift"),
        "too few tones": ("colour-quantisation", "quantisation", "banding"),
        "blocks or broken parts": ("transmission-error", "colour-blocks", "displaced-patches", "pixelate", "jitter"),
    }
)
"""Kinds of damage as visitors are told of them -> the types of distortion that they stand for."""


@dataclass(frozen=True, eq=False)
class Basis:
    """How features become what the heads weigh."""

    kept: NDArray[np.int32]
    """Places of the features that are looked at."""
    floor: Floats
    """Of each of them: what is added before its logarithm is taken; 0 where none is taken."""
    mean: Floats
    """Of each of them, then of the tones."""
    deviation: Floats
    weight: Floats
    """How much each counts once it is standardised."""
    directions: Halves
    """Direction × feature: along these the bumps measure how near a photo is."""
    centres: Halves
    """Bump × direction."""
    width: Floats
    """Square of the distance at which a bump has fallen to 1/e; one number."""

    def logged(self, features: Floats) -> Floats:
        """Rows of `Looked.features` -> rows of those that are looked at, some as logarithms, and of the tones."""
        seen = features[:, self.kept]
        has_log = self.floor > 0
        seen[:, has_log] = np.log(np.maximum(seen[:, has_log], 0) + self.floor[has_log])
        return np.concatenate([seen, tones(features)], axis=1)

    def standardised(self, features: Floats) -> Floats:
        """The same with mean 0 and deviation 1 over training's rows, by how much they count."""
        far = np.clip((self.logged(features) - self.mean) / self.deviation, -LARGEST, LARGEST)
        standardised: Floats = far * self.weight
        return standardised

    def of(self, features: Floats) -> Floats:
        """Rows of what the heads weigh: `Looked.features` standardised, and from 0 to 1 how near each centre is."""
        standardised = self.standardised(features)
        along, centres = standardised @ self.directions.T.astype(np.float32), self.centres.astype(np.float32)
        squares = (along**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * along @ centres.T
        return np.concatenate([standardised, np.exp(-np.maximum(squares, 0) / self.width)], axis=1)


def tones(features: Floats) -> Floats:
    """How far the tones of photos spread and where they lie, of rows of features; sums of those cannot say it.

    A photo of little contrast has room at both ends of the scale, which one that is dark or bright has at one.
    """
    colours = features[:, -SCENE_STATISTICS:][:, :COLOUR_STATISTICS]
    darkest, dark, median, bright, brightest, mean, spread, red_green, yellow_blue, chroma = colours.T
    room = np.minimum(darkest, 1 - brightest)
    both = np.sqrt(np.clip(darkest * (1 - brightest), 0, None))
    ranges = [np.log(brightest - darkest + 0.02), np.log(bright - dark + 0.02), np.log(spread + 0.01)]
    places = [np.abs(mean - 0.5), (mean - 0.5) ** 2, np.log(mean + 0.02), np.log(1.02 - mean)]
    hues = [np.log(hue + 0.01) for hue in (chroma, red_green, yellow_blue)]
    skew = np.log(median + 0.02) - np.log(mean + 0.02)
    return np.stack([room, both, *ranges, *places, *hues, skew], axis=1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class PartsHead:
    """Tells a damaged part from the rest of its photo: a network of one hidden layer, shown how a part differs."""

    directions: Halves
    """Direction × feature: along these, damage moves a part far beyond what parts of a photo differ by."""
    scale: Floats
    """Of each of them, then of the basis' directions: what its differences are divided by."""
    hidden: Halves
    hidden_bias: Floats
    out: Floats
    """Hidden values -> points by which a part is worse than the rest."""
    out_bias: Floats
    margin: Floats
    """How far below its median part the worst part of nine in ten untouched photos lies at most; one number."""

    def drops(self, along: Floats) -> Floats:
        """How much worse each part of a photo is than its median part, by rows of all parts along the directions."""
        differences = (along - np.median(along, axis=0)) / self.scale
        hidden = np.maximum(differences @ self.hidden.T.astype(np.float32) + self.hidden_bias, 0)
        worse = hidden @ self.out + self.out_bias
        drops: Floats = worse - np.median(worse)
        return drops


@dataclass(frozen=True, eq=False)
class Heads:
    """Weights on what the basis makes of features; each row is a head."""

    basis: Basis
    quality: Floats
    quality_bias: Floats
    """An ensemble, whose mean is the score."""
    spread: Floats
    spread_bias: Floats
    """One head, of the logarithm of the score's standard error."""
    faults: Floats
    fault_bias: Floats
    """One head each of `FAULTS`, of the logarithm of its odds."""
    parts: PartsHead

    def scores(self, rows: Floats) -> Floats:
        """The score of each row of features."""
        scores: Floats = (self.basis.of(rows) @ self.quality.T + self.quality_bias).mean(axis=1)
        return scores

    def part_scores(self, rows: Floats) -> Floats:
        """The score of each part of one photo, of rows of features of all of them."""
        directions = np.concatenate([self.parts.directions, self.basis.directions]).astype(np.float32)
        along = self.basis.standardised(rows) @ directions.T
        scores: Floats = np.median(self.scores(rows)) - self.parts.drops(along)
        return scores

    def rate(self, features: Floats) -> Response:
        """Of one photo its quality, about 0 (worst) to 100, its standard error, and the chance of each of `FAULTS`."""
        [score], [seen] = self.scores(features), self.basis.of(features)
        error = float(np.exp(self.spread[0] @ seen + self.spread_bias[0]))
        odds = np.clip(self.faults @ seen + self.fault_bias, -20, 20)
        shares = 1 / (1 + np.exp(-odds.astype(np.float64)))
        return Response(score=float(score), score_error=error, faults=dict(zip(FAULTS, shares.tolist(), strict=True)))


def read_heads(folder: Path) -> Heads:
    """The heads of a folder that `python -m tools.nano models` wrote."""
    from safetensors.numpy import load_file

    arrays = load_file(folder / FILE)

    def below(prefix: str) -> dict[str, Any]:
        return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}

    rest = {name: value for name, value in arrays.items() if "." not in name}
    return Heads(Basis(**below("basis.")), parts=PartsHead(**below("parts.")), **rest)
