"""Charts of the live pages: one photo among many, what damage does to its score, own images, rounds of a tournament."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from leaderboard.charts.chart import (
    AXIS,
    CHANCE,
    GLYPHS,
    GREY,
    HAIRLINE,
    IN_TABLE,
    PALETTE,
    Chart,
    keep_apart,
    lay_out,
    note,
    plain,
    trace,
    value_axis,
)
from leaderboard.live.own_images import OwnRun
from leaderboard.live.photo_scores import DatasetScores, ScoreCurve
from leaderboard.live.tournament import Tournament
from leaderboard.tables.words import count, listed, shorten_name
from qbench.distortions import LEVELS

_ROW = 150
_COLOUR, _MARKER = PALETTE[0]


def draw_dataset_scores(placed: DatasetScores) -> Chart:
    """Every score of a dataset as a tick, and the photo's own as a labelled line."""
    scores, own = placed.others, placed.own
    below = sum(score < own for score in scores)
    low, high = min(*scores, own), max(*scores, own)
    margin = 0.04 * ((high - low) or 1.0)
    ticks = trace(
        x=list(scores),
        y=[0] * len(scores),
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 22, "color": CHANCE},
        hovertemplate="%{x:.3f}<extra></extra>",
    )
    photo = trace(
        x=[own, own],
        y=[-0.8, 0.8],
        mode="lines+text",
        text=["", "this photo"],
        textposition="top right" if own < (low + high) / 2 else "top left",
        line={"color": _COLOUR, "width": 3},
        hovertemplate="this photo: %{x:.3f}<extra></extra>",
    )
    figure = lay_out(
        [ticks, photo],
        130,
        xaxis=value_axis(f"{placed.model}: {placed.unit}, higher is better", (low - margin, high + margin)),
        yaxis={"visible": False, "range": [-1, 1.8], "fixedrange": True},
    )
    return Chart(figure, f"The photo scores higher than {below} of {len(scores)} pictures of {placed.dataset}.")


def draw_curves(curves: Sequence[ScoreCurve], distortion: str) -> Chart:
    """A panel for each model, since each scores on a scale of its own; the untouched photo is level 0."""
    levels = [0, *LEVELS]
    axes = ["y", *(f"y{number}" for number in range(2, len(curves) + 1))]
    traces = [
        trace(
            xaxis="x",
            yaxis=axis,
            x=levels,
            y=list(curve.scores),
            mode="lines+markers",
            line={"color": _COLOUR},
            marker={"symbol": _MARKER, "size": 8},
            name=plain(curve.model),
            hovertemplate="%{fullData.name}, level %{x}: %{y:.4f}<extra></extra>",
        )
        for axis, curve in zip(axes, curves, strict=True)
    ]
    heads = [
        note(f"<b>{plain(curve.model)}</b>", x=0, xref="paper", xanchor="left", y=1, yref=f"{axis} domain")
        | {"yanchor": "bottom", "font": {"size": 12}}
        for axis, curve in zip(axes, curves, strict=True)
    ]
    title = {"text": f"{distortion}, level (0 is untouched)", "standoff": 8}
    figure = lay_out(
        traces,
        60 + _ROW * len(curves),
        grid={"rows": len(curves), "columns": 1, "ygap": 0.22},
        annotations=heads,
        xaxis=AXIS | {"tickvals": levels, "title": title},
        # Steps go by 1, 2 and 5: at most five of them are at least two, and of a single one no scale can be read.
        **{axis.replace("y", "yaxis"): AXIS | {"nticks": 5} for axis in axes},
    )
    return Chart(figure, f"Quality scores from untouched to level {LEVELS[-1]} of {distortion}. {IN_TABLE}")


def draw_own_images(done: OwnRun) -> Chart | None:
    """One dot an image; None where fewer than two have a score."""
    scored = [score for score in done.ranked if score.value is not None]
    if len(scored) < 2:
        return None
    rated = all(score.truth is not None for score in scored)
    values = [float(score.value or 0.0) for score in scored]
    low, high = min(values), max(values)
    margin = 0.06 * ((high - low) or 1.0)
    across = [score.truth for score in scored] if rated else list(range(1, len(scored) + 1))
    title = "your score, higher is better" if rated else "images, the best first"
    images = trace(
        x=across,
        y=values,
        mode="markers",
        marker={"color": _COLOUR, "size": 8, "opacity": 0.8},
        text=[plain(score.sample) for score in scored],
        hovertemplate="%{text}<br>%{y:.4f}<extra></extra>",
    )
    unit = value_axis(f"{plain(done.model)}, higher is better", (low - margin, high + margin))
    figure = lay_out([images], 320, xaxis=AXIS | {"title": {"text": title, "standoff": 8}}, yaxis=unit)
    best, worst = scored[0].sample, scored[-1].sample
    return Chart(figure, f"{len(scored)} images: {best} has the highest score, {worst} the lowest.")


def plot_page(chart: Chart | None) -> str:
    """The chart as a page that needs no network; a sentence where there is none."""
    if chart is None:
        return "<!doctype html><p>Fewer than two images have a score, so there is no plot.</p>"
    import plotly.io  # here alone, since it takes half a second

    return str(plotly.io.to_html(chart.figure, include_plotlyjs=True, full_html=True, validate=False))


NAMED = len(PALETTE)
"""So many of the best have a colour and a name; the others are hairlines."""
_LINE = 15
"""Letters in a line of a name."""
_HEIGHT, _AXIS, _LINE_HEIGHT = 300, 48, 14
"""Pixels of the chart of rounds, of what is above and below its plot, and of a line of a name."""
_NAME_ROOM = 0.7
"""Share of the width that names at the ends of lines may take."""


def convergence(known: Tournament) -> Chart | None:
    """Score of each picture after each round; None before two rounds have a ranking."""
    rounds = [number for number, scores in enumerate(known.history, start=1) if scores is not None]
    if len(rounds) < 2:
        return None
    lines = {place: [float(scores[place]) for scores in known.history if scores is not None] for place in known.order}
    drawn = [_line(known.names[place], rank, rounds, lines[place]) for rank, place in enumerate(known.order)]
    ends = [lines[place][-1] for place in known.order[:NAMED]]
    names = [_in_lines(known.names[place]) for place in known.order[:NAMED]]
    top = math.ceil(max(abs(value) for values in lines.values() for value in values) * 2) / 2 or 0.5
    name_lines = 2 if any("<br>" in name for name in names) else 1
    heights = keep_apart(ends, room=2 * top * name_lines * _LINE_HEIGHT / (_HEIGHT - _AXIS))
    at_ends = {"x": rounds[-1], "xanchor": "left", "align": "left", "xshift": 8}
    last = max(rounds[-1], rounds[0] + 1)
    figure = lay_out(
        drawn[::-1],
        height=_HEIGHT,
        annotations=[
            note(f"{GLYPHS[marker]} {name}", y=height, **at_ends)
            for (_, marker), name, height in zip(PALETTE, names, heights, strict=False)
        ],
        margin={"l": 8, "r": 8, "t": 8, "b": _AXIS - 8},
        xaxis=value_axis(
            "Round",
            (rounds[0] - 0.3, last + (last - rounds[0]) * _NAME_ROOM),
            tickvals=rounds[:: math.ceil(len(rounds) / 6)],
        ),
        yaxis=value_axis("Score, higher is better", (-top, top)),
    )
    best = listed(known.names[place] for place in known.order[:3])
    return Chart(figure, f"Scores after each of {count(len(known.history), 'round')}; the first three are {best}.")


def _line(name: str, rank: int, rounds: Sequence[int], scores: Sequence[float]) -> dict[str, Any]:
    colour, marker = PALETTE[rank] if rank < NAMED else (HAIRLINE, "circle")
    return trace(
        x=list(rounds),
        y=list(scores),
        name=plain(shorten_name(name)),
        mode="lines+markers" if rank < NAMED else "lines",
        line={"color": colour if rank < NAMED else GREY, "width": 2 if rank < NAMED else 0.5},
        marker={"symbol": marker, "size": 6},
        hovertemplate="%{fullData.name}: %{y:.2f} after round %{x}<extra></extra>",
    )


def _in_lines(name: str) -> str:
    """A name in two lines at most, so that photos of one subject are told apart by how their names end."""
    return "<br>".join(map(plain, textwrap.wrap(shorten_name(name, 2 * _LINE), _LINE)))
