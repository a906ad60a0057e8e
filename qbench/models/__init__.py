"""Models behind one protocol, which says what can be asked of each: prompts in, responses out.

A name is a short one from `builtin`, a Hub id, or a folder with a checkpoint. Nothing is imported or downloaded until
`open_model` is called, and heavy libraries only inside the file that needs them. No model knows a dataset or a task.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qbench.errors import UserError
from qbench.models.builtin import BUILTIN, find_builtin
from qbench.models.catalogue import ModelFacts, find_model, suggest
from qbench.models.retrying import RETRIES
from qbench.records import Prompt, Response, Want

DEVICES = ("auto", "cpu", "cuda", "mps", "split")
Price = tuple[float, float]
"""Of a million tokens that a model reads, and of a million that it writes."""


class Model:
    """What every model offers."""

    name: str
    """In records."""
    wants: frozenset[Want]
    """What it can be asked for."""
    identity: Mapping[str, Any]
    """Everything about the model that can change an answer: id, revision, precision, backend and its version."""
    batch_size: int = 1
    """How many prompts are best asked at once."""
    workers: int = 1
    """How many threads may sensibly ask it at once."""
    retries: int = RETRIES
    """How often it is asked again after a fault that can pass."""
    price: Price | None = (0.0, 0.0)
    """None where it is not known what an answer costs; a model on this machine takes no money."""

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts that all want the same, in order.

        A prompt that fails alone becomes a Response with `failure`. Running out of memory raises `MemoryError`, so
        that the runner can halve the batch; a provider that is down raises `ProviderError`.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Properties:
    """What a model says about itself, as plain data; see `Model`."""

    name: str
    wants: frozenset[Want]
    identity: Mapping[str, Any]
    batch_size: int
    workers: int


def properties_of(model: Model) -> Properties:
    """What a model says about itself."""
    return Properties(model.name, model.wants, dict(model.identity), model.batch_size, model.workers)


class ModelElsewhere(Model):
    """In a queue that others wait in too, or in another process: says what the model says that stands behind it."""

    price = None
    _properties: Properties
    name: Any = property(lambda self: self._properties.name)
    wants: Any = property(lambda self: self._properties.wants)
    identity: Any = property(lambda self: self._properties.identity)
    batch_size: Any = property(lambda self: self._properties.batch_size)
    workers: Any = property(lambda self: self._properties.workers)


@dataclass(frozen=True)
class RayOptions:
    """Where a model runs in several actors."""

    address: str = "auto"
    """Of the cluster; "auto" is the one that is here, or else this machine."""
    actors: int | None = None
    """How many; None is as many as the GPUs allow, or one."""
    gpus_per_actor: float | None = None
    """None is one, where the cluster has any."""


@dataclass(frozen=True)
class ModelOptions:
    """How to open a model; every field can change what it costs, and what can change answers enters its identity."""

    device: str = "auto"
    endpoints: tuple[str, ...] = ()
    """Base URLs of OpenAI-compatible servers; set, the model is asked there."""
    serve: bool = False
    """Whether vLLM is started here to serve the model: only for whoever runs the program."""
    gpus: int | None = None
    """How many GPUs vLLM spreads the model over; None is one."""
    workers: int | None = None
    """How many prompts the servers are asked at once; None lets the number follow what they can do."""
    retries: int | None = None
    """How often a server that is busy or down is asked again; None is the usual."""
    timeout: float | None = None
    """Seconds that a server may take for an answer; None is the usual."""
    price: Price | None = None
    """What servers ask, for those that do not tell the cost of an answer."""
    batch: Path | None = None
    """File where batches are noted; set, a server is asked by these."""
    template: dict[str, Any] = field(default_factory=dict)
    """Arguments of the model's chat template, such as `{"enable_thinking": False}`."""
    revision: str | None = None
    remote_code: bool = False
    """Whether to run code that comes with a checkpoint: only when the person running the command says so."""
    ray: RayOptions | None = None
    watch: Callable[[str], object] = str
    """Told, in a sentence, what opening a model waits for."""


def open_model(name: str, options: ModelOptions | None = None) -> Model:
    """Open a model by short name, Hub id or folder.

    Raises:
        UserError: Nobody goes by that name (near misses are listed), or it cannot be run as asked.
    """
    options = options or ModelOptions()
    if options.gpus is not None and not options.serve:
        raise UserError("--gpus is for --model vllm/NAME, which vLLM serves here on so many GPUs; leave it out")
    if options.ray:
        if options.endpoints:
            raise UserError("a server runs where it runs; leave out --ray")
        from qbench.models.on_ray import ModelOnRay

        return ModelOnRay(name, options)
    if options.endpoints or options.serve:
        if options.revision and not options.serve:
            raise UserError("a server runs the revision that it was started with; leave out --revision")
        from qbench.models.openai import open_endpoint

        return open_endpoint(name, options)
    refuse_server_options(options)
    model = _open_here(name, options)
    if options.revision and not model.identity.get("revision"):
        raise UserError(f"{model.name} is not from the Hub and has no revisions; leave out --revision")
    if options.template and "template" not in model.identity:
        raise UserError(f"{model.name} has no chat template, so {', '.join(options.template)} cannot be set")
    return model


def refuse_server_options(options: ModelOptions) -> None:
    """Refuse what is for servers, and would only seem to count for a model on this machine."""
    for name in ("workers", "retries", "timeout", "price", "batch"):
        if getattr(options, name) is not None:
            raise UserError(f"--{name} is for servers, and this model runs on this machine; leave it out")


def _open_here(name: str, options: ModelOptions) -> Model:
    builtin, argument = find_builtin(name), name.partition(":")[2]
    if builtin:
        if argument and not builtin.argument:
            raise UserError(
                f"{builtin.name} takes nothing after its name, so {argument!r} has no meaning; write {builtin.name}"
            )
        opening = getattr(importlib.import_module(builtin.module), builtin.function)
        model: Model = opening(builtin.name, argument, options)
        return model
    facts, is_folder = find_model(name), bool(name) and Path(name).is_dir()
    source = name if is_folder or "/" in name else facts.hub if facts else None
    if not source or (facts and facts.serve and not is_folder and not options.remote_code):
        raise UserError(_why_not(name, facts))
    from qbench.models.checkpoint import open_checkpoint

    return open_checkpoint(source, options)


def _why_not(name: str, facts: ModelFacts | None) -> str:
    """Why a name opens nothing, and what can be done."""
    if facts and facts.kind in ("human", "reference"):
        return f"{facts.name} is known by published figures alone and is no model that could be asked; choose a model"
    if facts and facts.id not in BUILTIN and facts.pyiqa and not facts.serve:
        return (
            f"{facts.name} runs through the package pyiqa (its licence is non-commercial): --model pyiqa:{facts.pyiqa}"
        )
    if facts and facts.address:
        return (
            f"the weights of {facts.name} are closed: it is asked at its maker's server, unless it was withdrawn "
            f"since, with --endpoint {facts.address} --model {facts.asked_as}"
        )
    if facts and facts.id not in BUILTIN:
        unknown = "Its weights are closed" if facts.open is False else "It is known by its published figures alone"
        why = facts.serve or unknown
        own_code = " Read that code and allow it with --remote-code, or ask" if "from the Hub" in why else " Ask"
        return (
            f"{facts.name} cannot be opened by name. {why.rstrip('.')}.{own_code} a server that has it (--endpoint URL)"
        )
    short = [builtin.usage for builtin in BUILTIN.values() if builtin.opens_alone]
    near = [usage for usage in short if name and name.casefold() in usage]
    known = {model: find_model(model) for model in suggest(name)}
    near += [model for model, its in known.items() if model in BUILTIN or (its and its.hub and not its.serve)]
    hint = f"did you mean {' or '.join(dict.fromkeys(near))}?" if near else f"known short names are {', '.join(short)}."
    return f"no model is called {name!r}: {hint} A Hub id (owner/name) or a folder works too."
