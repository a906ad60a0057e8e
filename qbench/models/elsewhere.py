"""A model that is elsewhere: in a queue that others wait in too, or in another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qbench.models import Model
from qbench.records import Want


@dataclass(frozen=True)
class Properties:
    """What a model says about itself, as plain data; see `qbench.models.Model`."""

    name: str
    wants: frozenset[Want]
    identity: Mapping[str, Any]
    batch_size: int
    workers: int


def properties_of(model: Model) -> Properties:
    """What a model says about itself."""
    return Properties(model.name, model.wants, dict(model.identity), model.batch_size, model.workers)


class _Told:
    """What the model says that stands behind a `ModelElsewhere`."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: ModelElsewhere, _owner: type) -> Any:
        return getattr(model._properties, self._name)


class ModelElsewhere(Model):
    """Says of itself what the model says that stands behind it."""

    name: Any = _Told()
    wants: Any = _Told()
    identity: Any = _Told()
    batch_size: Any = _Told()
    workers: Any = _Told()

    @property
    def _properties(self) -> Properties:
        raise NotImplementedError
