"""How much memory a model's weights need at each precision, from its nominal number of parameters."""

from __future__ import annotations

from typing import NamedTuple

from leaderboard.analysis.overview import MARGIN

BYTES = {"float32": 4.0, "bfloat16": 2.0, "int8": 1.0, "int4": 0.5}
"""Name of a precision -> bytes a parameter."""


class Memory(NamedTuple):
    """What one precision takes, in gigabytes (10⁹ bytes)."""

    precision: str
    weights: float
    with_margin: float


def memory_of(parameters: float) -> list[Memory]:
    """What each precision takes; `parameters` are billions."""
    weights = {precision: parameters * size for precision, size in BYTES.items()}
    return [Memory(precision, taken, taken * (1 + MARGIN)) for precision, taken in weights.items()]
