"""A model that is elsewhere: in a queue that others wait in too, or in another process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qbench.models import Model
from qbench.records import Want


@dataclass(frozen=True)
class Properties:
    """What a model says about itself; see `qbench.models.Model`."""

    name: str
    wants: frozenset[Want]
    identity: Mapping[str, Any]
    batch_size: int
    workers: int
    reads_in_full: str = ""


def properties_of(model: Model) -> Properties:
    """What a model says about itself, as plain data."""
    more = (getattr(model, "workers", 1), getattr(model, "reads_in_full", ""))
    return Properties(model.name, model.wants, dict(model.identity), model.batch_size, *more)


class ModelElsewhere(ABC):
    """Says of itself what the model says that stands behind it."""

    @property
    @abstractmethod
    def _properties(self) -> Properties: ...

    @property
    def name(self) -> str:
        return self._properties.name

    @property
    def wants(self) -> frozenset[Want]:
        return self._properties.wants

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._properties.identity

    @property
    def batch_size(self) -> int:
        return self._properties.batch_size

    @property
    def workers(self) -> int:
        """How many threads may ask it at once."""
        return self._properties.workers

    @property
    def reads_in_full(self) -> str:
        """Why it reads prompts that begin alike one by one; empty where it does not."""
        return self._properties.reads_in_full
