"""The chart of a comparison: a radar (Q-Bench Figs. 9 and 14, UniSim-Bench Fig. 1), dots with intervals, or a curve
where columns count how many there are to choose from (UniSim-Bench Fig. 3)."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import (
    CHANCE,
    GLYPHS,
    HAIRLINE,
    IN_TABLE,
    Chart,
    Look,
    assign_looks,
    keep_apart,
    lay_out,
    note,
    plain,
    trace,
    value_axis,
)
from leaderboard.charts.rows import ROW, Dot, DotGroup, RowAxes, dots, whiskers
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import (
    BETTER,
    axis_title,
    count,
    figure,
    figure_with_unit,
    half_interval,
    listed,
    shorten_name,
)

RADAR = 460
"""Pixels at most; a narrow one is less high."""
AXIS_LINE, NAME_LINE = 10, 22
"""Characters of a line of the name of an axis, and of a model."""
BELOW_CHANCE = 0.1
"""What is drawn below the chance level at least, so that it is a ring and no point."""
LEGEND_ROW = 20
"""Pixels of one line of the legend."""
APART = 8
"""Pixels between two marks of a row, so that no interval covers another."""
CURVE, ABOVE, BELOW = 380, 16, 48
"""Pixels of a curve, and of its margins."""
NAME, CHARACTER, GAP = 16, 6.4, 10
"""Of names beside it: height, width of a letter, distance from the line."""
LONGEST_NAME = 18
EDGE = 0.3
"""Room on the axis left and right of the outermost numbers."""
Points = Sequence[tuple[int, Cell]]
"""How many there are to choose from, and the figure."""


def draw(profile: Profile, above_chance: bool, as_dots: bool = False) -> Chart:
    """The chart that suits the board; `as_dots` shows dots with intervals where a radar would do."""
    if profile.form == "curve":
        return curve(profile)
    return (radar if profile.suits_radar and not as_dots else dots_by_axis)(profile, above_chance)


def dots_by_axis(profile: Profile, above_chance: bool) -> Chart:
    """The profile's models and references, as they are or minus the chance level of each axis."""
    lines, metric = lines_of(profile, above_chance), profile.metric
    axes = RowAxes(
        rows=[profile.labels[axis.key] for axis in profile.axes],
        axis=f"{metric.label}{' above chance' if above_chance else ''}"
        f"{f' ({metric.unit})' if metric.unit else ''}, {BETTER[metric.direction]}",
        bounds=profile.ends(above_chance),
        scale=metric.scale,
        chance=0.0 if above_chance else None,
    )
    chosen = {model.id for model in profile.models}
    shown = [line for line in lines if not (above_chance and not line.model)]  # the chance level is the line at zero
    shown.sort(key=lambda line: line.model not in chosen)
    row = max(ROW, APART * (len(shown) + 1))
    groups = []
    for place, line in enumerate(shown):
        offset = (place - (len(shown) - 1) / 2) * APART / row
        points = [
            Dot(at + offset, cell, f"{line.name}, {axes.rows[at]}: {', '.join(filter(None, [line.read[at], half]))}")
            for at, cell in enumerate(line.figures)
            if cell is not None
            for half in [half_interval(cell.low, cell.high, profile.axes[at].metric)]
        ]
        groups.append(DotGroup(shorten_name(line.name), line.look, points, key=line.model))
    chart = dots(axes, groups)
    layout = chart["layout"]
    layout["height"] += (row - ROW) * len(axes.rows) + LEGEND_ROW * len(shown)
    layout["margin"]["t"] = 40 + LEGEND_ROW * len(shown)
    layout["showlegend"] = True
    layout["legend"] = {"orientation": "v", "yref": "container", "y": 1, "yanchor": "top", "x": 0, "itemclick": False}
    return Chart(chart, describe(profile, lines, above_chance, "Dots with intervals"))


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
        [_spokes(line, names, scale) for line in series],
        height=RADAR,
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


def _spokes(line: Line, names: Sequence[str], scale: float) -> dict[str, Any]:
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


def curve(profile: Profile) -> Chart:
    """A line for each model, and one for guessing, which is right the less often the more there are."""
    metric, bounds, counts = profile.metric, profile.bounds, [axis.alternatives or 0 for axis in profile.axes]
    series: list[tuple[Line, Points]] = [
        (line, [(number, cell) for number, cell in zip(counts, line.figures, strict=True) if cell is not None])
        for line in lines_of(profile, above_chance=False)
    ]
    names = list(_names_at_ends(series, bounds))
    drawn = lay_out(
        [_curve(line, points, profile) for line, points in series],
        height=CURVE,
        annotations=[
            note(plain(name), x=last, y=height * metric.scale, xanchor="left", xshift=GAP)
            for name, last, height in names
        ],
        margin={"l": 8, "r": GAP + CHARACTER * max(len(name) for name, _, _ in names), "t": ABOVE, "b": BELOW},
        xaxis=value_axis("Images to choose from", (min(counts) - EDGE, max(counts) + EDGE), tickvals=counts),
        yaxis=value_axis(axis_title(metric), bounds, metric.scale),
    )
    named = listed(line.name for line, _ in series)
    said = f"{metric.label} of {named} by the number of images to choose from, {BETTER[metric.direction]}. {IN_TABLE}"
    return Chart(drawn, said)


def _curve(line: Line, points: Points, profile: Profile) -> dict[str, Any]:
    metric = profile.metric
    cells = [cell for _, cell in points]
    return trace(
        name=plain(shorten_name(line.name)),
        meta=line.model,
        x=[number for number, _ in points],
        y=[cell.value * metric.scale for cell in cells],
        mode="lines+markers" if line.model else "lines",
        line={"color": line.look.colour, "dash": line.look.dash, "width": 2 if line.look.dash == "solid" else 1.5},
        marker={"symbol": line.look.marker, "size": 8},
        error_y=whiskers(cells, metric.scale, line.look.colour),
        customdata=[figure_with_unit(cell.value, metric) for cell in cells],
        hovertemplate="%{fullData.name}, %{x} images: %{customdata}<extra></extra>",
        cliponaxis=False,
    )


def _names_at_ends(
    series: Sequence[tuple[Line, Points]], bounds: tuple[float, float]
) -> Iterator[tuple[str, int, float]]:
    """The name of each line with its marker, and where it stands: clear of those that end at the same number."""
    room = NAME / (CURVE - ABOVE - BELOW) * (bounds[1] - bounds[0])
    ends = sorted(((line, *points[-1]) for line, points in series), key=lambda end: -end[2].value)
    for last in {number for _, number, _ in ends}:
        ending = [(line, cell.value) for line, number, cell in ends if number == last]
        heights = keep_apart([value for _, value in ending], room, bounds[0] + room / 2)
        for (line, _), height in zip(ending, heights, strict=True):
            marker = GLYPHS.get(line.look.marker, "")
            yield f"{marker} {shorten_name(line.name, LONGEST_NAME)}".strip(), last, height
