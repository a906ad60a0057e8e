"""The owner's list of models that visitors may ask; no name that is not on it is ever opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from qbench.models import ModelOptions
from qbench.models.builtin import find_builtin, uses_device
from qbench.models.catalogue import find_model
from qbench.records import Want

_SERVED: frozenset[Want] = frozenset({"text", "words", "losses", "embedding"})
"""What servers give at most: those of encoders only vectors and words, the others no vectors."""


@dataclass(frozen=True)
class ModelOffer:
    """A model that visitors may ask."""

    name: str
    """As it is asked for; a folder is offered by its last part."""
    source: str
    """What `open_model` gets."""
    takes: Literal["memory", "time", "nothing"]
    """What it takes of this machine's device: memory for weights, only time, or nothing because it is elsewhere."""
    options: ModelOptions = field(default_factory=ModelOptions)
    wants: frozenset[Want] | None = None
    """The most it can be asked for; None where that is not known before it is opened."""

    def on(self, device: str) -> ModelOffer:
        """The same model on a device of this machine; one that has no weights here stays as it is."""
        return replace(self, options=replace(self.options, device=device)) if self.takes == "memory" else self

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the same model on another device."""
        return self.name, self.options.device


@dataclass(frozen=True)
class ModelOffers:
    """What is offered, in the owner's order, and why the rest of the list is not."""

    offered: Mapping[str, ModelOffer]
    absent: Mapping[str, str]


def read_offers(names: Sequence[str], endpoints: Sequence[str] = (), endpoint_model: str | None = None) -> ModelOffers:
    """Sort the owner's names into those that can be opened and those that cannot; nothing is opened yet.

    Args:
        names: Models of this machine.
        endpoints: Servers that have one model more.
        endpoint_model: That model.
    """
    offered: dict[str, ModelOffer] = {}
    absent: dict[str, str] = {}
    for source in names:
        name = Path(source).name if Path(source).is_dir() else source
        if reason := _why_not(source):
            absent[name] = reason
        else:
            builtin = find_builtin(source)
            takes: Literal["memory", "time"] = "memory" if uses_device(source) else "time"
            offered[name] = ModelOffer(name, source, takes, wants=builtin.wants if builtin else None)
    if endpoints and endpoint_model:
        options = ModelOptions(endpoints=tuple(endpoints))
        offered[endpoint_model] = ModelOffer(endpoint_model, endpoint_model, "nothing", options, _SERVED)
    return ModelOffers(offered, absent)


def _why_not(source: str) -> str | None:
    builtin, facts = find_builtin(source), find_model(source)
    if builtin and not builtin.is_installed:
        return "its weights are not part of this installation"
    if uses_device(source) and not find_spec("transformers"):
        return "PyTorch and Transformers are not installed (pip install 'qbench[models]')"
    if facts and facts.serve and not builtin and not Path(source).is_dir():
        return f"it cannot be loaded directly: {facts.serve}"
    if builtin or "/" in source or Path(source).is_dir() or (facts and facts.hub):
        return None
    return "no model of this name is part of this installation"
