"""The chart of a tournament: how each picture's score moved from round to round."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go

from leaderboard.charts.chart import HAIRLINE, Chart, lay_out, plain, value_axis
from leaderboard.charts.ends import keep_apart
from leaderboard.charts.series import GLYPHS, GREY, PALETTE
from leaderboard.live.tournament import TournamentState
from leaderboard.tables.words import count, listed, shorten_name

NAMED = len(PALETTE)
"""So many of the best have a colour and a name; the others are hairlines."""
_LINE = 15
"""Letters in a line of a name."""
_NAME_ROOM = 0.7
"""Share of the width that names at the ends of lines may take."""


def convergence(state: TournamentState) -> Chart | None:
    """Score of each picture after each round; None before two rounds have a ranking."""
    rounds = [number for number, scores in enumerate(state.history, start=1) if scores is not None]
    if len(rounds) < 2:
        return None
    lines = {place: [float(scores[place]) for scores in state.history if scores is not None] for place in state.order}
    figure = go.Figure()
    for rank, place in reversed(list(enumerate(state.order))):
        figure.add_trace(_line(state.names[place], rank, rounds, lines[place]))
    ends = [lines[place][-1] for place in state.order[:NAMED]]
    names = [_in_lines(state.names[place]) for place in state.order[:NAMED]]
    room = 0.2 if any("<br>" in name for name in names) else 0.1
    heights = keep_apart(ends, room=(max(ends) - min(ends)) * room + 0.02)
    for rank, height in enumerate(heights):
        figure.add_annotation(
            x=rounds[-1],
            y=height,
            text=f"{GLYPHS[PALETTE[rank][1]]} {names[rank]}",
            xanchor="left",
            align="left",
            xshift=8,
            showarrow=False,
            font={"size": 11},
        )
    last = max(rounds[-1], rounds[0] + 1)
    top = math.ceil(max(abs(value) for values in lines.values() for value in values) * 2) / 2 or 0.5
    lay_out(
        figure,
        height=300,
        margin={"l": 8, "r": 8, "t": 8, "b": 40},
        xaxis=value_axis("Round", (rounds[0] - 0.3, last + (last - rounds[0]) * _NAME_ROOM), tickvals=_ticks(rounds)),
        yaxis=value_axis("Score, higher is better", (-top, top)),
    )
    best = listed(state.names[place] for place in state.order[:3])
    return Chart(figure, f"Scores after each of {count(len(state.history), 'round')}; {best} lead now.")


def _line(name: str, rank: int, rounds: Sequence[int], scores: Sequence[float]) -> go.Scatter:
    colour, marker = PALETTE[rank] if rank < NAMED else (HAIRLINE, "circle")
    return go.Scatter(
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


def _ticks(rounds: Sequence[int]) -> list[int]:
    step = math.ceil(len(rounds) / 6)
    return list(rounds[::step])
