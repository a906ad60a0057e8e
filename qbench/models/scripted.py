"""A fake model with habits one can set: for tests, demos, and seeing what a habit does to a score.

`scripted` judges quality by sharpness, a plain function of the pixels, and answers every question with the first
option. After a colon come habits, separated by commas: `first` or `second` (always that image), `tie`, `yes` or `no`,
`letter=B`, `noise=0.5` (how often a comparison is decided by a coin, fixed for a pair in its order), `silent` (never
a usable answer), `blind` (quality from the file's digest instead of its pixels).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qbench.errors import UserError
from qbench.images import load_pixels
from qbench.models import Model, ModelOptions
from qbench.records import Picture, Prompt, Response, Want

HABITS = ("first", "second", "tie", "yes", "no", "silent", "blind")
SETTINGS = ("letter", "noise")
_SAID = {"first": "The first image.", "second": "The second image.", "tie": "Both look the same."}


@dataclass(frozen=True)
class Scripted:
    """Deterministic: the same prompt always gets the same response."""

    habits: frozenset[str]
    letter: str = "A"
    noise: float = 0.0
    argument: str = ""
    batch_size: int = 16

    @property
    def name(self) -> str:
        return f"scripted:{self.argument}" if self.argument else "scripted"

    @property
    def wants(self) -> frozenset[Want]:
        return frozenset({"text", "words", "losses", "score"})

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"scripted": self.argument, "version": 1}

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer each prompt by script."""
        return [self._respond(prompt) for prompt in prompts]

    def _respond(self, prompt: Prompt) -> Response:
        pictures = [part for part in prompt.parts if isinstance(part, Picture)]
        if "silent" in self.habits and prompt.want == "text":
            return Response(text="I'm sorry, but I can't tell.")
        if prompt.want == "score":
            return Response(score=self._quality(pictures[0]))
        if prompt.want == "losses":
            return Response(losses={word: float(place) for place, word in enumerate(prompt.words)})
        if prompt.want == "words":
            return Response(logits=self._logits(prompt, pictures))
        return Response(text=self._text(prompt, pictures))

    def _logits(self, prompt: Prompt, pictures: Sequence[Picture]) -> dict[str, float]:
        if set(prompt.words) == {"A", "B"} and len(pictures) == 2:
            chosen = self._choice(pictures)
            return {"A": float(chosen in ("first", "tie")), "B": float(chosen in ("second", "tie"))}
        if all(re.fullmatch("[A-Z]", word) for word in prompt.words):
            return {word: float(word == self.letter) for word in prompt.words}
        good = self._quality(pictures[0])
        weights = {"good": good, "fine": good, "high": good, "poor": -good, "bad": -good, "low": -good}
        return {word: weights.get(word, 0.0) for word in prompt.words}

    def _text(self, prompt: Prompt, pictures: Sequence[Picture]) -> str:
        asked = " ".join(part for part in prompt.parts if isinstance(part, str))
        if asked.endswith("Result:"):
            return "Result: 1"
        if asked.endswith("Score:"):
            return "Score: 1"
        if "better visual quality" in asked:
            return _SAID[self._choice(pictures)]
        options = dict(re.findall(r"^([A-Z])\. (.+)$", asked, flags=re.MULTILINE))
        if options:
            habit = next((word for word in ("yes", "no") if word in self.habits), None)
            wanted = next((key for key, text in options.items() if habit and text.casefold() == habit), self.letter)
            return f"{wanted}." if wanted in options else "A."
        if "from 1 to 5" in asked:
            return str(1 + round(4 * self._quality(pictures[0])))
        return "The image is clear and sharp." if self._quality(pictures[0]) > 0.5 else "The image is blurry."

    def _choice(self, pictures: Sequence[Picture]) -> str:
        habit = next((word for word in ("first", "second", "tie") if word in self.habits), None)
        if habit:
            return habit
        coin = _share("".join(picture.sha256 for picture in pictures))
        if coin < self.noise:
            return "first" if coin < self.noise / 2 else "second"
        first, second = (self._quality(picture) for picture in pictures)
        return "tie" if first == second else "first" if first > second else "second"

    def _quality(self, picture: Picture) -> float:
        """Between 0 and 1: mean absolute gradient of luminance, or a hash of the file."""
        if "blind" in self.habits:
            return _share(picture.sha256)
        grey = np.asarray(load_pixels(picture).convert("L"), dtype=np.float64)
        gradient = np.abs(np.diff(grey, axis=0)).mean() if grey.shape[0] > 1 else 0.0
        return float(gradient / (gradient + 8))


def scripted(argument: str, _options: ModelOptions) -> Model:
    """The fake with the habits named in the argument."""
    habits: set[str] = set()
    settings: dict[str, str] = {}
    for word in filter(None, argument.split(",")):
        name, _, value = word.partition("=")
        if name in HABITS and not value:
            habits.add(name)
        elif name in SETTINGS and value:
            settings[name] = value
        else:
            raise UserError(f"scripted has no habit {word!r}; it has {', '.join(HABITS)}, letter=B and noise=0.5")
    try:
        noise = float(settings.get("noise", 0))
    except ValueError:
        raise UserError(f"noise is {settings['noise']!r}; give a share between 0 and 1") from None
    return Scripted(frozenset(habits), settings.get("letter", "A").upper(), noise, argument)


def _share(text: str) -> float:
    """A number in [0, 1) that looks random and depends on the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
