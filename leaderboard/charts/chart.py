"""What every chart has in common: the look of its paper, its axes and its text alternative."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK = "#7c828d"
"""Readable on a light and on a dark page; the style sheet sharpens it to the page's own ink."""
HAIRLINE = "rgba(128, 134, 144, 0.3)"
CHANCE = "rgba(128, 134, 144, 0.9)"
IN_TABLE = "The figures are in the table below."
"""The end of a text alternative: a table that stands under the chart is read better than a list of its marks."""


def plotly_script() -> Path:
    """Plotly for the browser, as it comes with the package: for pages that draw without Gradio's own."""
    return Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


@dataclass(frozen=True)
class Chart:
    """A figure and what it says to those who cannot see it."""

    figure: go.Figure
    text: str


def lay_out(figure: go.Figure, height: int, **layout: Any) -> go.Figure:
    """Transparent paper, the page's font, no title, nothing to drag: the page scrolls over it.

    Set at once: `update_layout` compares key by key, and took half of the time of a static site.
    """
    usual = {
        "template": "none",
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": INK},
        "hoverlabel": {"font": {"family": FONT, "size": 12}},
        "dragmode": False,
        "showlegend": False,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
        "margin": {"l": 8, "r": 8, "t": 24, "b": 8},
    }
    drawn = figure.layout.to_plotly_json()  # such as shapes; with plotly's own template
    figure.layout = drawn | usual | layout
    return figure


def value_axis(title: str, bounds: tuple[float, float], scale: float = 1, **more: Any) -> dict[str, Any]:
    """An axis with fixed ends, given in stored values and shown as people read them."""
    return {
        "title": {"text": title, "standoff": 8, "font": {"size": 12}},
        "range": [bounds[0] * scale, bounds[1] * scale],
        "gridcolor": HAIRLINE,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
        "ticks": "",
        **more,
    }


def written(chart: Chart) -> list[str]:
    """What is written along the axes: their titles, and the names of rows, columns and spokes."""
    drawn = chart.figure.to_dict()
    layout, traces = drawn["layout"], drawn.get("data", [])
    axes = [axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))]
    titles = [text for axis in axes if (text := axis.get("title", {}).get("text"))]
    names = [name for axis in axes for name in axis.get("ticktext") or ()]
    along = [trace.get(axis) for trace in traces for axis in ("x", "y", "theta")]
    names += [name for values in along if isinstance(values, list | tuple) for name in values]
    return [*titles, *dict.fromkeys(name for name in names if isinstance(name, str))]


def plain(text: str) -> str:
    """Text that plotly shows as it stands: names come from anybody, and plotly reads some HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def keep_apart(ends: Sequence[float], room: float, floor: float = -math.inf) -> list[float]:
    """Where the names of lines go, which end at these heights, from the top down.

    Each stands at its line's end, or lower where the name above needs the room; higher again only where the floor is.
    """
    places: list[float] = []
    for end in ends:
        places.append(min(end, places[-1] - room) if places else end)
    for place in reversed(range(len(places))):
        places[place] = max(places[place], floor)
        floor = places[place] + room
    return places
