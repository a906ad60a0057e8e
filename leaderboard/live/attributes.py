"""How bright, colourful, contrasted and sharp a photo is, by measures without learning and in an encoder's view.

All photos are measured at one size: fine detail is what a photo has at its own size, which says nothing of another's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy import ndimage
from scipy.special import expit

from leaderboard.live.service.examples import MEASURED
from leaderboard.live.service.live_runner import LiveRunner
from qbench import prompts
from qbench.images import load_pixels
from qbench.models.classical import MEASURES
from qbench.records import Picture, Prompt

_CAPTIONS = {"colourfulness": "colorfulness"}
"""Where `prompts` spells an attribute otherwise."""
_EVEN = 0.5
LONGEST_SIDE = 480
"""Pixels of the long side at which photos are measured; the example photos have 480 or 512."""
_BLUR = 9
_ONE_AT_A_TIME = threading.Lock()
"""A large photo takes a hundred megabytes and more until it is scaled."""


@dataclass(frozen=True)
class Meter:
    """One attribute of a photo."""

    attribute: str
    value: float
    above: int
    """How many of the example photos have less."""
    of: int


def measure(picture: Picture) -> tuple[Meter, ...]:
    """The photo's attributes beside those of the example photos."""
    with _ONE_AT_A_TIME:
        scaled = at_common_size(load_pixels(picture))
    meters = []
    for name, function in ATTRIBUTES.items():
        value = function(scaled)
        above = sum(other < round(value, 1) for other in MEASURED[name])
        meters.append(Meter(name, value, above, len(MEASURED[name])))
    return tuple(meters)


def at_common_size(image: Image.Image) -> Image.Image:
    """The image no larger than `LONGEST_SIDE`; a smaller one stays, for enlarging it adds no detail."""
    scale = LONGEST_SIDE / max(image.size)
    if scale >= 1:
        return image
    width, height = (max(1, round(side * scale)) for side in image.size)
    return image.resize((width, height), Image.Resampling.LANCZOS)


def fine_detail(image: Image.Image) -> float:
    """Sharpness from 0 to 100: how much of the steps between neighbouring pixels a blur takes away.

    One less the blur of F. Crete et al., "The blur effect" (2007): a blurred photo has little that a blur could take.
    Unlike the strength of edges it does not follow contrast, or how much of the photo is sky.
    """
    grey, kept = np.asarray(image.convert("L"), dtype=float), []
    for axis in (0, 1):
        steps = np.abs(np.diff(grey, axis=axis))
        blurred = np.abs(np.diff(ndimage.uniform_filter1d(grey, _BLUR, axis=axis), axis=axis))
        kept.append(np.maximum(0, steps - blurred).sum() / total if (total := steps.sum()) else 0.0)
    return 100 * float(min(kept))


ATTRIBUTES: Mapping[str, Callable[[Image.Image], float]] = {**MEASURES, "sharpness": fine_detail}


class WeighedCaption(NamedTuple):
    """Two opposite captions, and the probability of the first against the second."""

    more: str
    """Such as "Bright photo."."""
    share: float
    less: str

    @property
    def nearer(self) -> tuple[str, float, str]:
        """The caption that is nearer to the photo, its probability, and the other."""
        if self.share >= _EVEN:
            return self.more, self.share, self.less
        return self.less, 1 - self.share, self.more


def weigh_captions(runner: LiveRunner, picture: Picture) -> dict[str, WeighedCaption]:
    """An encoder's view, CLIP-IQA's way (https://arxiv.org/abs/2207.12396), at CLIP's own temperature."""
    pairs = {name: prompts.OPPOSITE_CAPTIONS[_CAPTIONS.get(name, name)] for name in MEASURES}
    words = tuple(word for pair in pairs.values() for word in pair)
    response = runner.ask(Prompt("words", (picture,), words=words))
    return {
        name: WeighedCaption(more, float(expit(response.logits[more] - response.logits[less])), less)
        for name, (more, less) in pairs.items()
        if more in response.logits and less in response.logits
    }
