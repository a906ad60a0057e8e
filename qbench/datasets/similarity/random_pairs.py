"""Seeded draws. What is drawn from is always sorted beforehand, so that no listing order of a disk can matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

LIST_SEED = 0
"""The authors' own; their pairs were drawn anew in every run and never stored."""
ManifestRows = list[dict[str, Any]]
"""Rows of a manifest, whose layout `qbench.tasks.similarity` states."""
_ItemT = TypeVar("_ItemT")


def sample_at_most(items: Sequence[_ItemT], most: int, generator: np.random.Generator) -> list[_ItemT]:
    """So many of the items at random, in their order; all where there are no more."""
    if len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(generator.choice(len(items), most, replace=False))]


def two_different(items: Sequence[_ItemT], generator: np.random.Generator) -> tuple[_ItemT, _ItemT]:
    """Two different items in random order."""
    first, second = generator.choice(len(items), 2, replace=False)
    return items[first], items[second]


def in_random_order(right: _ItemT, wrong: _ItemT, generator: np.random.Generator) -> tuple[list[_ItemT], int]:
    """Two alternatives in random order, and the place of the right one."""
    label = int(generator.integers(2))
    return [wrong, right] if label else [right, wrong], label


def row_of(
    pair: tuple[str, str],
    generator: np.random.Generator,
    *,
    key: str = "images",
    of: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A row whose two alternatives, of which the first is right, stand in random order under `key`, after what they
    are compared `of`."""
    alternatives, label = in_random_order(*pair, generator)
    return {**(of or {}), key: alternatives, "label": label, **more}


def cycled(items: Sequence[_ItemT], total: int) -> Iterator[_ItemT]:
    """The items in order, again and again, until there are so many."""
    return (items[number % len(items)] for number in range(total if items else 0))


def pairs_by_score(
    scores: Mapping[str, float], total: int, generator: np.random.Generator
) -> Iterator[tuple[str, str, str]]:
    """Each item in turn against a random other one: the item, then the higher and the lower of both.

    Of equal scores neither is right, so another is drawn; the authors' code calls the first one right.
    """
    names = sorted(scores)
    if len(set(scores.values())) < 2:
        return
    for name in cycled(names, total):
        other = name
        while scores[other] == scores[name]:
            other = names[generator.integers(len(names))]
        yield (name, name, other) if scores[name] > scores[other] else (name, other, name)
