"""What all charts have in common: the look of their paper, axes and models, and their text alternative."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from qbench.models.catalogue import ModelFacts

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
INK = "#7c828d"
"""Readable on a light and on a dark page; the style sheet sharpens it to the page's own ink."""
HAIRLINE = "rgba(128, 134, 144, 0.3)"
CHANCE = "rgba(128, 134, 144, 0.9)"
AXIS = {"gridcolor": HAIRLINE, "zeroline": False, "fixedrange": True, "automargin": True}
"""What all axes have in common."""
Figure = dict[str, Any]
"""Traces and layout, as plotly's script takes them: its objects in Python would take longer than all else of a page."""
IN_TABLE = "The figures are in the table below."
"""The end of a text alternative: a table that stands under the chart is read better than a list of its marks."""
PALETTE = (
    ("#0072b2", "circle"),
    ("#e69f00", "square"),
    ("#009e73", "diamond"),
    ("#d55e00", "triangle-up"),
    ("#cc79a7", "star"),
    ("#56b4e9", "x"),
)
"""Okabe and Ito's colours but black and yellow, which vanish on a dark and on a light page; each with its own marker,
so that series stay apart without colour."""
GREY = "#808690"
GLYPHS = {
    "circle": "●",
    "square": "■",
    "diamond": "◆",
    "triangle-up": "▲",
    "star": "★",
    "x": "✖",
    "circle-open": "○",
    "square-open": "□",
    "diamond-open": "◇",
}
"""Markers as letters, for labels."""
HUMAN_MARKERS = ("circle-open", "square-open", "diamond-open")


def plotly_script() -> Path:
    """Plotly for the browser, as it comes with the package: for pages that draw without Gradio's own."""
    plotly = find_spec("plotly")  # imported, it would take half a second
    assert plotly is not None and plotly.origin is not None
    return Path(plotly.origin).parent / "package_data" / "plotly.min.js"


@dataclass(frozen=True)
class Chart:
    """A figure and what it says to those who cannot see it."""

    figure: Figure
    text: str


def lay_out(traces: Sequence[dict[str, Any]], height: int, **layout: Any) -> Figure:
    """Transparent paper, the page's font, no title, nothing to drag: the page scrolls over it."""
    usual = {
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
    return {"data": list(traces), "layout": usual | layout}


def trace(kind: str = "scatter", **parts: Any) -> dict[str, Any]:
    """What plotly draws of one series."""
    return {"type": kind, **parts}


def level(axis: Literal["x", "y"], at: float, dash: str = "dot") -> dict[str, Any]:
    """A thin line across the plot at a value of one axis."""
    other = "y" if axis == "x" else "x"
    return {
        "type": "line",
        f"{axis}0": at,
        f"{axis}1": at,
        f"{axis}ref": axis,
        f"{other}0": 0,
        f"{other}1": 1,
        f"{other}ref": f"{other} domain",
        "line": {"color": CHANCE, "width": 1, "dash": dash},
    }


def note(text: str, **place: Any) -> dict[str, Any]:
    """Words on the plot, without an arrow."""
    return {"text": text, "showarrow": False, "font": {"size": 11}, **place}


def value_axis(title: str, bounds: tuple[float, float], scale: float = 1, **more: Any) -> dict[str, Any]:
    """An axis with fixed ends, given in stored values and shown as people read them."""
    return {
        "title": {"text": title, "standoff": 8, "font": {"size": 12}},
        "range": [bounds[0] * scale, bounds[1] * scale],
        **AXIS,
        "ticks": "",
        **more,
    }


def written(chart: Chart) -> list[str]:
    """What is written along the axes: their titles, and the names of rows, columns and spokes."""
    layout, traces = chart.figure["layout"], chart.figure["data"]
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


class Look(NamedTuple):
    """Colour, line and marker of one series."""

    colour: str
    dash: str
    marker: str


def assign_looks(models: Iterable[ModelFacts], beside: Iterable[ModelFacts] = ()) -> dict[str, Look]:
    """Model id -> look. A model keeps its own colour unless one that comes earlier in a fixed order has it.

    People are grey and dashed, random guess grey and dotted, other models `beside` them grey, dashed and dotted. Past
    six models colours come again with open markers.
    """
    beside = list(beside)
    models = [*models, *beside]
    people = [model.id for model in models if model.kind == "human"]
    looks = {name: Look(GREY, "dash", HUMAN_MARKERS[i % len(HUMAN_MARKERS)]) for i, name in enumerate(sorted(people))}
    looks |= {model.id: Look(GREY, "dot", "line-ew-open") for model in models if model.kind == "reference"}
    looks |= {model.id: Look(GREY, "dashdot", "cross-thin-open") for model in beside if model.id not in looks}
    taken: list[int] = []
    for name in sorted((model.id for model in models if model.id not in looks), key=_digest):
        free = [i for i in range(len(PALETTE)) if taken.count(i) == min(map(taken.count, range(len(PALETTE))))]
        wanted = _digest(name) % len(PALETTE)
        place = min(free, key=lambda i: (i - wanted) % len(PALETTE))
        colour, marker = PALETTE[place]
        looks[name] = Look(colour, "solid", marker + "-open" * (place in taken))
        taken.append(place)
    return looks


def _digest(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
