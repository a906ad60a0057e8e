"""Where results are kept. A store is read whole; what cannot be read is skipped and named, never fatal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from qbench.records import Result


@dataclass(frozen=True)
class Problem:
    """A file or record that was skipped, and why."""

    where: str
    reason: str


@dataclass(frozen=True)
class Loaded:
    """Everything one store holds at one moment."""

    results: tuple[Result, ...]
    problems: tuple[Problem, ...]
    revision: str
    """Names the content: the same results have the same revision."""


class Store(Protocol):
    """A place that results are read from."""

    def load(self) -> Loaded:
        """Read everything; never fails because of one bad file."""
        ...


def load_all(stores: Iterable[Store]) -> Loaded:
    """What several stores hold together, in their order."""
    loaded = [store.load() for store in stores]
    revisions = "".join(one.revision for one in loaded)
    return Loaded(
        results=tuple(result for one in loaded for result in one.results),
        problems=tuple(problem for one in loaded for problem in one.problems),
        revision=hashlib.sha256(revisions.encode()).hexdigest()[:7],
    )
