"""Models that visitors ask: the owner's list, one set of weights in memory, one batch of prompts at a time.

`LiveModels.lend` gives a model that the runner and the tasks can use like any other. It waits its turn before every
batch and gives the device back after it, so a long run and a short probe go on side by side.
"""

from __future__ import annotations

import gc
import importlib
import logging
import math
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from leaderboard.events import log_fault
from leaderboard.live.service.limits import Work
from leaderboard.live.service.turns import (
    MOST_GIVEN_UP,
    MOST_UNANSWERED,
    Batches,
    DeviceQueue,
    on_gpu,
    refusals_told,
    seconds_to_ask_for,
)
from qbench.cancelling import Cancelled
from qbench.errors import ProviderError, UserError
from qbench.models import Model, ModelElsewhere, ModelOptions, Properties, open_model, properties_of
from qbench.records import Prompt, Response, Want


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


@dataclass(frozen=True)
class ModelOffers:
    """What is offered, in the owner's order, and why the rest of the list is not."""

    offered: Mapping[str, ModelOffer]
    absent: Mapping[str, str]


ResultT = TypeVar("ResultT")
_Open = Callable[[str, ModelOptions], Model]
_ADDRESS = re.compile(r"https?://[^\s'\",;)]+")
LONGEST_BATCH = 60.0
"""Seconds that a model in memory has for one batch, where visitors' seconds are limited."""


@dataclass(frozen=True)
class _Answered:
    """What comes back from the GPU's worker, which is another process: errors are handed over, not raised there."""

    responses: Sequence[Response] = ()
    fault: Exception | None = None
    seconds: float = 0.0


class LiveModels:
    """The models of an installation, opened when they are first asked."""

    def __init__(self, offers: ModelOffers, opening: _Open = open_model, batches: Batches | None = None) -> None:
        self._offers = offers
        self._open = opening
        self._batches = batches or Batches()
        self._queue = DeviceQueue()
        self._models: dict[str, Model] = {}
        """Those that are open; of those with weights one."""
        self._properties: dict[str, Properties] = {}
        """Known of a model from its first loading on."""
        self._lock = threading.Lock()
        self._warming: threading.Thread | None = None
        self._pace: dict[str, float] = {}
        """Seconds a prompt that models took, the slowest of their batches."""
        self._answer_on_gpu = on_gpu(self._try_to_answer, self._gpu_seconds)

    @property
    def names(self) -> list[str]:
        """What visitors may choose, in the owner's order."""
        return list(self._offers.offered)

    def wants(self, name: str) -> frozenset[Want] | None:
        """The most a model can be asked for, as far as that is known by now; nothing is opened."""
        known = self._properties.get(name)
        return known.wants if known else self._offer(name).wants

    def takes_device(self, name: str) -> bool:
        """Whether a model runs on this machine's device, and is not asked at a server elsewhere."""
        return self._offer(name).takes != "nothing"

    def is_ready(self, name: str) -> bool:
        """Whether a model can be asked at once: its weights are in memory, or it has none here."""
        offer = self._offers.offered.get(name)
        return offer is not None and (offer.takes != "memory" or name in self._models)

    def warm(self) -> None:
        """Import what weights need, aside, so that the first visitor waits for the weights alone."""
        if any(offer.takes == "memory" for offer in self._offers.offered.values()):
            self._warming = threading.Thread(target=_import_libraries, daemon=True)
            self._warming.start()

    def lend(self, name: str, work: Work) -> LentModel:
        """The model for one piece of work; it is loaded when it is first needed.

        Args:
            name: As the owner's list calls it.
            work: What it is lent for.

        Raises:
            UserError: It is not on the owner's list.
        """
        return LentModel(self, self._offer(name), work)

    def _offer(self, name: str) -> ModelOffer:
        if name in self._offers.offered:
            return self._offers.offered[name]
        known = ", ".join(self.names) or "none yet"
        reason = self._offers.absent.get(name)
        said = f" ({reason})" if reason else ""
        raise UserError(f"{name!r} is not offered here{said}; choose one of: {known}")

    def _answer(self, offer: ModelOffer, prompts: Sequence[Prompt], _left: float) -> list[Response]:
        """Takes an offer, not a model: a GPU worker is a fork that has what was loaded when it began."""
        model = self._ready(offer)
        try:
            return model.respond(prompts)
        except (UserError, ProviderError, MemoryError, Cancelled):
            raise
        except (Exception, SystemExit) as fault:  # noqa: BLE001
            log_fault(fault)  # its message may hold paths and secrets; records and visitors are told its kind alone
            raise ProviderError("permanent", f"{offer.name} failed ({type(fault).__name__})") from None

    def _answer_with_weights(self, offer: ModelOffer, prompts: Sequence[Prompt], left: float) -> list[Response]:
        with refusals_told():
            answered = self._answer_on_gpu(offer, prompts, left)
        if answered.fault is not None:
            raise answered.fault
        self._pace[offer.name] = max(self._pace.get(offer.name, 0.0), answered.seconds / len(prompts))
        return list(answered.responses)

    def _try_to_answer(self, offer: ModelOffer, prompts: Sequence[Prompt], left: float) -> _Answered:
        started = time.monotonic()
        try:
            return _Answered(self._answer(offer, prompts, left), seconds=time.monotonic() - started)
        except (UserError, ProviderError, MemoryError) as fault:
            return _Answered(fault=fault)

    def _gpu_seconds(self, offer: ModelOffer, prompts: Sequence[Prompt], left: float) -> int:
        return seconds_to_ask_for(len(prompts), self._pace.get(offer.name), left)

    def _ready(self, offer: ModelOffer) -> Model:
        """The model, opened if it is not; of those with weights, the one before it goes."""
        if offer.takes == "memory":
            if self._warming is not None:
                self._warming.join()  # what another thread has imported by half cannot be used
            if offer.name not in self._models:
                self._evict()
                self._models[offer.name] = self._opened(offer)
            return self._models[offer.name]
        with self._lock:  # those elsewhere take no turns
            if offer.name not in self._models:
                self._models[offer.name] = self._opened(offer)
            return self._models[offer.name]

    def _opened(self, offer: ModelOffer) -> Model:
        try:
            return self._open(offer.source, offer.options)
        except UserError as fault:
            raise UserError(str(fault).replace(offer.source, offer.name)) from fault  # no path of the server is shown
        except MemoryError:
            fault_said = "does not fit into the memory of this machine"
        except ImportError as fault:
            fault_said = f"needs the package {fault.name}, which is not installed here"
        except (Exception, SystemExit):
            logging.getLogger(__name__).exception("%s could not be opened", offer.name)
            fault_said = "could not be opened"
        raise UserError(f"{offer.name} {fault_said}; choose another model")

    def _evict(self) -> None:
        for name, offer in self._offers.offered.items():
            if offer.takes == "memory":
                self._models.pop(name, None)
        gc.collect()  # modules and their hooks refer to each other
        if "torch" in sys.modules:
            torch = importlib.import_module("torch")  # waits for another thread that is importing it
            if torch.cuda.is_available():
                torch.cuda.empty_cache()


class LentModel(ModelElsewhere):
    """A model of the list, for one piece of work; see `qbench.models.Model`."""

    def __init__(self, models: LiveModels, offer: ModelOffer, work: Work) -> None:
        self._models = models
        self._offer = offer
        self._work = work

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer when it is this work's turn.

        Raises:
            Cancelled: The work was cancelled.
            UserError: Its time is used up, or the model cannot be loaded.
        """
        models, offer = self._models, self._offer
        answer = models._answer_with_weights if offer.takes == "memory" else models._answer
        with self._turn():
            left = self._work.left()
            return self._batch(lambda: answer(offer, prompts, left))

    @property
    def workers(self) -> int:  # type: ignore[override]
        """How many threads may ask it at once; of one elsewhere this follows what its servers can do, whoever asks."""
        known = self._properties
        return getattr(self._models._models.get(self._offer.name), "workers", known.workers)

    @property
    def _properties(self) -> Properties:  # type: ignore[override]
        """What the model says about itself; opens it when that is not known yet."""
        models, offer = self._models, self._offer
        if offer.name not in models._properties:

            def ask() -> Properties:
                return properties_of(models._ready(offer))

            with self._turn():  # loading takes as long as it takes; another server may never answer
                models._properties[offer.name] = ask() if offer.takes == "memory" else self._batch(ask)
        return models._properties[offer.name]

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._offer.takes == "nothing":
            self._work.check()
            with self._work.timed(), _without_addresses(self._offer):
                yield
        else:
            with self._models._queue.device(self._work), self._work.timed():
                yield

    def _batch(self, ask: Callable[[], ResultT]) -> ResultT:
        """What is asked of the model; a batch that does not end is given up."""
        models, offer, left = self._models, self._offer, self._work.left()
        seconds = min(left, LONGEST_BATCH) if left < math.inf and models.is_ready(offer.name) else left
        most = MOST_UNANSWERED if offer.takes == "nothing" else MOST_GIVEN_UP

        def open_anew() -> None:  # when it is next asked: a batch that was given up is still at this one
            models._models.pop(offer.name, None)

        return models._batches.run(offer.name, self._work, ask, seconds, open_anew, most)


_SLOW_NAMES = (
    "EfficientNetModel",
    "AutoModelForImageTextToText",
    "AutoProcessor",
    "LlavaForConditionalGeneration",
    "LlavaProcessor",
    "CLIPModel",
    "CLIPProcessor",
)
"""What the embedded models need of Transformers, which imports what is behind a name when it is first looked up."""


def _import_libraries() -> None:
    with suppress(ImportError):  # said when a model is asked
        transformers = importlib.import_module("transformers")
        for name in _SLOW_NAMES:
            getattr(transformers, name)


@contextmanager
def _without_addresses(offer: ModelOffer) -> Iterator[None]:
    """Tell visitors what is wrong with a server, and the owner's log alone where it is."""
    try:
        yield
    except (UserError, ProviderError) as fault:
        said = _ADDRESS.sub("its server", str(fault))
        if said == str(fault):
            raise
        logging.getLogger(__name__).warning("%s: %s", offer.name, fault)
        if isinstance(fault, ProviderError):
            raise ProviderError(fault.kind, said, fault.retry_after) from fault
        raise UserError(said) from fault
