"""Charts in rows, named on the left: stacked bars, or dots with whiskers and the line of chance. They fit a phone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from leaderboard.charts.chart import HAIRLINE, Figure, Look, lay_out, level, note, plain, trace, value_axis
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import shorten_name

ROW, TALL_ROW = 26, 34
"""Pixels of a row, and of one where names stand in two lines."""
LINE = 30
"""Characters of a row's name; a longer one stands in two small lines."""
TITLE, TITLE_LINE = 24, 16
"""Characters and pixels of a line of the axis' title: on a phone half of the width is the rows' names."""


@dataclass(frozen=True)
class Dot:
    """One figure in a row."""

    row: float
    """A whole number, and how far the dot stands below or above the row."""
    figure: Cell
    hover: str


@dataclass(frozen=True)
class DotGroup:
    """Dots that look the same."""

    name: str
    look: Look
    dots: Sequence[Dot]
    label: bool = False
    """Whether the first dot carries the name."""
    key: str = ""
    """What the page knows the group by."""


@dataclass(frozen=True)
class RowAxes:
    """What the dots stand on."""

    rows: Sequence[str]
    axis: str
    """Title of the value axis."""
    bounds: tuple[float, float]
    scale: float = 1.0
    chance: float | None = None
    chance_name: str = "chance"
    heads: Sequence[int] = ()
    """Rows that head those below them."""


def dots(axes: RowAxes, groups: Sequence[DotGroup], joined: bool = False) -> Figure:
    """One row per name, dots with thin whiskers; `joined` draws a line between the outermost dots of a row."""
    traces = [
        trace(
            name=plain(group.name),
            meta=group.key,
            x=[dot.figure.value * axes.scale for dot in group.dots],
            y=[dot.row for dot in group.dots],
            mode="markers+text" if group.label else "markers",
            text=[group.name if group.label and dot.row == 0 else "" for dot in group.dots],
            textposition="top center",
            cliponaxis=False,
            marker={"color": group.look.colour, "symbol": group.look.marker, "size": 9},
            error_x=whiskers([dot.figure for dot in group.dots], axes.scale, group.look.colour),
            customdata=[plain(dot.hover) for dot in group.dots],
            hovertemplate="%{customdata}<extra></extra>",
        )
        for group in groups
    ]
    if joined:
        traces.insert(0, _lines_between(axes, groups))
    edge = 0.03 * (axes.bounds[1] - axes.bounds[0])
    return _finish(traces, axes, (axes.bounds[0] - edge, axes.bounds[1] + edge))


def stacks(axes: RowAxes, parts: Sequence[tuple[str, str, Sequence[float | None]]]) -> Figure:
    """Shares that add up, one bar per row; `parts` are (name, colour, one share per row), named in the first bar.

    A row that heads others has no bar: its shares are None.
    """
    first = next((row for row in range(len(axes.rows)) if row not in axes.heads), 0)
    heads = [max((head for head in axes.heads if head < row), default=None) for row in range(len(axes.rows))]
    names = [
        f"{axes.rows[head]}, {name}" if head is not None else name for name, head in zip(axes.rows, heads, strict=True)
    ]
    traces = [
        trace(
            "bar",
            name=name,
            orientation="h",
            x=[None if share is None else share * axes.scale for share in shares],
            y=list(range(len(shares))),
            width=0.7,
            marker={"color": colour},
            text=[name if row == first else "" for row in range(len(shares))],
            textposition="inside",
            insidetextanchor="middle",
            customdata=[plain(row) for row in names],
            hovertemplate=f"%{{customdata}}, {name}: %{{x:.1f}} %<extra></extra>",
        )
        for name, colour, shares in parts
    ]
    return _finish(traces, axes, barmode="stack")


def _lines_between(axes: RowAxes, groups: Sequence[DotGroup]) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[int | None] = []
    for row in range(len(axes.rows)):
        values = [dot.figure.value * axes.scale for group in groups for dot in group.dots if dot.row == row]
        x += [min(values), max(values), None] if values else []
        y += [row, row, None] if values else []
    return trace(x=x, y=y, mode="lines", line={"color": HAIRLINE, "width": 3}, hoverinfo="skip", showlegend=False)


def whiskers(figures: Sequence[Cell], scale: float, colour: str) -> dict[str, Any]:
    """Thin intervals, for plotly's `error_x` and `error_y`; a figure without one has none."""
    up = [0.0 if figure.high is None else (figure.high - figure.value) * scale for figure in figures]
    down = [0.0 if figure.low is None else (figure.value - figure.low) * scale for figure in figures]
    return {
        "type": "data",
        "array": up,
        "arrayminus": down,
        "visible": any(up) or any(down),
        "thickness": 1,
        "width": 0,
        "color": colour,
    }


def _finish(
    traces: Sequence[dict[str, Any]], axes: RowAxes, ends: tuple[float, float] | None = None, **layout: Any
) -> Figure:
    rows, names = len(axes.rows), [_row_name(axes, row) for row in range(len(axes.rows))]
    title = [line for part in axes.axis.split(", ") for line in wrap(part, TITLE)]
    if axes.chance is not None:
        at = axes.chance * axes.scale
        layout["shapes"] = [level("x", at)]
        layout["annotations"] = [note(axes.chance_name, x=at, y=1, yref="paper", yanchor="bottom")]
    return lay_out(
        traces,
        height=64 + TITLE_LINE * len(title) + (TALL_ROW if any("<br>" in name for name in names) else ROW) * rows,
        margin={"l": 8, "r": 24, "t": 32, "b": 32 + TITLE_LINE * len(title)},
        xaxis=value_axis("<br>".join(title), ends or axes.bounds, axes.scale),
        yaxis={
            "tickvals": list(range(rows)),
            "ticktext": names,
            "range": [rows - 0.4, -0.9],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "ticks": "",
        },
        **layout,
    )


def _row_name(axes: RowAxes, row: int) -> str:
    lines = wrap(shorten_name(axes.rows[row], 2 * LINE), LINE)
    name = "<br>".join(map(plain, lines))
    if len(lines) > 1:
        name = f"<span style='font-size: 10px'>{name}</span>"
    return f"<b>{name}</b>" if row in axes.heads else name
