"""Heads on the features of a photo: its quality, how sure that is, and which kinds of damage it shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from qbench.models.iqa.basis import Basis, Floats, Halves

FILE, FACTS = "heads.safetensors", "heads.json"
_BASIS, _PARTS = "basis.", "parts."

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
class Rating:
    """What the heads say of one photo."""

    score: float
    """Mean rank of full-reference measures among damaged photos, from about 0 (worst) to 100."""
    error: float
    """Standard error of the score."""
    faults: Mapping[str, float]
    """Probability of each of `FAULTS`; they need not add up to 1."""


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

    def along(self, standardised: Floats, basis: Basis) -> Floats:
        """Rows of standardised features, along the directions."""
        along: Floats = standardised @ np.concatenate([self.directions, basis.directions]).T.astype(np.float32)
        return along

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
        return self._scores(self.basis.of(rows))

    def _scores(self, seen: Floats) -> Floats:
        scores: Floats = (seen @ self.quality.T + self.quality_bias).mean(axis=1)
        return scores

    def part_scores(self, rows: Floats) -> Floats:
        """The score of each part of one photo, of rows of features of all of them."""
        along = self.parts.along(self.basis.standardised(rows), self.basis)
        scores: Floats = np.median(self.scores(rows)) - self.parts.drops(along)
        return scores

    def rate(self, features: Floats) -> Rating:
        """The rating of one photo."""
        seen = self.basis.of(features[None])
        [score], [seen_once] = self._scores(seen), seen
        error = float(np.exp(self.spread[0] @ seen_once + self.spread_bias[0]))
        odds = np.clip(self.faults @ seen_once + self.fault_bias, -20, 20)
        shares = 1 / (1 + np.exp(-odds.astype(np.float64)))
        return Rating(float(score), error, dict(zip(FAULTS, shares.tolist(), strict=True)))

    def save(self, folder: Path, facts: Mapping[str, object]) -> None:
        """Write the weights, and what is known of them beside."""
        from safetensors.numpy import save_file

        folder.mkdir(parents=True, exist_ok=True)
        arrays = {f"{_BASIS}{name}": value for name, value in vars(self.basis).items()}
        arrays |= {f"{_PARTS}{name}": value for name, value in vars(self.parts).items()}
        arrays |= {name: value for name, value in vars(self).items() if name not in ("basis", "parts")}
        save_file({name: np.ascontiguousarray(value) for name, value in arrays.items()}, folder / FILE)
        (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def read_heads(folder: Path) -> Heads:
    """The heads of a folder that `python -m tools.nano iqa` wrote."""
    from safetensors.numpy import load_file

    arrays = load_file(folder / FILE)

    def below(prefix: str) -> dict[str, Any]:
        return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}

    rest = {name: value for name, value in arrays.items() if "." not in name}
    return Heads(Basis(**below(_BASIS)), parts=PartsHead(**below(_PARTS)), **rest)
