"""A model in several actors of a Ray cluster: the GPUs of this machine, or of many.

The run, its cache and its log stay where the command was given; actors get batches and give responses back. Whoever is
free gets the next batch. An actor that dies, or whose machine does, is replaced, and another answers its batch:
asking twice changes nothing, since one answer is kept. Images are read where the actor runs, at the same path.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from qbench.errors import ProviderError, UserError
from qbench.models import ModelElsewhere, ModelOptions, Properties, open_model, properties_of
from qbench.records import Prompt, Response

MOST_DEATHS = 3
"""Actors that one batch, or opening the model, may cost before it counts as what kills them."""
_LOOK = 2.0
"""Seconds that a batch waits for one actor to be ready before it tries another."""
_SERVED_AT_ONCE = 16
"""Prompts that the vLLM of an actor is asked at once, unless `--workers` says it; a checkpoint gets a batch."""


class ModelActor:
    """The model in one process of the cluster; opened when it is first asked, so that it can say why that fails."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        self._open = cache(lambda: open_model(name, options))

    def properties(self) -> Properties:
        """What the model says about itself."""
        return properties_of(self._open())

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts."""
        return self._open().respond(prompts)


class ModelOnRay(ModelElsewhere):
    """The actors as one model, which as many threads may ask as there are actors."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        import ray

        assert options.ray is not None
        self._ray = ray
        cluster = options.ray
        # Where this starts the cluster: Ray gives its actors less of the processor than any other program here.
        os.environ.setdefault("RAY_worker_niceness", "0")
        if not ray.is_initialized():
            address = None if cluster.address == "auto" else cluster.address
            try:
                ray.init(address=address, log_to_driver=False, configure_logging=False)
            except ConnectionError as fault:
                raise UserError(f"no Ray cluster answers at {cluster.address}; see: ray status") from fault
        there = ray.cluster_resources()
        gpus = int(there.get("GPU", 0))
        each = cluster.gpus_per_actor if cluster.gpus_per_actor is not None else min(options.gpus or 1, gpus)
        count = cluster.actors or (max(1, int(gpus / each)) if each else 1)
        if count * each > gpus or count > there.get("CPU", 0):
            raise UserError(
                f"{count} actors of {each:g} GPUs and a core do not fit the cluster, which has {gpus} GPUs and "
                f"{there.get('CPU', 0):g} cores; lower --actors or --gpus-per-actor"
            )
        spread = int(each) if options.serve and each > 1 else None
        self._open = (name, replace(options, ray=None, gpus=options.gpus or spread))
        at_once = (options.workers or _SERVED_AT_ONCE) if options.serve else 1
        needs = {"num_cpus": 1, "num_gpus": each, "scheduling_strategy": "SPREAD", "max_concurrency": at_once}
        self._actor = ray.remote(**needs)(ModelActor)
        self._free: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()
        self._replacing = threading.Lock()
        actors = [self._start() for _ in range(count)]
        options.watch(f"{name} is opened in {count} actors, which takes minutes where its weights are large")
        self._properties = replace(self._first_told(actors), workers=count * at_once)
        for _ in range(at_once):
            for actor in actors:
                self._free.put(actor)

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts with whichever actor is free.

        Raises:
            ProviderError: They cost several actors their life.
            UserError: An actor opened another model than the first, or none.
        """
        deaths = 0
        while deaths < MOST_DEATHS:
            place = self._free.get()
            actor, ready = place
            asked = False
            try:
                if not self._is_ready(ready):
                    continue
                self._result(actor.properties.remote())  # it may have died since it was last asked
                asked = True
                responses: list[Response] = self._result(actor.respond.remote(list(prompts)))
            except self._ray.exceptions.RayActorError:
                deaths += asked
                with self._replacing:  # several batches may have been with it
                    if place[0] is actor:
                        place[:] = self._start()
            else:
                return responses
            finally:
                self._free.put(place)
        raise ProviderError("permanent", f"{MOST_DEATHS} actors died of it; see the logs of Ray")

    def _start(self) -> list[Any]:
        """A new actor, and what it will say about its model once that is loaded."""
        actor = self._actor.remote(*self._open)
        return [actor, actor.properties.remote()]

    def _first_told(self, actors: list[list[Any]]) -> Properties:
        """What the first actor that is ready says; one that dies before, or whose machine does, is replaced."""
        for _ in range(MOST_DEATHS * len(actors)):
            [first], _ = self._ray.wait([ready for _, ready in actors], num_returns=1)
            try:
                told: Properties = self._result(first)
            except self._ray.exceptions.RayActorError:
                actors[[ready for _, ready in actors].index(first)] = self._start()
            else:
                return told
        raise ProviderError("permanent", "actors died before the model was opened; see the logs of Ray")

    def _is_ready(self, ready: Any) -> bool:
        done, _ = self._ray.wait([ready], timeout=_LOOK)
        if not done:
            return False  # loading still, or waiting for a place in the cluster
        if (told := replace(self._result(ready), workers=self.workers)) != self._properties:
            raise UserError(
                f"an actor opened another model than the first: {told.identity}, not {dict(self.identity)}; "
                "install the same versions and weights on every machine"
            )
        return True

    def _result(self, reference: Any) -> Any:
        """What an actor gave back, or raised, as if it had been asked here."""
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as fault:
            raise fault.cause from None
