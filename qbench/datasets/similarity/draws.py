"""Seeded choices. What they choose from is always sorted beforehand, so that no listing order of a disk can matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

SEED = 0
"""The authors' own; their pairs were drawn anew in every run and never stored."""
Rows = list[dict[str, Any]]
"""Rows of a manifest, whose layout `qbench.tasks.similarity` states."""
T = TypeVar("T")


def some(items: Sequence[T], most: int, generator: np.random.Generator) -> list[T]:
    """So many of the items at random, in their order; all where there are no more."""
    if len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(generator.choice(len(items), most, replace=False))]


def two(items: Sequence[T], generator: np.random.Generator) -> tuple[T, T]:
    """Two different items in random order."""
    first, second = generator.choice(len(items), 2, replace=False)
    return items[first], items[second]


def shuffled(right: T, wrong: T, generator: np.random.Generator) -> tuple[list[T], int]:
    """Two alternatives in random order, and the place of the right one."""
    label = int(generator.integers(2))
    return [wrong, right] if label else [right, wrong], label


def passes(items: Sequence[T], total: int) -> Iterator[T]:
    """The items in order, again and again, until there are so many."""
    return (items[number % len(items)] for number in range(total if items else 0))


def scored_pairs(
    scores: Mapping[str, float], total: int, generator: np.random.Generator
) -> Iterator[tuple[str, tuple[list[str], int]]]:
    """Each item in turn against a random other one: the item, and both in random order with the place of the higher.

    Of equal scores neither is right, so another is drawn; the authors' code calls the first one right.
    """
    names = sorted(scores)
    if len(set(scores.values())) < 2:
        return
    for name in passes(names, total):
        other = name
        while scores[other] == scores[name]:
            other = names[generator.integers(len(names))]
        higher, lower = (name, other) if scores[name] > scores[other] else (other, name)
        yield name, shuffled(higher, lower, generator)
