"""Charts of the live pages: one photo among many, and what damage does to its score."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from leaderboard.charts.chart import CHANCE, HAIRLINE, Chart, lay_out, plain, value_axis
from leaderboard.charts.series import PALETTE
from leaderboard.live.photo_scores import DatasetScores, ScoreCurve
from qbench.distortions import LEVELS

_ROW = 150
_COLOUR, _MARKER = PALETTE[0]


def draw_dataset_scores(placed: DatasetScores) -> Chart:
    """Every score of a dataset as a tick, and the photo's own as a labelled line."""
    scores, own = placed.others, placed.own
    below = sum(score < own for score in scores)
    low, high = min(*scores, own), max(*scores, own)
    margin = 0.04 * ((high - low) or 1.0)
    figure = go.Figure()
    figure.add_scatter(
        x=list(scores),
        y=[0] * len(scores),
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 22, "color": CHANCE},
        hovertemplate="%{x:.3f}<extra></extra>",
    )
    figure.add_scatter(
        x=[own, own],
        y=[-0.8, 0.8],
        mode="lines+text",
        text=["", "this photo"],
        textposition="top right" if own < (low + high) / 2 else "top left",
        line={"color": _COLOUR, "width": 3},
        hovertemplate="this photo: %{x:.3f}<extra></extra>",
    )
    lay_out(
        figure,
        130,
        xaxis=value_axis(f"{placed.model}: {placed.unit}, higher is better", (low - margin, high + margin)),
        yaxis={"visible": False, "range": [-1, 1.8], "fixedrange": True},
    )
    return Chart(figure, f"The photo scores higher than {below} of {len(scores)} pictures of {placed.dataset}.")


def draw_curves(curves: Sequence[ScoreCurve], distortion: str) -> Chart:
    """A panel for each model, since each scores on a scale of its own; the untouched photo is level 0."""
    figure = make_subplots(rows=len(curves), cols=1, shared_xaxes=True, vertical_spacing=0.24 / len(curves))
    levels = [0, *LEVELS]
    for row, curve in enumerate(curves, start=1):
        figure.add_scatter(
            row=row,
            col=1,
            x=levels,
            y=list(curve.scores),
            mode="lines+markers",
            line={"color": _COLOUR},
            marker={"symbol": _MARKER, "size": 8},
            name=plain(curve.model),
            hovertemplate="%{fullData.name}, level %{x}: %{y:.4f}<extra></extra>",
        )
        figure.add_annotation(
            text=f"<b>{plain(curve.model)}</b>",
            x=0,
            y=1.0,
            xref="paper",
            yref=f"y{row if row > 1 else ''} domain",
            yanchor="bottom",
            xanchor="left",
            showarrow=False,
        )
    lay_out(figure, 60 + _ROW * len(curves))
    # Steps go by 1, 2 and 5: at most five of them are at least two, and of a single one no scale can be read.
    figure.update_yaxes(gridcolor=HAIRLINE, zeroline=False, fixedrange=True, automargin=True, nticks=5)
    figure.update_xaxes(gridcolor=HAIRLINE, zeroline=False, fixedrange=True, tickvals=levels)
    title = {"text": f"{distortion}, level (0 is untouched)", "standoff": 8}
    figure.update_xaxes(title=title, automargin=True, showticklabels=True, row=len(curves), col=1)
    text = "; ".join(f"{curve.model}: {', '.join(_shown(score) for score in curve.scores)}" for curve in curves)
    return Chart(figure, f"Quality scores from untouched to level {LEVELS[-1]} of {distortion}. {text}.")


def _shown(score: float | None) -> str:
    return "none" if score is None else f"{score:.4f}"
