"""How bright, colourful, contrasted and sharp a photo is, by measures without learning and in an encoder's view."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple

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
_ONE_AT_A_TIME = threading.Lock()
"""A measure of a large photo takes a gigabyte."""


@dataclass(frozen=True)
class Meter:
    """One attribute of a photo."""

    attribute: str
    value: float
    """As the model of this name scores it."""
    above: int
    """How many of the example photos have less."""
    of: int


def measure(picture: Picture) -> tuple[Meter, ...]:
    """The photo's attributes beside those of the example photos."""
    meters = []
    for name, function in MEASURES.items():
        with _ONE_AT_A_TIME:
            value = function(load_pixels(picture))
        above = sum(other < round(value, 1) for other in MEASURED[name])
        meters.append(Meter(name, value, above, len(MEASURED[name])))
    return tuple(meters)


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
