"""What every chart has in common: the look of its paper, its axes and its text alternative."""

from __future__ import annotations

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
KEY_ROW = 20
"""Pixels of one line of a key."""
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


def lay_out(figure: go.Figure, height: int, *, keyed: bool = False, **layout: Any) -> go.Figure:
    """Transparent paper, the page's font, no title, nothing to drag: the page scrolls over it.

    `keyed` adds a key above, a line for each series: so every name is whole at any width, and covers nothing.
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
        "showlegend": keyed,
        "margin": {"l": 8, "r": 8, "t": 24, "b": 8},
    }
    drawn = figure.layout.to_plotly_json()  # such as shapes; with plotly's own template
    made = drawn | usual | layout
    if keyed:
        rows = KEY_ROW * sum(trace.showlegend is not False for trace in figure.data)
        made["legend"] = {
            "x": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "itemclick": False,
            **layout.get("legend", {}),
        }
        made["margin"] = {**made["margin"], "t": made["margin"]["t"] + rows}
        made["height"] += rows
    figure.layout = made
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
