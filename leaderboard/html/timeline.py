"""Models by release month in words: whether the field is at people's level, who is not in the chart, the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.analysis.overview import PeopleLevel, Scored, Timeline
from leaderboard.charts.overview import size_text, timeline_chart, weights_text
from leaderboard.html import markup
from leaderboard.html.chart_block import chart_block
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.tables.columns import Column
from leaderboard.tables.differences import ModelDifference
from leaderboard.tables.words import cite, figure, figure_with_unit, gap_text, listed

KEY = (
    "● open weights  ◇ closed weights  □ unknown. A larger mark is a model with more parameters; the smallest are "
    "models of unknown size."
)
LEVEL_QUESTION = "is the field at people's level?"
BEST_QUESTION = "who was best, and when?"


def timeline_block(timeline: Timeline, as_of: str) -> dict[str, Any]:
    """The chart with its words; `as_of` says which data."""
    metric = timeline.column.metric
    shown = [*timeline.dated, *timeline.undated]
    header = ["Model", "Released", "Parameters (billions)", "Weights", metric.label, "95 % from", "95 % to"]
    rows = [
        [
            scored.model.name,
            scored.model.released or "",
            "" if scored.model.parameters is None else f"{scored.model.parameters:g}",
            weights_text(scored.model),
            *(
                "" if value is None else f"{value * metric.scale:.{metric.decimals}f}"
                for value in (scored.figure.value, scored.figure.low, scored.figure.high)
            ),
        ]
        for scored in shown
    ]
    return chart_block(
        key="released",
        title=f"{timeline.board.title}: {LEVEL_QUESTION if timeline.people else BEST_QUESTION}",
        finding=people_sentence(timeline),
        chart=timeline_chart(timeline) if timeline.dated else None,
        rows=[header, *rows],
        under=markup.join(
            markup.paragraph(KEY if timeline.dated else "", "qb-note"),
            markup.paragraph(_undated(timeline), "qb-note"),
            markup.paragraph(cite(timeline.sources, as_of), "qb-source"),
            _timeline_table(timeline, shown),
        ),
    )


def _undated(timeline: Timeline) -> str:
    if not timeline.undated:
        return ""
    names = listed(scored.model.name for scored in timeline.undated)
    return f"Not in the chart, because their release month is unknown: {names}."


def _timeline_table(timeline: Timeline, shown: Sequence[Scored]) -> Html:
    metric = timeline.column.metric
    records = {scored.model.id for scored in timeline.records}
    rows: list[HtmlRow] = [
        [
            scored.model.name,
            HtmlCell(
                figure(scored.figure.value, metric),
                "best so far" if scored.model.id in records else "",
                "strong" if scored.model.id in records else "",
            ),
            scored.model.released or "–",
            size_text(scored.model),
            weights_text(scored.model),
        ]
        for scored in shown
    ]
    unit = f"{metric.label} ({metric.unit})" if metric.unit else metric.label
    table = markup.table(
        ["", unit, "Released", "Size", "Weights"], rows, "By release month", timeline.board.title, "qb-figures"
    )
    return markup.folded("Table", table)


def people_sentence(timeline: Timeline) -> str:
    """Whether the field is at people's level, and who was the first."""
    column = timeline.column
    told = [_people(level, column, timeline.best) for level in timeline.people]
    if not told and timeline.best:
        best = timeline.best
        told = [f"The best so far is {best.model.name} with {figure_with_unit(best.figure.value, column.metric)}."]
    return " ".join(told)


def verdict(pair: ModelDifference) -> str:
    """Whether two models are apart, in words."""
    return {
        True: "more than chance explains",
        False: "which chance alone may explain",
        None: "and the records do not say whether chance explains it",
    }[pair.apart]


def _people(level: PeopleLevel, column: Column, best: Scored | None) -> str:
    people = f"{level.people.model.name} ({figure_with_unit(level.people.figure.value, column.metric)})"
    if level.first:
        return (
            f"{level.first.model.name}, released {level.first.model.released}, was the first to be level with {people}."
        )
    if level.nearest and best:
        behind = f"{best.model.name} is {gap_text(level.nearest.value, column.metric)} behind, {verdict(level.nearest)}"
        return f"No model is level with {people} yet: {behind}."
    return f"Only models without a known release month are level with {people}."
