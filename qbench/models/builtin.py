"""The table of models that open by a short name: what each is called, which module has it, what it can be asked for.

A new one takes its module, with a function `(name, argument, options) -> Model`, and a line here. The command line, the
app and the messages about what a model cannot do read this table; nothing is imported before a model is opened. Of the
models that come with the project, size, agreement with people and reference scores are known here too.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from qbench.assets import assets_folder
from qbench.errors import UserError
from qbench.records import Want

WEIGHTS_FOLDER = assets_folder()
"""Where the models that come with the project have a folder of their name each."""


@dataclass(frozen=True)
class BuiltinModel:
    """A model that opens by a short name, alone or with an argument after a colon."""

    name: str
    module: str
    function: str
    """Of the module; takes `(name, argument, ModelOptions)`."""
    wants: frozenset[Want]
    """What it can be asked for, known without opening it."""
    argument: str = ""
    """What may follow the colon, such as NAME in `pyiqa:NAME`; empty where nothing may."""
    opens_alone: bool = True
    """Whether the name without an argument is a model."""
    uses_device: bool = False
    """Whether it computes on the device in `ModelOptions`."""
    has_weights: bool = False
    """Whether it is a checkpoint in `WEIGHTS_FOLDER`."""

    @property
    def usage(self) -> str:
        """How it is written on the command line, such as `pyiqa:NAME`."""
        return self.name if self.opens_alone else f"{self.name}:{self.argument}"

    @property
    def is_installed(self) -> bool:
        """Whether its weights, where it needs some, are part of this installation."""
        return not self.has_weights or (WEIGHTS_FOLDER / self.name).is_dir()


_IQA, _NANO, _CLASSICAL = (f"qbench.models.{module}" for module in ("iqa.scorer", "checkpoint", "classical"))
_WRITES: frozenset[Want] = frozenset({"text", "words", "losses", "embedding"})
_COMPARES: frozenset[Want] = frozenset({"embedding", "words"})
_SCORES: frozenset[Want] = frozenset({"score"})
_LOCATES: frozenset[Want] = frozenset({"score", "map"})
BUILTIN: Mapping[str, BuiltinModel] = {
    model.name: model
    for model in (
        BuiltinModel("nano-iqa", _IQA, "open_iqa", _LOCATES, argument="FOLDER", uses_device=True, has_weights=True),
        BuiltinModel("nano-vlm", _NANO, "open_embedded", _WRITES, uses_device=True, has_weights=True),
        BuiltinModel("nano-clip", _NANO, "open_embedded", _COMPARES, uses_device=True, has_weights=True),
        BuiltinModel("niqe", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("sharpness", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("colourfulness", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("contrast", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("brightness", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("pyiqa", _CLASSICAL, "open_pyiqa", _SCORES, "NAME", opens_alone=False, uses_device=True),
    )
}
"""Short name -> model, in the order in which they are listed."""
_TRAINING = {
    "nano-iqa": "nano-vlm's vision encoder with heads that we trained on damaged photos and people's ratings of damage",
    "nano-vlm": "trained by us on damaged photos, from a vision encoder with ImageNet weights",
    "nano-clip": "nano-vlm's vision encoder with a text encoder that we trained on damaged photos",
}
"""As pages say it; the text in `summary.json` stays as it is, since a model's files are its identity in records."""
_KINDS: Mapping[Want, tuple[str, ...]] = {
    "text": ("vision-language checkpoints", "servers"),
    "words": ("vision-language checkpoints", "servers that report log-probabilities"),
    "losses": ("vision-language checkpoints", "vLLM servers"),
    "embedding": ("CLIP, SigLIP and BLIP checkpoints, and for images alone LLaVA ones",),
    "score": ("nano-iqa",),
    "map": ("nano-iqa",),
}
"""What a model may be asked for -> kinds of checkpoints and servers that can be."""


def find_builtin(source: str) -> BuiltinModel | None:
    """The model of a short name, with or without an argument after a colon; None for a Hub id, a folder or no model."""
    return BUILTIN.get(source.partition(":")[0])


def uses_device(source: str) -> bool:
    """Whether a model computes where `ModelOptions.device` says; the simple measures have no weights to put there."""
    model = find_builtin(source)
    return model is None or model.uses_device


def models_offering(want: Want) -> str:
    """Every kind of model that can be asked for this, for a sentence: "vision-language checkpoints and servers"."""
    short = (model.usage for model in BUILTIN.values() if want in model.wants and not model.has_weights)
    names = [*_KINDS[want], *short]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def checkpoint_source(name: str) -> str:
    """Where a checkpoint is: the folder of one that comes with the project; any other name as it stands."""
    model = BUILTIN.get(name)
    if model is None or not model.has_weights:
        return name
    folder = WEIGHTS_FOLDER / name
    if not model.is_installed:
        raise UserError(f"{name} is not at {folder}: run from a clone of the project, where it lies")
    return str(folder)


@dataclass(frozen=True)
class Agreement:
    """Rank correlation of a model's scores with people's, and its 95 % interval."""

    on: str
    """What people rated."""
    srcc: float
    low: float
    high: float


@dataclass(frozen=True)
class EmbeddedModel:
    """One model of `assets/`, in a sentence."""

    name: str
    megabytes: float
    """Of its weights."""
    training: str
    people: Agreement


@dataclass(frozen=True)
class ReferenceScores:
    """A model's scores of a stated set of pictures, the lowest first."""

    title: str
    scores: tuple[float, ...]

    def below(self, score: float) -> int:
        """How many pictures of the set score lower."""
        return bisect_left(self.scores, score)


def embedded_model(name: str) -> EmbeddedModel | None:
    """What is known of a model that comes with the project; None for any other."""
    known = _read(name, "summary.json")
    if known is None:
        return None
    folder = WEIGHTS_FOLDER / name
    size = sum(path.stat().st_size for path in folder.glob("*.safetensors")) / 1e6
    return EmbeddedModel(name, size, _TRAINING[name], Agreement(**known["people"]))


def reference_scores(name: str) -> ReferenceScores | None:
    """The scores that come with a model; None where it has none."""
    known = _read(name, "reference.json")
    return ReferenceScores(known["title"], tuple(known["scores"])) if known else None


@cache
def _read(name: str, file: str) -> dict[str, Any] | None:
    path = WEIGHTS_FOLDER / name / file
    if name not in BUILTIN or not path.is_file():
        return None
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
