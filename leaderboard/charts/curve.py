"""A comparison by how many there are to choose from: UniSim-Bench Fig. 3."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import IN_TABLE, Chart, lay_out, plain, value_axis
from leaderboard.charts.radar import Line, lines_of
from leaderboard.charts.rows import whiskers
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import BETTER, axis_title, figure_with_unit, listed, shorten_name

HEIGHT = 380
EDGE = 0.3
"""Room on the axis left and right of the outermost numbers."""
Points = Sequence[tuple[int, Cell]]
"""How many there are to choose from, and the figure."""


def curve(profile: Profile) -> Chart:
    """A line for each model, and one for guessing, which is right the less often the more there are."""
    metric, bounds, counts = profile.metric, profile.bounds, [axis.alternatives or 0 for axis in profile.axes]
    series: list[tuple[Line, Points]] = [
        (line, [(count, cell) for count, cell in zip(counts, line.figures, strict=True) if cell is not None])
        for line in lines_of(profile, above_chance=False)
    ]
    figure = go.Figure([_trace(line, points, profile) for line, points in series])
    lay_out(
        figure,
        height=HEIGHT,
        keyed=True,
        margin={"l": 8, "r": 8, "t": 16, "b": 48},
        xaxis=value_axis("Images to choose from", (min(counts) - EDGE, max(counts) + EDGE), tickvals=counts),
        yaxis=value_axis(axis_title(metric), bounds, metric.scale),
    )
    drawn = listed(line.name for line, _ in series)
    said = f"{metric.label} of {drawn} by the number of images to choose from, {BETTER[metric.direction]}. {IN_TABLE}"
    return Chart(figure, said)


def _trace(line: Line, points: Points, profile: Profile) -> go.Scatter:
    metric = profile.metric
    figures = [figure for _, figure in points]
    return go.Scatter(
        name=plain(shorten_name(line.name)),
        meta=line.model,
        legendrank=1 if line.look.dash == "solid" else 1000,
        x=[count for count, _ in points],
        y=[figure.value * metric.scale for figure in figures],
        mode="lines+markers" if line.model else "lines",
        line={"color": line.look.colour, "dash": line.look.dash, "width": 2 if line.look.dash == "solid" else 1.5},
        marker={"symbol": line.look.marker, "size": 8},
        error_y=whiskers(figures, metric.scale, line.look.colour),
        customdata=[figure_with_unit(figure.value, metric) for figure in figures],
        hovertemplate="%{fullData.name}, %{x} images: %{customdata}<extra></extra>",
        cliponaxis=False,
    )
