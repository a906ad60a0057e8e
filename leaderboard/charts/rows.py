"""Charts in rows, named on the left: bars and dots with whiskers and a labelled chance line. They fit a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from leaderboard.charts.chart import CHANCE, HAIRLINE, lay_out, plain, value_axis
from leaderboard.charts.series import Look
from leaderboard.differences import Figure
from leaderboard.words import shorten

ROW = 26
"""Pixels of a row."""


@dataclass(frozen=True)
class Dot:
    """One figure in a row."""

    row: int
    figure: Figure
    hover: str


@dataclass(frozen=True)
class Kind:
    """Dots that look the same."""

    name: str
    look: Look
    dots: tuple[Dot, ...]
    label: bool = False
    """Whether the first dot carries the name."""


@dataclass(frozen=True)
class Frame:
    """What the dots stand on."""

    rows: tuple[str, ...]
    axis: str
    """Title of the value axis."""
    bounds: tuple[float, float]
    scale: float = 1.0
    chance: float | None = None
    chance_name: str = "chance"
    heads: tuple[int, ...] = ()
    """Rows that head those below them."""


def dots(frame: Frame, kinds: Sequence[Kind], joined: bool = False) -> go.Figure:
    """One row per name, dots with thin whiskers; `joined` draws a line between the outermost dots of a row."""
    chart = go.Figure()
    if joined:
        chart.add_trace(_lines_between(frame, kinds))
    for kind in kinds:
        texts = [kind.name if kind.label and dot.row == 0 else "" for dot in kind.dots]
        chart.add_scatter(
            name=plain(kind.name),
            x=[dot.figure.value * frame.scale for dot in kind.dots],
            y=[dot.row for dot in kind.dots],
            mode="markers+text" if kind.label else "markers",
            text=texts,
            textposition="top center",
            cliponaxis=False,
            marker={"color": kind.look.colour, "symbol": kind.look.marker, "size": 9},
            error_x=whiskers([dot.figure for dot in kind.dots], frame.scale, kind.look.colour),
            customdata=[plain(dot.hover) for dot in kind.dots],
            hovertemplate="%{customdata}<extra></extra>",
        )
    edge = 0.03 * (frame.bounds[1] - frame.bounds[0])
    return _finish(chart, frame, (frame.bounds[0] - edge, frame.bounds[1] + edge))


def bars(frame: Frame, values: Sequence[Figure | None], looks: Sequence[Look], hovers: Sequence[str]) -> go.Figure:
    """One bar per row; a row without a figure stays empty."""
    known = [(row, value) for row, value in enumerate(values) if value is not None]
    chart = go.Figure(
        go.Bar(
            orientation="h",
            x=[value.value * frame.scale for _, value in known],
            y=[row for row, _ in known],
            width=0.7,
            marker={"color": [looks[row].colour for row, _ in known]},
            error_x=whiskers([value for _, value in known], frame.scale, CHANCE),
            customdata=[plain(hovers[row]) for row, _ in known],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    return _finish(chart, frame)


def stacks(frame: Frame, parts: Sequence[tuple[str, str, Sequence[float]]]) -> go.Figure:
    """Shares that add up, one bar per row; `parts` are (name, colour, one share per row), named in the first bar."""
    chart = go.Figure(
        [
            go.Bar(
                name=name,
                orientation="h",
                x=[share * frame.scale for share in shares],
                y=list(range(len(shares))),
                width=0.7,
                marker={"color": colour},
                text=[name, *[""] * (len(shares) - 1)],
                textposition="inside",
                insidetextanchor="middle",
                hovertemplate=f"{name}: %{{x:.1f}} %<extra></extra>",
            )
            for name, colour, shares in parts
        ]
    )
    return _finish(chart, frame).update_layout(barmode="stack")


def _lines_between(frame: Frame, kinds: Sequence[Kind]) -> go.Scatter:
    x: list[float | None] = []
    y: list[int | None] = []
    for row in range(len(frame.rows)):
        values = [dot.figure.value * frame.scale for kind in kinds for dot in kind.dots if dot.row == row]
        x += [min(values), max(values), None] if values else []
        y += [row, row, None] if values else []
    return go.Scatter(x=x, y=y, mode="lines", line={"color": HAIRLINE, "width": 3}, hoverinfo="skip")


def whiskers(figures: Sequence[Figure], scale: float, colour: str) -> dict[str, Any]:
    """Thin intervals, for plotly's `error_x` and `error_y`; a figure without one has none."""
    up = [0.0 if one.high is None else (one.high - one.value) * scale for one in figures]
    down = [0.0 if one.low is None else (one.value - one.low) * scale for one in figures]
    return {
        "type": "data",
        "array": up,
        "arrayminus": down,
        "visible": any(up) or any(down),
        "thickness": 1,
        "width": 0,
        "color": colour,
    }


def _finish(chart: go.Figure, frame: Frame, ends: tuple[float, float] | None = None) -> go.Figure:
    rows = len(frame.rows)
    if frame.chance is not None:
        at = frame.chance * frame.scale
        chart.add_vline(x=at, line={"color": CHANCE, "width": 1, "dash": "dot"})
        chart.add_annotation(
            x=at, y=1, yref="paper", yanchor="bottom", text=frame.chance_name, showarrow=False, font={"size": 11}
        )
    return lay_out(
        chart,
        height=64 + 32 + ROW * rows,
        margin={"l": 8, "r": 24, "t": 32, "b": 48},
        xaxis=value_axis(frame.axis, ends or frame.bounds, frame.scale),
        yaxis={
            "tickvals": list(range(rows)),
            "ticktext": [_row_name(frame, row) for row in range(rows)],
            "range": [rows - 0.4, -0.9],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticks": "",
        },
    )


def _row_name(frame: Frame, row: int) -> str:
    name = plain(shorten(frame.rows[row], 30))
    return f"<b>{name}</b>" if row in frame.heads else name
