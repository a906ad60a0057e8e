"""What is known about each model: the names it goes by, who made it, how it is built, where its weights are.

Results of one model come under many names: a paper's row, a folder of released logits, a Hub id. This catalogue joins
them. Architectures and release months are those of Q-Bench Table 6 (https://arxiv.org/abs/2309.14181), as printed
there, for the models in it; other facts are from the papers that report the model and from model cards.
"""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

ModelKind = Literal["model", "encoder", "metric", "classical", "human", "reference"]
"""A multimodal chat model; an image and text encoder; a learned metric; a hand-made one; people; random guess."""


@dataclass(frozen=True)
class ModelFacts:
    """One model as the catalogue knows it; None is unknown or does not apply."""

    id: str
    """The name in records and on the command line."""
    name: str
    """The name to show."""
    kind: ModelKind
    aliases: tuple[str, ...] = ()
    """Other spellings: in papers, file names and folders."""
    organisation: str | None = None
    parameters: float | None = None
    """Billions, nominal: from the model's own name where it states a size, else its makers' count or its language
    backbone's."""
    size: str | None = None
    """The size as the paper's row prints it, which is the language backbone's."""
    language: str | None = None
    language_type: str | None = None
    vision: str | None = None
    vision_pixels: int | None = None
    """Side of the square that images are resized to."""
    alignment: str | None = None
    """How vision features reach the language model."""
    released: str | None = None
    """YYYY-MM."""
    open: bool | None = None
    """Whether the weights (for a classical metric, the code) are public."""
    hub: str | None = None
    words: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {"positive": ("good",), "negative": ("poor",)}, hash=False
    )
    """Score words of the softmax strategy: the model's most frequent answers (Q-Bench A.2.3)."""
    serve: str | None = None
    """What is needed to run it where Transformers alone does not do."""
    address: str | None = None
    """Base URL of the server where its maker has it answer, for `--endpoint`."""
    asked_as: str | None = None
    """Its name at that server, for `--model`."""
    pyiqa: str | None = None
    """Its name in the package pyiqa, where that runs it: `--model pyiqa:NAME`."""
    images_seen: Mapping[str, float | None] = field(default_factory=dict, hash=False)
    """Dataset -> share of its images that the model was tuned on without their scores; None where it is not told."""
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Fact -> the public page that it was read from, where it is not the paper of the model's figures."""


@lru_cache(maxsize=1)
def load() -> tuple[ModelFacts, ...]:
    """Every model in the catalogue, sorted by id."""
    rows = json.loads(Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8"))
    return tuple(_read(row) for row in rows)


def find_model(name: str) -> ModelFacts | None:
    """The model that goes by this name, whatever its case, spacing and punctuation; None if nobody does."""
    return _names().get(_normalise(name))


def suggest(name: str) -> list[str]:
    """Ids of at most three models with a name close to this one, nearest first."""
    names = _names()
    near = difflib.get_close_matches(_normalise(name), names, n=9, cutoff=0.6)
    return list(dict.fromkeys(names[spelling].id for spelling in near))[:3]


def way_to_run(facts: ModelFacts) -> str:
    """How a model is run, in one line of a list; its kind where nothing says how."""
    if facts.pyiqa:
        return f"--model pyiqa:{facts.pyiqa} (the licence of that package is non-commercial)"
    if facts.address:
        return f"--endpoint {facts.address} --model {facts.asked_as}"
    unknown = "its weights are closed" if facts.open is False else f"{facts.kind}, known by its figures alone"
    return facts.serve or facts.hub or unknown


@lru_cache(maxsize=1)
def _names() -> dict[str, ModelFacts]:
    return {
        _normalise(name): facts
        for facts in load()
        for name in (facts.id, facts.name, *facts.aliases, facts.hub)
        if name is not None
    }


def _read(row: dict[str, Any]) -> ModelFacts:
    facts = {**row, "aliases": tuple(row.get("aliases", ()))}
    if "words" in row:
        facts["words"] = {side: tuple(words) for side, words in row["words"].items()}
    return ModelFacts(**facts)


def _normalise(name: str) -> str:
    """The letters, digits and plus signs of a name: LPIPS and LPIPS+ are two metrics."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", name).casefold() if sign.isalnum() or sign == "+")
