"""The chart of a comparison: a radar, bars where columns are few and unlike each other, or a curve where they count."""

from __future__ import annotations

from leaderboard.analysis.compare import Profile
from leaderboard.charts.chart import Chart
from leaderboard.charts.curve import curve
from leaderboard.charts.dots_by_axis import dots_by_axis
from leaderboard.charts.radar import radar
from leaderboard.charts.rows import RowAxes, bars
from leaderboard.charts.series import Look, assign_looks
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import BETTER, figure_with_unit


def draw(profile: Profile, above_chance: bool, as_dots: bool = False) -> Chart:
    """The chart that suits the board; `as_dots` shows dots with intervals where a radar would do."""
    if profile.form == "curve":
        return curve(profile)
    if profile.form == "bars":
        return _grouped(profile)
    return (radar if profile.suits_radar and not as_dots else dots_by_axis)(profile, above_chance)


def _grouped(profile: Profile) -> Chart:
    """Q-Bench Fig. 11: one group of bars for each dimension, on the scores' own scale of 0 to 2 instead of 0 to 1."""
    looks = assign_looks(profile.models, profile.references)
    rows: list[tuple[str, Cell | None, Look, str]] = []
    heads: list[int] = []
    for axis in profile.axes:
        heads.append(len(rows))
        rows.append((profile.labels[axis.key], None, Look("", "", ""), ""))
        for model in profile.everyone:
            value = profile.figures[model.id].get(axis.key)
            read = figure_with_unit(value.value, axis.metric) if value else "no figure"
            rows.append((model.name, value, looks[model.id], f"{model.name}, {profile.labels[axis.key]}: {read}"))
    axes = RowAxes(
        rows=tuple(name for name, *_ in rows),
        axis=f"{profile.metric.label}, {BETTER[profile.metric.direction]}",
        bounds=profile.bounds,
        scale=profile.metric.scale,
        heads=tuple(heads),
    )
    hovers = [hover for *_, hover in rows]
    chart = bars(axes, [value for _, value, _, _ in rows], [look for _, _, look, _ in rows], hovers)
    return Chart(chart, "Bars by dimension. " + " ".join(f"{hover}." for hover in hovers if hover))
