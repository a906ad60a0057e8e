"""Where the names of a radar's lines go, so that they cover neither each other nor the names of the axes.

Plotly places no labels by itself. Distances are in pixels of a radar as it comes out on a phone; where there is more
room the same places are farther apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

RADIUS = 110.0
HALF_WIDTH = 180.0
CHARACTER, LINE = 6.4, 15.0
OFFSET = 8.0


class LabelPlace(NamedTuple):
    """A vertex and a side of it."""

    axis: int
    position: str
    """Plotly's `textposition`."""


class LabelBox(NamedTuple):
    """A rectangle around the middle of the radar; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: LabelBox) -> float:
        """Shared area."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, width) * max(0.0, height)


def place_labels(
    names: Sequence[str], radii: Sequence[Sequence[float | None]], axes: Sequence[str]
) -> list[LabelPlace]:
    """A place for each name; `radii` are the vertices of its line, 0 in the middle and 1 on the rim."""
    taken = [_axis_box(i, len(axes), name) for i, name in enumerate(axes)]
    dots = [
        LabelBox(x - 4, y - 4, x + 4, y + 4)
        for line in radii
        for axis, radius in enumerate(line)
        if radius is not None
        for x, y in [_point(axis, len(axes), radius)]
    ]
    places = []
    for name, line in zip(names, radii, strict=True):
        candidates = [
            (LabelPlace(axis, f"{up} {side}"), _text_box(*_point(axis, len(axes), radius), name, up, side))
            for axis, radius in enumerate(line)
            if radius is not None
            for up in ("middle", "top", "bottom")
            for side in ("left", "right", "center")
            if (up, side) != ("middle", "center")
        ]
        place, box = min(candidates, key=lambda candidate: _cost(candidate[1], taken, dots))
        taken.append(box)
        places.append(place)
    return places


def _cost(box: LabelBox, taken: Sequence[LabelBox], dots: Sequence[LabelBox]) -> float:
    """Covered labels weigh most, then leaving the picture, then covered dots; else the outside is the better place."""
    outside = max(0.0, -HALF_WIDTH - box.left) + max(0.0, box.right - HALF_WIDTH)
    middle = math.hypot((box.left + box.right) / 2, (box.bottom + box.top) / 2)
    return (
        10 * sum(box.overlap(other) for other in taken)
        + 50 * outside
        + sum(box.overlap(dot) for dot in dots)
        - middle / 10
    )


def _point(axis: int, axes: int, radius: float) -> tuple[float, float]:
    """Clockwise from the top."""
    turn = 2 * math.pi * axis / axes
    return radius * RADIUS * math.sin(turn), radius * RADIUS * math.cos(turn)


def _text_box(x: float, y: float, text: str, up: str, side: str) -> LabelBox:
    width = CHARACTER * len(text)
    left = {"left": x - OFFSET - width, "center": x - width / 2, "right": x + OFFSET}[side]
    bottom = {"bottom": y - OFFSET - LINE, "middle": y - LINE / 2, "top": y + OFFSET}[up]
    return LabelBox(left, bottom, left + width, bottom + LINE)


def _axis_box(axis: int, axes: int, name: str) -> LabelBox:
    """Around the name of an axis, which plotly writes outside the rim, away from the middle."""
    x, y = _point(axis, axes, 1.08)
    lines = name.split("<br>")
    width, height = CHARACTER * max(map(len, lines)), LINE * len(lines)
    left = x - width / 2 if abs(x) < 1 else x if x > 0 else x - width
    return LabelBox(left, y - height / 2, left + width, y + height / 2)
