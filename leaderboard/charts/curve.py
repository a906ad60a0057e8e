"""A comparison by how many there are to choose from: UniSim-Bench Fig. 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import IN_TABLE, Chart, keep_apart, lay_out, note, plain, trace, value_axis
from leaderboard.charts.radar import Line, lines_of
from leaderboard.charts.rows import whiskers
from leaderboard.charts.series import GLYPHS
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import BETTER, axis_title, figure_with_unit, listed, shorten_name

HEIGHT, ABOVE, BELOW = 380, 16, 48
"""Of the chart, and of its margins."""
LINE, CHARACTER, GAP = 16, 6.4, 10
"""Of names: height, width of a letter, distance from the line."""
LONGEST_NAME = 18
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
    names = list(_names(series, bounds))
    figure = lay_out(
        [_trace(line, points, profile) for line, points in series],
        height=HEIGHT,
        annotations=[
            note(plain(name), x=last, y=height * metric.scale, xanchor="left", xshift=GAP)
            for name, last, height in names
        ],
        margin={"l": 8, "r": GAP + CHARACTER * max(len(name) for name, _, _ in names), "t": ABOVE, "b": BELOW},
        xaxis=value_axis("Images to choose from", (min(counts) - EDGE, max(counts) + EDGE), tickvals=counts),
        yaxis=value_axis(axis_title(metric), bounds, metric.scale),
    )
    drawn = listed(line.name for line, _ in series)
    said = f"{metric.label} of {drawn} by the number of images to choose from, {BETTER[metric.direction]}. {IN_TABLE}"
    return Chart(figure, said)


def _trace(line: Line, points: Points, profile: Profile) -> dict[str, Any]:
    metric = profile.metric
    figures = [figure for _, figure in points]
    return trace(
        name=plain(shorten_name(line.name)),
        meta=line.model,
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


def _names(series: Sequence[tuple[Line, Points]], bounds: tuple[float, float]) -> Iterator[tuple[str, int, float]]:
    """The name of each line with its marker, and where it stands: clear of those that end at the same number."""
    room = LINE / (HEIGHT - ABOVE - BELOW) * (bounds[1] - bounds[0])
    ends = sorted(((line, *points[-1]) for line, points in series), key=lambda end: -end[2].value)
    for last in {count for _, count, _ in ends}:
        ending = [(line, cell.value) for line, count, cell in ends if count == last]
        heights = keep_apart([value for _, value in ending], room, bounds[0] + room / 2)
        for (line, _), height in zip(ending, heights, strict=True):
            marker = GLYPHS.get(line.look.marker, "")
            yield f"{marker} {shorten_name(line.name, LONGEST_NAME)}".strip(), last, height
