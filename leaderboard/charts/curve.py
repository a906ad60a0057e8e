"""A comparison by how many there are to choose from: UniSim-Bench Fig. 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import CHANCE, IN_TABLE, Chart, keep_apart, lay_out, plain, value_axis
from leaderboard.charts.rows import whiskers
from leaderboard.charts.series import GLYPHS, Look, assign_looks
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import BETTER, axis_title, figure_with_unit, listed, shorten_name

HEIGHT, ABOVE, BELOW = 380, 16, 48
"""Of the chart, and of its margins."""
LINE, CHARACTER, GAP = 16, 6.4, 10
"""Of names: height, width of a letter, distance from the line."""
LONGEST_NAME = 18
EDGE = 0.3
"""Room on the axis left and right of the outermost numbers."""


@dataclass(frozen=True)
class Series:
    """One line."""

    name: str
    look: Look
    points: tuple[tuple[int, Cell], ...]
    """How many there are to choose from, and the figure; never none."""
    model: str = ""
    """Id; empty for chance."""

    @property
    def label(self) -> str:
        """Name with its marker, which ties it to its line."""
        return f"{GLYPHS.get(self.look.marker, '')} {shorten_name(self.name, LONGEST_NAME)}".strip()


def curve(profile: Profile) -> Chart:
    """A line for each model, and one for guessing, which is right the less often the more there are."""
    series = list(_series(profile))
    metric, bounds = profile.metric, profile.bounds
    figure = go.Figure([_trace(line, profile) for line in series])
    for line, height in _names(series, bounds):
        figure.add_annotation(
            x=line.points[-1][0],
            y=height * metric.scale,
            text=plain(line.label),
            xanchor="left",
            xshift=GAP,
            showarrow=False,
            font={"size": 11},
        )
    counts = [axis.alternatives for axis in profile.axes if axis.alternatives]
    lay_out(
        figure,
        height=HEIGHT,
        margin={"l": 8, "r": GAP + CHARACTER * max(len(line.label) for line in series), "t": ABOVE, "b": BELOW},
        xaxis=value_axis("Images to choose from", (min(counts) - EDGE, max(counts) + EDGE), tickvals=counts),
        yaxis=value_axis(axis_title(metric), bounds, metric.scale),
    )
    names = listed(line.name for line in series)
    said = f"{metric.label} of {names} by the number of images to choose from, {BETTER[metric.direction]}. {IN_TABLE}"
    return Chart(figure, said)


def _series(profile: Profile) -> Iterator[Series]:
    """Chance and people first, so that models lie above them."""
    places = [(axis.alternatives, axis.key) for axis in profile.axes if axis.alternatives]
    guessing = tuple((count, Cell(profile.chance[key])) for count, key in places if key in profile.chance)
    if guessing:
        yield Series("chance", Look(CHANCE, "dot", ""), guessing)
    looks = assign_looks(profile.models, profile.references)
    for model in (*profile.references, *profile.models):
        known = profile.figures[model.id]
        points = tuple((count, known[key]) for count, key in places if key in known)
        yield Series(model.name, looks[model.id], points, model.id)


def _trace(line: Series, profile: Profile) -> go.Scatter:
    metric = profile.metric
    figures = [figure for _, figure in line.points]
    return go.Scatter(
        name=plain(shorten_name(line.name)),
        meta=line.model,
        x=[count for count, _ in line.points],
        y=[figure.value * metric.scale for figure in figures],
        mode="lines+markers" if line.model else "lines",
        line={"color": line.look.colour, "dash": line.look.dash, "width": 2 if line.look.dash == "solid" else 1.5},
        marker={"symbol": line.look.marker or "circle", "size": 8},
        error_y=whiskers(figures, metric.scale, line.look.colour),
        customdata=[figure_with_unit(figure.value, metric) for figure in figures],
        hovertemplate="%{fullData.name}, %{x} images: %{customdata}<extra></extra>",
        cliponaxis=False,
    )


def _names(series: Sequence[Series], bounds: tuple[float, float]) -> Iterator[tuple[Series, float]]:
    """Each line with the height of its name, which stands clear of those of lines that end at the same number."""
    room = LINE / (HEIGHT - ABOVE - BELOW) * (bounds[1] - bounds[0])
    for last in {line.points[-1][0] for line in series}:
        ending = sorted(
            (line for line in series if line.points[-1][0] == last), key=lambda line: -line.points[-1][1].value
        )
        heights = keep_apart([line.points[-1][1].value for line in ending], room, bounds[0] + room / 2)
        yield from zip(ending, heights, strict=True)
