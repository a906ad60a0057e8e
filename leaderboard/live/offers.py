"""The owner's list of models that visitors may ask; no name that is not on it is ever opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from qbench.models import BUILTIN, WANTS, ModelOptions, nano, takes_device
from qbench.models.catalogue import find
from qbench.records import Want

DEFAULT = ("nano-vlm", "nano-clip", "niqe", "sharpness", "colourfulness", "contrast", "brightness")
_SERVED: frozenset[Want] = frozenset({"text", "words"})
"""What servers give at most."""


@dataclass(frozen=True)
class Offer:
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


@dataclass(frozen=True)
class Offers:
    """What is offered, in the owner's order, and why the rest of the list is not."""

    offered: Mapping[str, Offer]
    absent: Mapping[str, str]


def read_offers(names: Sequence[str], endpoint: str | None = None, endpoint_model: str | None = None) -> Offers:
    """Sort the owner's names into those that can be opened and those that cannot; nothing is opened yet."""
    offered: dict[str, Offer] = {}
    absent: dict[str, str] = {}
    for source in names:
        name = Path(source).name if Path(source).is_dir() else source
        if reason := _why_not(source):
            absent[name] = reason
        else:
            wants = WANTS.get(source.partition(":")[0])
            offered[name] = Offer(name, source, "memory" if takes_device(source) else "time", wants=wants)
    if endpoint and endpoint_model:
        options = ModelOptions(endpoints=(endpoint,))
        offered[endpoint_model] = Offer(endpoint_model, endpoint_model, "nothing", options, _SERVED)
    return Offers(offered, absent)


def _why_not(source: str) -> str | None:
    facts = find(source)
    short = source.partition(":")[0]
    if BUILTIN.get(short, ("",))[0] == nano.__name__ and not (nano.FOLDER / short).is_dir():
        return "its weights are not part of this installation"
    if short in (*BUILTIN, "pyiqa") or "/" in source or Path(source).is_dir() or (facts and facts.hub):
        return None
    return "no model of this name is part of this installation"
