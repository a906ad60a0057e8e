"""Moves between two rankings: a line per item, named at its right end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from leaderboard.charts.chart import HAIRLINE, INK, lay_out, plain
from leaderboard.tables.words import shorten_name

UP, DOWN = "#0072b2", "#d55e00"
LABEL = 0.9
"""Ranks that a label needs."""
LONGEST_LABEL = 26
"""Characters of a name for which there is room on the narrowest phone."""


@dataclass(frozen=True)
class Move:
    """One item in two rankings."""

    name: str
    before: int
    after: int


def moves(items: Sequence[Move], before: str, after: str) -> go.Figure:
    """A line per item from its rank on the left to its rank on the right; first place on top."""
    chart = go.Figure()
    last = max(max(item.before, item.after) for item in items)
    for item in items:
        colour = INK if item.after == item.before else UP if item.after < item.before else DOWN
        chart.add_scatter(
            name=plain(shorten_name(item.name)),
            x=[0, 1],
            y=[item.before, item.after],
            mode="lines+markers",
            line={"color": colour, "width": 1 if item.after == item.before else 2},
            marker={"size": 7},
            hovertemplate=f"%{{fullData.name}}: {before} {item.before}, {after} {item.after}<extra></extra>",
        )
    spread = _spread([float(item.after) for item in items], LABEL)
    for item, place in zip(items, spread, strict=True):
        step = item.before - item.after
        sign = f" ▲{step}" if step > 0 else f" ▼{-step}" if step < 0 else ""
        _label(chart, 1, item.after, place, f"{item.after}{sign} {shorten_name(item.name, LONGEST_LABEL)}")
    for rank in {item.before for item in items}:
        chart.add_annotation(x=0, y=rank, xshift=-8, xanchor="right", showarrow=False, text=str(rank))
    for x, head, side in ((0, before, "center"), (1, after, "left")):  # on a phone both would touch in the middle
        text = head.replace(" ", "<br>", 1)
        chart.add_annotation(x=x, y=0.2, xanchor=side, align=side, yanchor="bottom", showarrow=False, text=text)
    return lay_out(
        chart,
        height=80 + 26 * last,
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        xaxis={"range": [-0.35, 3.7], "visible": False, "fixedrange": True},
        yaxis={"range": [last + 0.6, -0.6], "visible": False, "fixedrange": True},
    )


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
