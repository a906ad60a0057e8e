"""Models behind one protocol: prompts in, responses out, and a declaration of what can be asked.

A name is a short one from `BUILTIN`, a Hub id, or a folder with a checkpoint. Nothing is imported or downloaded until
`open_model` is called, and heavy libraries only inside the backend file that needs them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from qbench.errors import UserError
from qbench.models.catalogue import find, suggest
from qbench.records import Prompt, Response, Want


class Model(Protocol):
    """What every backend offers. It never knows which dataset or task is running.

    A backend may also have `workers`, how many threads may sensibly ask it at once, and `expect(prompts)`, which tells
    it before a `respond` what it will be asked after that.
    """

    @property
    def name(self) -> str:
        """The model's name in records."""

    @property
    def wants(self) -> frozenset[Want]:
        """What it can be asked for."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything about the model that can change an answer: id, revision, precision, backend and its version."""

    @property
    def batch_size(self) -> int:
        """How many prompts are best asked at once."""

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts that all want the same, in order.

        A prompt that fails alone becomes a Response with `failure`. Running out of memory raises `MemoryError`, so
        that the runner can halve the batch; a provider that is down raises `ProviderError`.
        """


@dataclass(frozen=True)
class ModelOptions:
    """How to open a model; every field can change what it costs, and what can change answers enters its identity."""

    device: str = "auto"
    endpoints: tuple[str, ...] = ()
    """Base URLs of OpenAI-compatible servers; set, the model is asked there."""
    workers: int | None = None
    """How many prompts the servers are asked at once; None is 8 for each server."""
    template: dict[str, Any] = field(default_factory=dict)
    """Arguments of the model's chat template, such as `{"enable_thinking": False}`."""
    revision: str | None = None
    remote_code: bool = False
    """Whether to run code that comes with a checkpoint: only when the person running the command says so."""


BUILTIN: Mapping[str, tuple[str, str]] = {
    "nano-vlm": ("qbench.models.nano", "nano_vlm"),
    "nano-clip": ("qbench.models.nano", "nano_clip"),
    "niqe": ("qbench.models.classical", "niqe"),
    "sharpness": ("qbench.models.classical", "sharpness"),
    "colourfulness": ("qbench.models.classical", "colourfulness"),
    "contrast": ("qbench.models.classical", "contrast"),
    "brightness": ("qbench.models.classical", "brightness"),
    "scripted": ("qbench.models.scripted", "scripted"),
}
"""Short name -> (module, function that takes `(argument, ModelOptions)`); "name:argument" passes the argument on."""
_SCORES: frozenset[Want] = frozenset({"score"})
WANTS: Mapping[str, frozenset[Want]] = {
    "nano-vlm": frozenset({"text", "words", "losses", "embedding"}),
    "nano-clip": frozenset({"embedding", "words"}),
    "niqe": _SCORES,
    "sharpness": _SCORES,
    "colourfulness": _SCORES,
    "contrast": _SCORES,
    "brightness": _SCORES,
    "scripted": frozenset({"text", "words", "losses", "embedding", "score"}),
}
"""What the models of `BUILTIN` can be asked for, known without opening them."""


def open_model(name: str, options: ModelOptions | None = None) -> Model:
    """Open a model by short name, Hub id or folder.

    Raises:
        UserError: Nobody goes by that name (near misses are listed), or it cannot be run as asked.
    """
    options = options or ModelOptions()
    if options.endpoints:
        if options.revision:
            raise UserError("a server runs the revision that it was started with; leave out --revision")
        return _built("qbench.models.endpoint", "endpoint", name, options)
    if options.workers is not None:
        raise UserError("--workers is for servers; a model on this machine answers in batches, one after the other")
    model = _open_here(name, options)
    if options.revision and not model.identity.get("revision"):
        raise UserError(f"{model.name} is not from the Hub and has no revisions; leave out --revision")
    if options.template and "template" not in model.identity:
        raise UserError(f"{model.name} has no chat template, so {', '.join(options.template)} cannot be set")
    return model


def takes_device(name: str) -> bool:
    """Whether a model computes where `ModelOptions.device` says; our own measures have no weights."""
    return "score" not in WANTS.get(name.partition(":")[0], ())


def _open_here(name: str, options: ModelOptions) -> Model:
    short, _, argument = name.partition(":")
    if short in BUILTIN:
        return _built(*BUILTIN[short], argument, options)
    if short == "pyiqa":
        return _built("qbench.models.classical", "pyiqa_metric", argument, options)
    if name and (Path(name).is_dir() or "/" in name):
        return _built("qbench.models.checkpoint", "checkpoint", name, options)
    facts = find(name)
    if facts and facts.hub:
        return _built("qbench.models.checkpoint", "checkpoint", facts.hub, options)
    if facts and facts.serve:
        raise UserError(f"{facts.name} cannot be loaded directly: {facts.serve}")
    near = [*(one for one in BUILTIN if name.casefold() in one), *suggest(name)]
    hint = f"did you mean {' or '.join(near)}" if near else f"known short names are {', '.join(BUILTIN)}"
    raise UserError(f"no model is called {name!r}: {hint}? A Hub id (owner/name) or a folder works too.")


def _built(module: str, function: str, argument: str, options: ModelOptions) -> Model:
    made: Model = getattr(importlib.import_module(module), function)(argument, options)
    return made
