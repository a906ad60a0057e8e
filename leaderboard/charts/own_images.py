"""A model's scores of a visitor's images: against theirs where there are some, else in order."""

from __future__ import annotations

import plotly.graph_objects as go

from leaderboard.charts.chart import HAIRLINE, Chart, lay_out, plain, value_axis
from leaderboard.charts.series import PALETTE
from leaderboard.live.own_images import OwnRun

_COLOUR = PALETTE[0][0]


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
    figure = go.Figure()
    figure.add_scatter(
        x=across,
        y=values,
        mode="markers",
        marker={"color": _COLOUR, "size": 8, "opacity": 0.8},
        text=[plain(score.sample) for score in scored],
        hovertemplate="%{text}<br>%{y:.4f}<extra></extra>",
    )
    unit = value_axis(f"{plain(done.model)}, higher is better", (low - margin, high + margin))
    base = {"gridcolor": HAIRLINE, "zeroline": False, "fixedrange": True, "automargin": True}
    lay_out(figure, 320, xaxis={**base, "title": {"text": title, "standoff": 8}}, yaxis=unit)
    best, worst = scored[0].sample, scored[-1].sample
    return Chart(figure, f"{len(scored)} images: {best} has the highest score, {worst} the lowest.")


def plot_page(chart: Chart | None) -> str:
    """The chart as a page that needs no network; a sentence where there is none."""
    if chart is None:
        return "<!doctype html><p>Fewer than two images have a score, so there is no plot.</p>"
    return str(chart.figure.to_html(include_plotlyjs=True, full_html=True))
