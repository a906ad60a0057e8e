"""A comparison as a radar: Q-Bench Figs. 9 and 14, UniSim-Bench Fig. 1."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import CHANCE, HAIRLINE, IN_TABLE, Chart, lay_out, plain, trace
from leaderboard.charts.series import GLYPHS, Look, assign_looks
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import count, figure, figure_with_unit, listed, shorten_name

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
    figures: list[Cell | None]
    """As stored, one per axis."""
    read: list[str]
    """As they are read out, with what was subtracted; empty where there is none."""
    model: str = ""
    """Id; empty for a chance level that no row holds."""


def radar(profile: Profile, above_chance: bool) -> Chart:
    """The profile's models and references on its axes, as they are or minus the chance level of each axis.

    The browser knows the width, and writes the names of axes and lines where there is room (assets/board/ring.js).
    """
    series = lines_of(profile, above_chance)
    low, high = profile.ends(above_chance)
    low = min(low, -BELOW_CHANCE) if above_chance else low
    names = [_wrapped(profile.labels[axis.key], AXIS_LINE) for axis in profile.axes]
    scale, step = profile.metric.scale, 0.2 if high - low <= 1.2 else 0.5
    drawn = lay_out(
        [_trace(line, names, scale) for line in series],
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
    looks, dotted = assign_looks(profile.models, profile.references), Look(CHANCE, "dot", "line-ew-open")
    lines = [
        _line(profile, above_chance, model.name, looks[model.id], profile.figures[model.id], model.id)
        for model in (*profile.references, *profile.models)
        if not (above_chance and model.kind == "reference")
    ]
    guessed = any(reference.kind == "reference" for reference in profile.references)
    if above_chance or (profile.chance and not guessed):
        levels = {key: Cell(level) for key, level in profile.chance.items()}
        lines.insert(0, _line(profile, above_chance, "Chance", dotted, levels))
    return lines


def _line(
    profile: Profile, above_chance: bool, name: str, look: Look, cells: Mapping[str, Cell], model: str = ""
) -> Line:
    figures = [_above(cells.get(axis.key), profile.chance[axis.key] if above_chance else 0.0) for axis in profile.axes]
    above = " above chance" if above_chance else ""
    read = ["" if cell is None else f"{figure_with_unit(cell.value, profile.metric)}{above}" for cell in figures]
    return Line(name, look, figures, read, model)


def _above(cell: Cell | None, level: float) -> Cell | None:
    """A figure less a chance level."""
    if cell is None:
        return None
    low, high = (None if end is None else end - level for end in (cell.low, cell.high))
    return Cell(cell.value - level, low, high)


def _trace(line: Line, names: Sequence[str], scale: float) -> dict[str, Any]:
    values = [None if cell is None else cell.value * scale for cell in line.figures]
    name = _wrapped(shorten_name(line.name, 2 * NAME_LINE), NAME_LINE)
    quiet = line.look.dash != "solid"
    return trace(
        "scatterpolar",
        name=plain(shorten_name(line.name)),
        meta=line.model,
        mode="lines+markers",
        text=f"{GLYPHS.get(line.look.marker, '')} {name}".strip(),
        theta=[*names, names[0]],
        r=[*values, values[0]],
        customdata=[*line.read, line.read[0]],
        hovertemplate="%{fullData.name}<br>%{theta}: %{customdata}<extra></extra>",
        line={"color": line.look.colour, "dash": line.look.dash, "width": 1.5 if quiet else 2},
        marker={"symbol": line.look.marker, "size": 5 if quiet else 8},
        connectgaps=False,
        cliponaxis=False,
    )


def _wrapped(name: str, line: int) -> str:
    return "<br>".join(map(plain, textwrap.wrap(name, line, break_long_words=False, break_on_hyphens=False)))


def describe(profile: Profile, series: Sequence[Line], above_chance: bool, form: str) -> str:
    """The chart in words: what is drawn on which axes, and what the middle and the rim mean."""
    bounds, metric = profile.ends(above_chance), profile.metric
    chosen = {model.id for model in profile.models}
    named = sorted(series, key=lambda line: line.model not in chosen)
    ends = f"{figure(bounds[0], metric)} to {figure(bounds[1], metric)} {metric.unit}".rstrip()
    what = f"{metric.label}{' above chance' if above_chance else ''}"
    return (
        f"{form} of {listed(line.name for line in named)} on {count(len(profile.axes), 'axis', 'axes')}: "
        f"{listed(profile.labels[axis.key] for axis in profile.axes)}. {what}, {ends}. {IN_TABLE}"
    )
