"""A comparison on more axes than a radar shows clearly: a row for each axis, a mark for each model."""

from __future__ import annotations

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import Chart
from leaderboard.charts.radar import Line, describe, lines_of, read_value
from leaderboard.charts.rows import Dot, DotGroup, RowAxes, dots
from leaderboard.tables.differences import Figure
from leaderboard.tables.words import BETTER, shorten_name

LEGEND_ROW = 20
"""Pixels of one line of the legend."""


def dots_by_axis(profile: Profile, above_chance: bool) -> Chart:
    """The profile's models and references, as they are or minus the chance level of each axis."""
    lines = lines_of(profile, above_chance)
    bounds = (profile.bounds_above_chance if above_chance else None) or profile.bounds
    metric = profile.metric
    axes = RowAxes(
        rows=tuple(profile.labels[axis.key] for axis in profile.axes),
        axis=f"{metric.label}{' above chance' if above_chance else ''}"
        f"{f' ({metric.unit})' if metric.unit else ''}<br>{BETTER[metric.direction]}",
        bounds=bounds,
        scale=metric.scale,
        chance=0.0 if above_chance else None,
    )
    shown = [line for line in lines if not (above_chance and not line.model)]  # the chance level is the line at zero
    groups = [
        DotGroup(shorten_name(line.name), line.look, _marks(line, profile, above_chance), key=line.model)
        for line in shown
    ]
    chart = dots(axes, groups, joined=True)
    height = chart.layout.height + LEGEND_ROW * len(shown)
    chart.update_layout(
        height=height,
        showlegend=True,
        margin={"t": 40 + LEGEND_ROW * len(shown)},
        legend={"orientation": "v", "yref": "container", "y": 1, "yanchor": "top", "x": 0, "itemclick": False},
    )
    return Chart(chart, describe(profile, lines, above_chance, "Dots"))


def _marks(line: Line, profile: Profile, above_chance: bool) -> tuple[Dot, ...]:
    return tuple(
        Dot(
            row,
            Figure(value),
            f"{line.name}, {profile.labels[axis.key]}: {read_value(value, axis.metric, above_chance)}",
        )
        for row, (axis, value) in enumerate(zip(profile.axes, line.values, strict=True))
        if value is not None
    )
