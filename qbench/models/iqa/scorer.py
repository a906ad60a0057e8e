"""nano-iqa as a model that scores photos: heads on their features, for quality, how sure it is, and kinds of damage.

They weigh the features, standardised, and beside them Gaussian bumps around crops that training saw (a radial basis): a
sum of those can bend, so that grain on a lawn is not what grain in a sky is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from qbench.errors import DataError, UserError
from qbench.images import load_pixels
from qbench.models import Model, ModelOptions, builtin
from qbench.models.iqa.features import COLOUR_STATISTICS, SCENE_STATISTICS, Looked, Plane, look, open_backbone, tower_of
from qbench.records import Picture, Prompt, Response, Want

Floats = NDArray[np.float32]

VERSION = 2
"""Raised when the same weights give other numbers, so that cached ones are not used."""
LARGEST = 6.0
"""Standard deviations at which features are cut off."""
FILE, FACTS = "heads.safetensors", "heads.json"

FAULTS: Mapping[str, tuple[str, ...]] = {
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
    directions: NDArray[np.float16]
    """Direction × feature: along these the bumps measure how near a photo is."""
    centres: NDArray[np.float16]
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
        return np.asarray(far * self.weight)

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

    directions: NDArray[np.float16]
    """Direction × feature: along these, damage moves a part far beyond what parts of a photo differ by."""
    scale: Floats
    """Of each of them, then of the basis' directions: what its differences are divided by."""
    hidden: NDArray[np.float16]
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
        return np.asarray(worse - np.median(worse))


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
        return np.asarray((self.basis.of(rows) @ self.quality.T + self.quality_bias).mean(axis=1))

    def score_map(self, looked: Looked) -> Plane:
        """The score of each cell of a photo: the mean over the windows that hold it; DataError for one window."""
        grid, window = looked.layout
        if grid == window:
            raise DataError("this photo is too small to tell its parts apart")
        rows = looked.features(windows=True)
        directions = np.concatenate([self.parts.directions, self.basis.directions]).astype(np.float32)
        drops = self.parts.drops(self.basis.standardised(rows) @ directions.T)
        scores = (np.median(self.scores(rows)) - drops).reshape([1 + g - w for g, w in zip(grid, window, strict=True)])
        # Without scipy.signal, whose import takes more than a second of the first answer.
        padded = np.pad(scores.astype(np.float64), [(size - 1, size - 1) for size in window], constant_values=np.nan)
        return np.asarray(np.nanmean(np.lib.stride_tricks.sliding_window_view(padded, window), axis=(2, 3)))

    def rate(self, features: Floats) -> Response:
        """Of one photo its quality, about 0 (worst) to 100, its standard error, and the chance of each of `FAULTS`."""
        [score], [seen] = self.scores(features), self.basis.of(features)
        error = float(np.exp(self.spread[0] @ seen + self.spread_bias[0]))
        shares = expit((self.faults @ seen + self.fault_bias).astype(np.float64))
        return Response(score=float(score), score_error=error, faults=dict(zip(FAULTS, shares.tolist(), strict=True)))


def read_heads(folder: Path) -> Heads:
    """The heads of a folder that `python -m tools.nano models` wrote."""
    from safetensors.numpy import load_file

    own: dict[str, dict[str, Any]] = {"basis": {}, "parts": {}, "": {}}
    for name, values in load_file(folder / FILE).items():
        group, _, part = name.rpartition(".")
        own[group][part] = values
    return Heads(Basis(**own["basis"]), parts=PartsHead(**own["parts"]), **own[""])


@dataclass(frozen=True, eq=False)
class QualityScorer(Model):
    """The network and its heads."""

    name: str
    identity: Mapping[str, Any]
    backbone: Any
    heads: Heads
    wants: frozenset[Want] = frozenset({"score", "map"})

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A score, its standard error and the likely kinds of damage of one image each; or the scores of its parts."""
        return [self._answer(prompt) for prompt in prompts]

    def _answer(self, prompt: Prompt) -> Response:
        [picture] = [part for part in prompt.parts if isinstance(part, Picture)]
        try:
            looked = look_once(self.backbone, picture)
            if prompt.want == "map":
                scores = self.heads.score_map(looked).tolist()
                return Response(score_map=tuple(map(tuple, scores)), map_margin=float(self.heads.parts.margin[0]))
            return self.heads.rate(looked.features())
        except DataError as error:
            return Response(failure=str(error))


@lru_cache(maxsize=1)
def look_once(backbone: Any, picture: Picture) -> Looked:
    """What is seen of a photo, kept until the next one: its map is asked for right after its score."""
    return look(backbone, load_pixels(picture))


def open_iqa(name: str, argument: str, options: ModelOptions) -> Model:
    """nano-iqa as it comes with the project; `nano-iqa:FOLDER` as `python -m tools.nano models` wrote it."""
    from qbench.models.checkpoint.devices import pick_device

    folder = Path(argument) if argument else builtin.WEIGHTS_FOLDER / name
    tower = tower_of(folder)
    if not (folder / FILE).is_file():
        raise UserError(f"{folder} holds no {name}: {FILE} is missing; make one with python -m tools.nano models")
    files = [tower / "config.json", *sorted({*tower.glob("*.safetensors")} - {folder / FILE}), folder / FILE]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    device = pick_device(options.device)
    backbone = open_backbone(folder, "cuda" if device == "split" else device)  # it is too small to be spread
    name = f"{name}:{folder.name}" if argument else name
    return QualityScorer(name, {"iqa": name, "version": VERSION, "weights": digest}, backbone, read_heads(folder))
