"""A fake model with habits one can set, known to all tests by the name `scripted`.

`scripted` judges quality by sharpness, a plain function of the pixels, and answers every question with the first
option. After a colon come habits, separated by commas: `first` or `second` (always that image or caption of several),
`tie`, `yes` or `no`, `letter=B`, `noise=0.5` (how often a comparison is decided by chance, fixed for what is compared
in its order), `silent` (never a usable answer). It embeds an image as its mean colour. As a judge it gives every
answer mark 1, and takes every unread reply for its letter. Its name in records, `scripted:HABITS`, says that it is no
model. `python -m tests.scripted MODULE …` runs a module that knows it.
"""

from __future__ import annotations

import hashlib
import re
import runpy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qbench.errors import DataError, UserError
from qbench.images import load_pixels
from qbench.models import Model, ModelOptions
from qbench.models.builtin import BUILTIN, BuiltinModel
from qbench.records import Picture, Prompt, Response, Want

HABITS = ("first", "second", "tie", "yes", "no", "silent")
HABITS_WITH_VALUE = ("letter", "noise")
_OPTION = re.compile(r"(?<!\S)([A-Z])\. (.+?)(?=\s+[A-Z]\. |\s*(?:\n|\Z))")
_SHOWN = re.compile(r"\([A-Z]\) ?(?:Image|Caption) \d")
"""An option of UniSim-Bench's instructions, which stands for what was shown."""
_LABEL = "#Answer: "
_GOOD, _POOR = frozenset(["excellent", "good", "fine", "high"]), frozenset(["poor", "bad", "low"])
_SAID = {"first": "The first image.", "second": "The second image.", "tie": "Both look the same."}


@dataclass(frozen=True)
class Scripted(Model):
    """Deterministic: the same prompt always gets the same response."""

    habits: frozenset[str]
    letter: str = "A"
    noise: float = 0.0
    argument: str = ""
    batch_size: int = 16

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"scripted:{self.argument}" if self.argument else "scripted"

    @property
    def wants(self) -> frozenset[Want]:  # type: ignore[override]
        return frozenset({"text", "words", "losses", "embedding", "score"})

    @property
    def identity(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {"scripted": self.argument, "version": 1}

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer each prompt by script."""
        return [self._respond(prompt) for prompt in prompts]

    def _respond(self, prompt: Prompt) -> Response:
        pictures = [part for part in prompt.parts if isinstance(part, Picture)]
        try:
            if prompt.want == "score":
                return Response(score=self._quality(pictures[0]))
            if prompt.want == "embedding":
                return self._embed(prompt, pictures)
            if prompt.want == "losses":
                picked = self._pick([word.removeprefix(_LABEL) for word in prompt.words])
                return Response(losses={word: float(place != picked) for place, word in enumerate(prompt.words)})
            if prompt.want == "words":
                return Response(logits=self._logits(prompt, pictures))
            return Response(text=self._text(prompt, pictures))
        except DataError as error:
            return Response(failure=str(error))

    def _logits(self, prompt: Prompt, pictures: Sequence[Picture]) -> dict[str, float]:
        if set(prompt.words) == {"A", "B"} and len(pictures) == 2 and _compares(prompt):
            chosen = self._choice(pictures)
            return {"A": float(chosen in ("first", "tie")), "B": float(chosen in ("second", "tie"))}
        if all(re.fullmatch("[A-Z]", word) for word in prompt.words):
            if count := len(_SHOWN.findall(_text_of(prompt))):
                place = self._place(prompt, pictures, count)
                return {word: float(place in (None, number)) for number, word in enumerate(prompt.words)}
            picked = self._pick([text for _, text in _OPTION.findall(_text_of(prompt))])
            return {word: float(place == picked) for place, word in enumerate(prompt.words)}
        quality = self._quality(pictures[0])
        said = {word: frozenset(re.findall(r"\w+", word.casefold())) for word in prompt.words}
        return {word: quality * (bool(said[word] & _GOOD) - bool(said[word] & _POOR)) for word in prompt.words}

    def _text(self, prompt: Prompt, pictures: Sequence[Picture]) -> str:
        asked = _text_of(prompt)
        if "silent" in self.habits:
            return "I'm sorry, but I can't tell."
        if asked.endswith("Result:"):
            return "Result: 1"
        if asked.endswith("Score:"):
            return "Score: 1"
        if asked.endswith("Your output:"):
            return self.letter
        if _compares(prompt):
            return _SAID[self._choice(pictures)]
        if count := len(_SHOWN.findall(asked)):
            place = self._place(prompt, pictures, count)
            return _SAID["tie"] if place is None else f"({chr(ord('A') + place)})"
        if options := [text for _, text in _OPTION.findall(asked)]:
            return f"{chr(ord('A') + self._pick(options))}."
        if "from 1 to 5" in asked:
            return str(1 + round(4 * self._quality(pictures[0])))
        if "between 1 and 5" in asked:
            rating = f"<answer>{1 + 4 * self._quality(pictures[0]):.2f}</answer>"
            return rating if "only output" in asked else f"<think>It may be a 3, or a 4.</think>{rating}"
        return "The image is clear and sharp." if self._quality(pictures[0]) > 0.5 else "The image is blurry."

    def _pick(self, options: Sequence[str]) -> int:
        """Place of the option it takes: its yes or no, its letter, else the first."""
        plain = [option.casefold() for option in options]
        habit = next((word for word in ("yes", "no") if word in self.habits and word in plain), None)
        place = plain.index(habit) if habit else ord(self.letter) - ord("A")
        return place if place < len(options) else 0

    def _place(self, prompt: Prompt, pictures: Sequence[Picture], count: int) -> int | None:
        """Which of several it takes, whatever stands there; None for a tie."""
        if "tie" in self.habits:
            return None
        coin = _share(_text_of(prompt) + "".join(picture.sha256 for picture in pictures))
        if coin < self.noise:
            return int(coin / self.noise * count)
        place = 1 if "second" in self.habits else ord(self.letter) - ord("A")
        return place if place < count else 0

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
        """Between 0 and 1, from the mean absolute gradient of luminance."""
        grey = np.asarray(load_pixels(picture).convert("L"), dtype=np.float64)
        gradient = np.abs(np.diff(grey, axis=0)).mean() if grey.shape[0] > 1 else 0.0
        return float(gradient / (gradient + 8))

    def _embed(self, prompt: Prompt, pictures: Sequence[Picture]) -> Response:
        if len(pictures) != 1 or len(prompt.parts) != 1:
            return Response(failure="scripted embeds one image at a time and no text")
        if "silent" in self.habits:
            return Response()
        if "tie" in self.habits:
            return Response(embedding=(1.0,), note="the same for every image")
        colour = np.asarray(load_pixels(pictures[0]), dtype=np.float64).mean(axis=(0, 1)) - 127.5
        return Response(embedding=tuple(colour.tolist()), note="mean colour less mid-grey")


def open_scripted(_name: str, argument: str, _options: ModelOptions) -> Model:
    """The fake with the habits named in the argument."""
    habits: set[str] = set()
    settings: dict[str, str] = {}
    for word in filter(None, argument.split(",")):
        name, _, value = word.partition("=")
        if name in HABITS and not value:
            habits.add(name)
        elif name in HABITS_WITH_VALUE and value:
            settings[name] = value
        else:
            raise UserError(f"scripted has no habit {word!r}; it has {', '.join(HABITS)}, letter=B and noise=0.5")
    noise, letter = float(settings.get("noise", 0)), settings.get("letter", "A").upper()
    return Scripted(frozenset(habits), letter, noise, argument)


def _text_of(prompt: Prompt) -> str:
    return "\n".join(part for part in prompt.parts if isinstance(part, str))


def _compares(prompt: Prompt) -> bool:
    asked = _text_of(prompt)
    return "better visual quality" in asked or ("better quality" in asked and _SHOWN.search(asked) is not None)


def _share(text: str) -> float:
    """A number in [0, 1) that looks random and depends on the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


class _Fake(BuiltinModel):
    """It counts as weights that are at hand, so that no sentence recommends it."""

    is_installed = property(lambda _self: True)  # type: ignore[assignment]


def add_scripted() -> None:
    """Let the fake open by name in this process."""
    wants = frozenset[Want]({"text", "words", "losses", "embedding", "score"})
    fake = _Fake("scripted", "tests.scripted", open_scripted.__name__, wants, "HABITS", has_weights=True)
    BUILTIN.setdefault(fake.name, fake)  # type: ignore[attr-defined]


if __name__ == "__main__":
    add_scripted()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
