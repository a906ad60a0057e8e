"""Lines named at their right end: figures over datasets against what chance reaches, and moves between two rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from leaderboard.charts.chart import CHANCE, HAIRLINE, INK, lay_out, plain, value_axis
from leaderboard.charts.series import GLYPHS, Look
from leaderboard.words import shorten

UP, DOWN = "#0072b2", "#d55e00"
BAND = "rgba(128, 134, 144, 0.18)"
LINE = 15
"""Pixels that a label needs."""


@dataclass(frozen=True)
class Line:
    """One series over the places of the x axis; None is a gap."""

    name: str
    look: Look
    values: tuple[float | None, ...]
    hovers: tuple[str, ...]


@dataclass(frozen=True)
class Band:
    """What chance reaches at each place: mean and range."""

    name: str
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Move:
    """One item in two rankings."""

    name: str
    before: int
    after: int


def lines(
    places: Sequence[str], series: Sequence[Line], band: Band, axis: str, bounds: tuple[float, float]
) -> go.Figure:
    """Points joined over the places, above the band of chance."""
    height = 420
    chart = go.Figure()
    at = list(range(len(places)))
    chart.add_scatter(
        x=[*at, *at[::-1]],
        y=[*band.high, *band.low[::-1]],
        mode="lines",
        fill="toself",
        fillcolor=BAND,
        line={"width": 0},
        hoverinfo="skip",
    )
    chart.add_scatter(
        name=band.name,
        x=at,
        y=list(band.mean),
        mode="lines",
        line={"color": CHANCE, "dash": "dot", "width": 1},
        hovertemplate="%{fullData.name}: %{y:.2f}<extra></extra>",
    )
    for one in series:
        chart.add_scatter(
            name=plain(shorten(one.name)),
            x=at,
            y=list(one.values),
            mode="lines+markers",
            line={"color": one.look.colour, "dash": one.look.dash, "width": 1},
            marker={"symbol": one.look.marker, "size": 8},
            customdata=[plain(hover) for hover in one.hovers],
            hovertemplate="%{customdata}<extra></extra>",
        )
    ends = [(_marked(one), value) for one in series if (value := one.values[-1]) is not None]
    ends.append((band.name, band.mean[-1]))
    spread = _spread([value for _, value in ends], LINE * (bounds[1] - bounds[0]) / (height - 140))
    for (name, value), place in zip(ends, spread, strict=True):
        _label(chart, at[-1], value, place, name)
    return lay_out(
        chart,
        height=height,
        margin={"l": 8, "r": 16 + 7 * max(len(name) for name, _ in ends), "t": 16, "b": 96},
        xaxis={
            "tickvals": at,
            "ticktext": [plain(place) for place in places],
            "range": [-0.3, len(places) - 0.9],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "tickangle": -45,
        },
        yaxis=value_axis(axis, bounds),
    )


def moves(items: Sequence[Move], before: str, after: str) -> go.Figure:
    """A line per item from its rank on the left to its rank on the right; first place on top."""
    chart = go.Figure()
    last = max(max(item.before, item.after) for item in items)
    for item in items:
        colour = INK if item.after == item.before else UP if item.after < item.before else DOWN
        chart.add_scatter(
            name=plain(shorten(item.name)),
            x=[0, 1],
            y=[item.before, item.after],
            mode="lines+markers",
            line={"color": colour, "width": 1 if item.after == item.before else 2},
            marker={"size": 7},
            hovertemplate=f"%{{fullData.name}}: {item.before} to {item.after}<extra></extra>",
        )
    spread = _spread([float(item.after) for item in items], 0.9)
    for item, place in zip(items, spread, strict=True):
        step = item.before - item.after
        sign = f" ▲{step}" if step > 0 else f" ▼{-step}" if step < 0 else ""
        _label(chart, 1, item.after, place, f"{item.after}{sign} {shorten(item.name, 24)}")
    for rank in {item.before for item in items}:
        chart.add_annotation(x=0, y=rank, xshift=-8, xanchor="right", showarrow=False, text=str(rank))
    for x, head in ((0, before), (1, after)):
        chart.add_annotation(x=x, y=0.2, yanchor="bottom", showarrow=False, text=head)
    return lay_out(
        chart,
        height=80 + 26 * last,
        margin={"l": 8, "r": 8, "t": 16, "b": 8},
        xaxis={"range": [-0.35, 2.3], "visible": False, "fixedrange": True},
        yaxis={"range": [last + 0.6, -0.6], "visible": False, "fixedrange": True},
    )


def _marked(one: Line) -> str:
    """Name with its marker, which ties it to its line."""
    return f"{GLYPHS.get(one.look.marker, '')} {shorten(one.name, 20)}".strip()


def _label(chart: go.Figure, x: float, value: float, place: float, name: str) -> None:
    """A name right of a point, shifted up or down to where there is room."""
    chart.add_annotation(
        x=x,
        y=place,
        text=plain(name),
        showarrow=False,
        xanchor="left",
        xshift=12,
        align="left",
    )
    if abs(place - value) > 1e-9:
        chart.add_shape(type="line", x0=x, x1=x, y0=value, y1=place, line={"color": HAIRLINE, "width": 1})


def _spread(values: Sequence[float], gap: float) -> list[float]:
    """Places near the values, in their order, at least `gap` apart: neighbours that collide share a block."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    blocks: list[list[int]] = []
    centres: list[float] = []
    for i in order:
        blocks.append([i])
        centres.append(values[i])
        while len(blocks) > 1 and centres[-1] - centres[-2] < gap * (len(blocks[-1]) + len(blocks[-2])) / 2:
            merged = blocks[-2] + blocks[-1]
            blocks[-2:] = [merged]
            centres[-2:] = [sum(values[j] for j in merged) / len(merged)]
    places = [0.0] * len(values)
    for block, centre in zip(blocks, centres, strict=True):
        for position, i in enumerate(block):
            places[i] = centre + gap * (position - (len(block) - 1) / 2)
    return places
