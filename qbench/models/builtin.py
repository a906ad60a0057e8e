"""The table of models that open by a short name: what each is called, which module has it, what it can be asked for.

A new one takes its module, with a function `(name, argument, options) -> Model`, and a line here. The command line, the
app and the messages about what a model cannot do read this table; nothing is imported before a model is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qbench.assets import assets_folder
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


_IQA, _NANO, _CLASSICAL = (f"qbench.models.{module}" for module in ("iqa.model", "nano", "classical"))
_WRITES: frozenset[Want] = frozenset({"text", "words", "losses", "embedding"})
_COMPARES: frozenset[Want] = frozenset({"embedding", "words"})
_SCORES: frozenset[Want] = frozenset({"score"})
_LOCATES: frozenset[Want] = frozenset({"score", "map"})
BUILTIN: Mapping[str, BuiltinModel] = {
    model.name: model
    for model in (
        BuiltinModel("nano-iqa", _IQA, "open_iqa", _LOCATES, argument="FOLDER", uses_device=True, has_weights=True),
        BuiltinModel("nano-vlm", _NANO, "open_nano", _WRITES, uses_device=True, has_weights=True),
        BuiltinModel("nano-clip", _NANO, "open_nano", _COMPARES, uses_device=True, has_weights=True),
        BuiltinModel("niqe", _CLASSICAL, "open_niqe", _SCORES, argument="FILE"),
        BuiltinModel("sharpness", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("colourfulness", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("contrast", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("brightness", _CLASSICAL, "open_measure", _SCORES),
        BuiltinModel("pyiqa", _CLASSICAL, "open_pyiqa", _SCORES, "NAME", opens_alone=False, uses_device=True),
    )
}
"""Short name -> model, in the order in which they are listed."""
_KINDS: Mapping[Want, tuple[str, ...]] = {
    "text": ("vision-language checkpoints", "servers"),
    "words": ("vision-language checkpoints", "servers that report log-probabilities"),
    "losses": ("vision-language checkpoints", "vLLM servers"),
    "embedding": ("CLIP, SigLIP and BLIP checkpoints here or at a server, and for images alone LLaVA ones",),
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
