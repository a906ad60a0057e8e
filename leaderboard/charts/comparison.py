"""The chart of a comparison: a radar or dots, or a curve where columns count."""

from __future__ import annotations

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import Chart
from leaderboard.charts.curve import curve
from leaderboard.charts.radar import Line, describe, lines_of, radar, read_value
from leaderboard.charts.rows import ROW, Dot, DotGroup, RowAxes, dots
from leaderboard.tables.words import BETTER, half_interval, shorten_name


def draw(profile: Profile, above_chance: bool, as_dots: bool = False) -> Chart:
    """The chart that suits the board; `as_dots` shows dots with intervals where a radar would do."""
    if profile.form == "curve":
        return curve(profile)
    return (radar if profile.suits_radar and not as_dots else dots_by_axis)(profile, above_chance)


LEGEND_ROW = 20
"""Pixels of one line of the legend."""
APART = 8
"""Pixels between two marks of a row, so that no interval covers another."""


def dots_by_axis(profile: Profile, above_chance: bool) -> Chart:
    """The profile's models and references, as they are or minus the chance level of each axis."""
    lines = lines_of(profile, above_chance)
    bounds = (profile.bounds_above_chance if above_chance else None) or profile.bounds
    metric = profile.metric
    axes = RowAxes(
        rows=tuple(profile.labels[axis.key] for axis in profile.axes),
        axis=f"{metric.label}{' above chance' if above_chance else ''}"
        f"{f' ({metric.unit})' if metric.unit else ''}, {BETTER[metric.direction]}",
        bounds=bounds,
        scale=metric.scale,
        chance=0.0 if above_chance else None,
    )
    chosen = {model.id for model in profile.models}
    shown = [line for line in lines if not (above_chance and not line.model)]  # the chance level is the line at zero
    shown.sort(key=lambda line: line.model not in chosen)
    row = max(ROW, APART * (len(shown) + 1))
    groups = [
        DotGroup(
            shorten_name(line.name),
            line.look,
            _marks(line, profile, above_chance, (place - (len(shown) - 1) / 2) * APART / row),
            key=line.model,
        )
        for place, line in enumerate(shown)
    ]
    chart = dots(axes, groups)
    layout = chart["layout"]
    layout["height"] += (row - ROW) * len(axes.rows) + LEGEND_ROW * len(shown)
    layout["margin"]["t"] = 40 + LEGEND_ROW * len(shown)
    layout["showlegend"] = True
    layout["legend"] = {"orientation": "v", "yref": "container", "y": 1, "yanchor": "top", "x": 0, "itemclick": False}
    return Chart(chart, describe(profile, lines, above_chance, "Dots with intervals"))


def _marks(line: Line, profile: Profile, above_chance: bool, offset: float) -> tuple[Dot, ...]:
    return tuple(
        Dot(row + offset, figure, _read(line, profile, row, above_chance))
        for row, figure in enumerate(line.figures)
        if figure is not None
    )


def _read(line: Line, profile: Profile, row: int, above_chance: bool) -> str:
    axis, figure = profile.axes[row], line.figures[row]
    assert figure is not None
    half = half_interval(figure.low, figure.high, axis.metric)
    said = f"{line.name}, {profile.labels[axis.key]}: {read_value(figure.value, axis.metric, above_chance)}"
    return f"{said}, {half}" if half else said
