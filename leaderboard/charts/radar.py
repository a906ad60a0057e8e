"""A comparison as a radar: Q-Bench Figs. 9 and 14, UniSim-Bench Fig. 1."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import CHANCE, HAIRLINE, Chart, lay_out, plain
from leaderboard.charts.labels import LabelPlace, place_labels
from leaderboard.charts.series import GLYPHS, Look, assign_looks
from leaderboard.tables.columns import COMPARED_DECIMALS, Metric
from leaderboard.tables.words import count, figure, figure_with_unit, listed, shorten_name
from qbench.models.catalogue import ModelFacts

LABELLED = 5
"""Up to so many series are named at the line; more get a legend."""


@dataclass(frozen=True)
class Line:
    """What is drawn of one model, or of chance."""

    name: str
    look: Look
    values: tuple[float | None, ...]
    """As stored, one per axis."""
    model: str = ""
    """Id; empty for a chance level that no row holds."""


def radar(profile: Profile, above_chance: bool) -> Chart:
    """The profile's models and references on its axes, as they are or minus the chance level of each axis."""
    series = lines_of(profile, above_chance)
    bounds = (profile.bounds_above_chance if above_chance else None) or profile.bounds
    names = ["<br>".join(textwrap.wrap(plain(profile.labels[axis.key]), 12)) for axis in profile.axes]
    places = _label_places(series, names, bounds) if len(series) <= LABELLED else [None] * len(series)
    chart = go.Figure(
        [_trace(line, names, profile, place, above_chance) for line, place in zip(series, places, strict=True)]
    )
    scale, turn = profile.metric.scale, 90 - 180 / len(profile.axes)
    lay_out(
        chart,
        height=400 if places[0] else 460,
        margin={"l": 84, "r": 84, "t": 40, "b": 40 if places[0] else 100},
        showlegend=not places[0],
        polar={
            "bgcolor": "rgba(0,0,0,0)",
            "radialaxis": {
                "range": [bounds[0] * scale, bounds[1] * scale],
                "gridcolor": HAIRLINE,
                "linecolor": HAIRLINE,
                "showline": False,
                "nticks": 6,
                "angle": turn,
                "tickangle": turn,
                "ticks": "",
                "tickfont": {"size": 11},
            },
            "angularaxis": {"direction": "clockwise", "rotation": 90, "gridcolor": HAIRLINE, "linecolor": HAIRLINE},
        },
    )
    return Chart(chart, describe(profile, series, above_chance, "Radar"))


def lines_of(profile: Profile, above_chance: bool) -> list[Line]:
    """References first, so that models lie above them; the chance level is a ring once it is subtracted."""
    if above_chance and profile.bounds_above_chance is None:
        raise ValueError("an axis without a chance level cannot have it subtracted")
    looks = assign_looks(profile.models, profile.references)
    keys = [axis.key for axis in profile.axes]
    base = {key: profile.chance[key] if above_chance else 0.0 for key in keys}
    lines = [
        Line(model.name, looks[model.id], tuple(_value(profile, model, key, base[key]) for key in keys), model.id)
        for model in (*profile.references, *profile.models)
        if not (above_chance and model.kind == "reference")
    ]
    dotted = Look(CHANCE, "dot", "line-ew-open")
    if above_chance:
        lines.insert(0, Line("Chance", dotted, (0.0,) * len(keys)))
    elif profile.chance and not any(reference.kind == "reference" for reference in profile.references):
        lines.insert(0, Line("Chance", dotted, tuple(profile.chance.get(key) for key in keys)))
    return lines


def _value(profile: Profile, model: ModelFacts, key: str, base: float) -> float | None:
    known = profile.figures[model.id].get(key)
    return None if known is None else known.value - base


def read_value(value: float, metric: Metric, above_chance: bool) -> str:
    """A value as it is read out, with what was subtracted."""
    return f"{figure_with_unit(value, metric)}{' above chance' if above_chance else ''}"


def _trace(
    line: Line, names: Sequence[str], profile: Profile, place: LabelPlace | None, above_chance: bool
) -> go.Scatterpolar:
    metric = profile.metric
    values = [None if value is None else value * metric.scale for value in line.values]
    read = ["" if value is None else read_value(value, metric, above_chance) for value in line.values]
    name = plain(shorten_name(line.name))
    label: dict[str, Any] = {"mode": "lines+markers"}
    if place is not None:
        texts = [plain(_label(line)) if axis == place.axis else "" for axis in range(len(names))]
        label = {"mode": "lines+markers+text", "text": [*texts, ""], "textposition": place.position}
    quiet = line.look.dash != "solid"
    return go.Scatterpolar(
        name=name,
        meta=line.model,
        theta=[*names, names[0]],
        r=[*values, values[0]],
        customdata=[*read, read[0]],
        hovertemplate="%{fullData.name}<br>%{theta}: %{customdata}<extra></extra>",
        line={"color": line.look.colour, "dash": line.look.dash, "width": 1.5 if quiet else 2},
        marker={"symbol": line.look.marker, "size": 5 if quiet else 8},
        connectgaps=False,
        cliponaxis=False,
        **label,
    )


def _label_places(series: Sequence[Line], names: Sequence[str], bounds: tuple[float, float]) -> list[LabelPlace]:
    span = bounds[1] - bounds[0]
    radii = [[None if value is None else (value - bounds[0]) / span for value in line.values] for line in series]
    return place_labels([_label(line) for line in series], radii, names)


def _label(line: Line) -> str:
    """Name with its marker, which ties it to its line."""
    return f"{GLYPHS.get(line.look.marker, '')} {shorten_name(line.name, 26)}".strip()


def describe(profile: Profile, series: Sequence[Line], above_chance: bool, form: str) -> str:
    """The chart in words: who is ahead on how many axes, and what the middle and the rim mean."""
    bounds = (profile.bounds_above_chance if above_chance else None) or profile.bounds
    metric = profile.metric
    ahead: dict[str, int] = {}
    models = [line for line in series if line.model in {model.id for model in profile.models}]
    for axis in range(len(profile.axes)):
        known = [
            (round(value, COMPARED_DECIMALS), line.name) for line in models if (value := line.values[axis]) is not None
        ]
        known.sort()
        if len(known) > 1 and known[-1][0] > known[-2][0]:  # of equal ones nobody leads
            ahead[known[-1][1]] = ahead.get(known[-1][1], 0) + 1
    led = listed(f"{name} leads on {n}" for name, n in sorted(ahead.items(), key=lambda item: -item[1]))
    ends = f"{figure(bounds[0], metric)} to {figure(bounds[1], metric)} {metric.unit}".rstrip()
    what = f"{metric.label}{' above chance' if above_chance else ''}"
    return (
        f"{form} of {listed(line.name for line in series)} on {count(len(profile.axes), 'axis', 'axes')}: "
        f"{listed(profile.labels[axis.key] for axis in profile.axes)}. {what}, {ends}. "
        f"{led + '. ' if led else ''}The figures are in the table below."
    )
