"""A comparison as a radar: Q-Bench Figs. 9 and 14, UniSim-Bench Fig. 1."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import CHANCE, HAIRLINE, IN_TABLE, Chart, lay_out, plain, trace
from leaderboard.charts.series import GLYPHS, Look, assign_looks
from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import Metric
from leaderboard.tables.words import count, figure, figure_with_unit, listed, shorten_name
from qbench.models.catalogue import ModelFacts

HEIGHT = 460
"""Pixels at most; a narrow one is less high."""
AXIS_LINE, NAME_LINE = 10, 22
"""Characters of a line of the name of an axis, and of a model."""
BELOW_CHANCE = 0.1
"""What is drawn below the chance level at least, so that it is a ring and no point."""


@dataclass(frozen=True)
class Line:
    """What is drawn of one model, or of chance."""

    name: str
    look: Look
    figures: tuple[Cell | None, ...]
    """As stored, one per axis."""
    model: str = ""
    """Id; empty for a chance level that no row holds."""

    @property
    def values(self) -> tuple[float | None, ...]:
        """The figures without their intervals."""
        return tuple(None if figure is None else figure.value for figure in self.figures)


def radar(profile: Profile, above_chance: bool) -> Chart:
    """The profile's models and references on its axes, as they are or minus the chance level of each axis.

    The browser knows the width, and writes the names of axes and lines where there is room (assets/board/ring.js).
    """
    series = lines_of(profile, above_chance)
    low, high = (profile.bounds_above_chance if above_chance else None) or profile.bounds
    low = min(low, -BELOW_CHANCE) if above_chance else low
    names = [_wrapped(profile.labels[axis.key], AXIS_LINE) for axis in profile.axes]
    scale, step = profile.metric.scale, 0.2 if high - low <= 1.2 else 0.5
    drawn = lay_out(
        [_trace(line, names, profile, above_chance) for line in series],
        height=HEIGHT,
        polar={
            "bgcolor": "rgba(0,0,0,0)",
            "radialaxis": {
                "range": [low * scale, high * scale],
                "gridcolor": HAIRLINE,
                "showline": False,
                "tickvals": [step * scale * tick for tick in range(math.ceil(low / step), math.floor(high / step) + 1)],
                "showticklabels": False,
                "ticks": "",
            },
            "angularaxis": {
                "direction": "clockwise",
                "rotation": 90,
                "gridcolor": HAIRLINE,
                "linecolor": HAIRLINE,
                "showticklabels": False,
                "ticks": "",
            },
        },
    )
    return Chart(drawn, describe(profile, series, above_chance, "Radar chart"))


def lines_of(profile: Profile, above_chance: bool) -> list[Line]:
    """References first, so that models lie above them; the chance level is a ring once it is subtracted."""
    if above_chance and profile.bounds_above_chance is None:
        raise ValueError("an axis without a chance level cannot have it subtracted")
    looks = assign_looks(profile.models, profile.references)
    keys = [axis.key for axis in profile.axes]
    base = {key: profile.chance[key] if above_chance else 0.0 for key in keys}
    lines = [
        Line(model.name, looks[model.id], tuple(_figure(profile, model, key, base[key]) for key in keys), model.id)
        for model in (*profile.references, *profile.models)
        if not (above_chance and model.kind == "reference")
    ]
    dotted = Look(CHANCE, "dot", "line-ew-open")
    if above_chance:
        lines.insert(0, Line("Chance", dotted, (Cell(0.0),) * len(keys)))
    elif profile.chance and not any(reference.kind == "reference" for reference in profile.references):
        levels = (profile.chance.get(key) for key in keys)
        lines.insert(0, Line("Chance", dotted, tuple(None if level is None else Cell(level) for level in levels)))
    return lines


def _figure(profile: Profile, model: ModelFacts, key: str, base: float) -> Cell | None:
    known = profile.figures[model.id].get(key)
    if known is None:
        return None
    low, high = (None if end is None else end - base for end in (known.low, known.high))
    return Cell(known.value - base, low, high)


def read_value(value: float, metric: Metric, above_chance: bool) -> str:
    """A value as it is read out, with what was subtracted."""
    return f"{figure_with_unit(value, metric)}{' above chance' if above_chance else ''}"


def _trace(line: Line, names: Sequence[str], profile: Profile, above_chance: bool) -> dict[str, Any]:
    metric = profile.metric
    values = [None if value is None else value * metric.scale for value in line.values]
    read = ["" if value is None else read_value(value, metric, above_chance) for value in line.values]
    quiet = line.look.dash != "solid"
    return trace(
        "scatterpolar",
        name=plain(shorten_name(line.name)),
        meta=line.model,
        mode="lines+markers",
        text=_label(line),
        theta=[*names, names[0]],
        r=[*values, values[0]],
        customdata=[*read, read[0]],
        hovertemplate="%{fullData.name}<br>%{theta}: %{customdata}<extra></extra>",
        line={"color": line.look.colour, "dash": line.look.dash, "width": 1.5 if quiet else 2},
        marker={"symbol": line.look.marker, "size": 5 if quiet else 8},
        connectgaps=False,
        cliponaxis=False,
    )


def _label(line: Line) -> str:
    """Name with its marker, which ties it to its line."""
    return f"{GLYPHS.get(line.look.marker, '')} {_wrapped(shorten_name(line.name, 2 * NAME_LINE), NAME_LINE)}".strip()


def _wrapped(name: str, line: int) -> str:
    return "<br>".join(map(plain, textwrap.wrap(name, line, break_long_words=False, break_on_hyphens=False)))


def describe(profile: Profile, series: Sequence[Line], above_chance: bool, form: str) -> str:
    """The chart in words: what is drawn on which axes, and what the middle and the rim mean."""
    bounds = (profile.bounds_above_chance if above_chance else None) or profile.bounds
    metric = profile.metric
    chosen = {model.id for model in profile.models}
    named = sorted(series, key=lambda line: line.model not in chosen)
    ends = f"{figure(bounds[0], metric)} to {figure(bounds[1], metric)} {metric.unit}".rstrip()
    what = f"{metric.label}{' above chance' if above_chance else ''}"
    return (
        f"{form} of {listed(line.name for line in named)} on {count(len(profile.axes), 'axis', 'axes')}: "
        f"{listed(profile.labels[axis.key] for axis in profile.axes)}. {what}, {ends}. {IN_TABLE}"
    )
