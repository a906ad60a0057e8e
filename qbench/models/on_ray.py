"""A model in several actors of a Ray cluster: the GPUs of this machine, or of many.

The run, its cache and its log stay where the command was given; actors get batches and give responses back. Whoever is
free gets the next batch. Ray starts an actor again that dies, or whose machine does, and another answers its batch:
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
from qbench.models import Model, ModelElsewhere, ModelOptions, Properties, open_model, properties_of
from qbench.records import Prompt, Response

MOST_DEATHS = 3
"""Times that one batch, or opening the model, may end an actor before it counts as what ends them."""
_LOOK = 2.0
"""Seconds that a batch waits for one actor to be ready before it tries another."""
_SERVED_AT_ONCE = 16
"""Prompts that the vLLM of an actor is asked at once, unless `--workers` says it; a checkpoint gets a batch."""


class ModelActor:
    """The model in one process of the cluster; opened when it is first asked, so that it can say why that fails."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        self._open = cache(lambda: open_model(name, options))
        self._once = threading.Lock()

    def _model(self) -> Model:
        with self._once:  # several batches may be the first
            return self._open()

    def properties(self) -> Properties:
        return properties_of(self._model())

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        return self._model().respond(prompts)


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
        at_once = (options.workers or _SERVED_AT_ONCE) if options.serve else 1
        needs = {"num_cpus": 1, "num_gpus": each, "scheduling_strategy": "SPREAD", "max_restarts": -1}
        needs |= {"max_concurrency": at_once}
        kind, opened = ray.remote(**needs)(ModelActor), replace(options, ray=None, gpus=options.gpus or spread)
        actors = [kind.remote(name, opened) for _ in range(count)]
        options.watch(f"{name} is opened in {count} actors, which takes minutes where its weights are large")
        [first], _ = ray.wait([self._ask_properties(actor) for actor in actors], num_returns=1)
        try:
            self._properties: Properties = replace(self._result(first), workers=count * at_once)
        except ray.exceptions.RayActorError:
            raise ProviderError("permanent", "actors died before the model was opened; see the logs of Ray") from None
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for actor in actors * at_once:
            self._free.put(actor)

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer prompts with whichever actor is free.

        Raises:
            ProviderError: They cost several actors their life.
            UserError: An actor opened another model than the first, or none.
        """
        deaths = 0
        while deaths < MOST_DEATHS:
            actor = self._free.get()
            try:
                if self._is_ready(actor):
                    responses: list[Response] = self._result(actor.respond.remote(list(prompts)))
                    return responses
            except self._ray.exceptions.RayActorError:
                deaths += 1
            finally:
                self._free.put(actor)
        raise ProviderError("permanent", f"{MOST_DEATHS} actors died of it; see the logs of Ray")

    def _is_ready(self, actor: Any) -> bool:
        reference = self._ask_properties(actor)  # it may have died since it was last asked
        if not self._ray.wait([reference], timeout=_LOOK)[0]:
            return False  # loading still, or waiting for a place in the cluster
        if (told := replace(self._result(reference), workers=self.workers)) != self._properties:
            raise UserError(
                f"an actor opened another model than the first: {told.identity}, not {dict(self.identity)}; "
                "install the same versions and weights on every machine"
            )
        return True

    def _ask_properties(self, actor: Any) -> Any:
        """What an actor says about its model, once that is opened."""
        return actor.properties.options(max_task_retries=MOST_DEATHS - 1).remote()

    def _result(self, reference: Any) -> Any:
        """What an actor gave back, or raised, as if it had been asked here."""
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as fault:
            raise fault.cause from None
