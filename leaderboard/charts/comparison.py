"""The chart of a comparison: a radar or dots, or a curve where columns count."""

from __future__ import annotations

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import Chart
from leaderboard.charts.curve import curve
from leaderboard.charts.radar import describe, lines_of, radar
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
