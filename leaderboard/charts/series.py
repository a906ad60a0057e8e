"""How a model looks in every chart: one colour and one marker, kept across pages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from qbench.models.catalogue import ModelFacts

PALETTE = (
    ("#0072b2", "circle"),
    ("#e69f00", "square"),
    ("#009e73", "diamond"),
    ("#d55e00", "triangle-up"),
    ("#cc79a7", "star"),
    ("#56b4e9", "x"),
)
"""Okabe and Ito's colours but black and yellow, which vanish on a dark and on a light page; each with its own marker,
so that series stay apart without colour."""
GREY = "#808690"
GLYPHS = {
    "circle": "●",
    "square": "■",
    "diamond": "◆",
    "triangle-up": "▲",
    "star": "★",
    "x": "✖",
    "circle-open": "○",
    "square-open": "□",
    "diamond-open": "◇",
}
"""Markers as letters, for labels."""
HUMAN_MARKERS = ("circle-open", "square-open", "diamond-open")


class Look(NamedTuple):
    """Colour, line and marker of one series."""

    colour: str
    dash: str
    marker: str


def assign_looks(models: Iterable[ModelFacts], beside: Iterable[ModelFacts] = ()) -> dict[str, Look]:
    """Model id -> look. A model keeps its own colour unless one that comes earlier in a fixed order has it.

    People are grey and dashed, random guess grey and dotted, other models `beside` them grey, dashed and dotted. Past
    six models colours come again with open markers.
    """
    beside = list(beside)
    models = [*models, *beside]
    people = [model.id for model in models if model.kind == "human"]
    looks = {name: Look(GREY, "dash", HUMAN_MARKERS[i % len(HUMAN_MARKERS)]) for i, name in enumerate(sorted(people))}
    looks |= {model.id: Look(GREY, "dot", "line-ew-open") for model in models if model.kind == "reference"}
    looks |= {model.id: Look(GREY, "dashdot", "cross-thin-open") for model in beside if model.id not in looks}
    taken: list[int] = []
    for name in sorted((model.id for model in models if model.id not in looks), key=_digest):
        free = [i for i in range(len(PALETTE)) if taken.count(i) == min(map(taken.count, range(len(PALETTE))))]
        wanted = _digest(name) % len(PALETTE)
        place = min(free, key=lambda i: (i - wanted) % len(PALETTE))
        colour, marker = PALETTE[place]
        looks[name] = Look(colour, "solid", marker + "-open" * (place in taken))
        taken.append(place)
    return looks


def _digest(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
