"""How the figures of each board stand side by side in one chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Form = Literal["radar", "bars", "curve"]
"""A curve is for columns that differ in how many there are to choose from."""


@dataclass(frozen=True)
class Shape:
    """Which columns of a board stand side by side in one chart."""

    form: Form = "radar"
    metrics: tuple[str, ...] = ()
    """Kinds of figure to choose from, the default first; empty where all columns belong together."""
    only: str = ""
    """Part the columns come from; empty for all."""
    summaries: tuple[str, ...] = ()
    """Parts that sum up others: in the tables, but no axis of the chart."""
    boards: tuple[str, ...] = ()
    """Boards drawn as one; empty for the board alone."""


CHOICES_2AFC = ("accuracy_joint", "consistency", "correlation")
SHAPES: Mapping[str, Shape] = {
    "description": Shape("bars", summaries=("sum",)),
    "assessment": Shape(metrics=("mean", "srcc", "plcc"), summaries=("average",)),
    "2afc-coarse": Shape(metrics=CHOICES_2AFC, summaries=("average-6", "average-3")),
    "2afc-fine": Shape(metrics=CHOICES_2AFC, summaries=("averages",)),
    "unisim-core": Shape(only="means", summaries=("overall",), boards=("unisim-core", "unisim-ood")),
    "unisim-ood": Shape(only="means", summaries=("overall",), boards=("unisim-ood", "unisim-core")),
    "unisim-n-way": Shape("curve"),
    "demo": Shape(only="similarity"),
    "demo-n-way": Shape("curve"),
}
"""As Q-Bench draws them in Figs. 11 and 14 and UniSim-Bench in Figs. 1 and 3. Any other board is a radar of its columns
but the one that ranks it (Fig. 9)."""
