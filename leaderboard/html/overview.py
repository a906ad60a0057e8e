"""The overview as the browser gets it: sentences with their links, and each chart with its words, table and rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from leaderboard.analysis.overview import (
    BYTES_A_PARAMETER,
    CARD,
    LARGEST_ON_CARD,
    MARGIN,
    SMALL,
    BoardOverview,
    Choice,
    OpenAndClosed,
    PeopleLevel,
    Scored,
    Timeline,
)
from leaderboard.charts.chart import Chart
from leaderboard.charts.overview import size_text, timeline_chart, weights_text
from leaderboard.html import markup
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.tables.columns import Board, Column
from leaderboard.tables.differences import ModelDifference
from leaderboard.tables.view import LEADERBOARD, PageView, link, model_address
from leaderboard.tables.words import cite, count, figure, figure_with_unit, listed, percent

ON_CARD = (
    f"Counted with {BYTES_A_PARAMETER} bytes a parameter and {percent(MARGIN)} more for images, prompt and answer: "
    f"at most {LARGEST_ON_CARD:.3g} billion parameters in {CARD} GB. Parameters are nominal, as in a model's name."
)
KEY = "● open weights  ◇ closed  □ not known; the larger the mark, the more parameters, smallest where not known."
LEVEL_QUESTION = "is the field at people's level?"
BEST_QUESTION = "who was best, and when?"

_SENTENCES = markup.template("""
<ul class="qb-sentences">
{% for sentence in sentences %}<li>{{ sentence }}</li>{% endfor %}
</ul>
""")
_BEST_OPEN = markup.template("""
<a href="{{ address }}">The best open model</a>
{% if tip %}that <span class="qb-term" tabindex="0" data-tip="{{ tip }}">{{ kind }}</span>
{% else %}{{ kind }}
{% endif %}
on {{ board }} is {{ model }} ({{ size }}): {{ value }}.{{ rest }}
{% if compare %} <a href="{{ compare }}">Compare them</a>{% endif %}
""")
_NO_OPEN = markup.template("No open model on {{ board }} is known to fit one 24 GB card{{ why }}.")
_OPEN_AND_CLOSED = markup.template("""
<a href="{{ address }}">The best open model</a> on {{ board }}, {{ open }} ({{ value }}), {{ verdict }} the best
closed one, {{ closed }} ({{ other }}). <a href="{{ compare }}">Compare them</a>
""")
_MODEL = markup.template('<a class="qb-name" href="{{ address }}"><b>{{ name }}</b></a>')


def board_json(found: BoardOverview, revision: str) -> dict[str, Any]:
    """What the page shows of one board; `revision` names the data."""
    return {
        "board": found.timeline.board.key,
        "sentences": sentences(found),
        "charts": [_timeline_block(found.timeline, revision)] if found.timeline.best else [],
        "empty": "" if found.timeline.best else found.timeline.board.empty,
    }


def chart_block(
    key: str, title: str, finding: str, chart: Chart | None, rows: Sequence[Sequence[str]], under: Html
) -> dict[str, Any]:
    """One chart as the browser draws it; `rows` are what it saves as CSV, the names of the columns first."""
    return {
        "key": key,
        "head": markup.join(markup.heading(title), markup.paragraph(finding, "qb-finding")),
        "title": title,
        "figure": json.loads(chart.figure.to_json()) if chart else None,
        "text": chart.text if chart else "",
        "rows": [list(row) for row in rows],
        "foot": under,
    }


def sentences(found: BoardOverview) -> Html:
    """What to take from a board, computed from its figures, each with a link to the view that shows it."""
    board, column = found.timeline.board, found.timeline.column
    told = [
        _best_open(board, column, found.on_card, LARGEST_ON_CARD, ON_CARD)
        if found.on_card.best
        else _no_open(board, found.on_card),
        _best_open(board, column, found.small, SMALL, "") if found.small.best else "",
        _open_and_closed(board, column, found.open_and_closed),
    ]
    return _SENTENCES(sentences=[sentence for sentence in told if sentence])


def people_sentence(timeline: Timeline) -> str:
    """Whether the field is at people's level, and who was the first."""
    column = timeline.column
    told = [_people(level, column, timeline.best) for level in timeline.people]
    if not told and timeline.best:
        best = timeline.best
        told = [
            "Nobody has reported what people get here. "
            f"The best so far is {best.model.name} with {figure_with_unit(best.figure.value, column.metric)}."
        ]
    return " ".join(told)


def verdict(pair: ModelDifference) -> str:
    """Whether two models are apart, in words."""
    return {
        True: "more than chance explains",
        False: "which chance alone may explain",
        None: "and the records do not say whether chance explains it",
    }[pair.apart]


def gap(pair: ModelDifference, column: Column) -> str:
    """How far two figures are apart: of percentages, in points."""
    shown = figure(pair.value, column.metric)
    return f"{shown} points" if column.metric.unit == "%" else f"{shown} {column.metric.unit}".rstrip()


def _people(level: PeopleLevel, column: Column, best: Scored | None) -> str:
    people = f"{level.people.model.name} ({figure_with_unit(level.people.figure.value, column.metric)})"
    if level.first:
        return (
            f"{level.first.model.name}, released {level.first.model.released}, was the first to be level with {people}."
        )
    if level.nearest and best:
        behind = f"{best.model.name} is {gap(level.nearest, column)} behind, {verdict(level.nearest)}"
        return f"No model is level with {people} yet: {behind}."
    return f"Level with {people} are only models whose release month is not known."


def _no_open(board: Board, choice: Choice) -> Html:
    without = f": of {count(choice.unknown, 'open model')} nobody states the size" if choice.unknown else ""
    return _NO_OPEN(board=board.title, why=without)


def _best_open(board: Board, column: Column, choice: Choice, most: float, tip: str) -> Html:
    """The best of a size; with a tip, those that fit a card, else those of up to 8B with the distance to the next."""
    first, others = choice.best[0], choice.best[1:]
    apart = "" if tip or not others else f" {_apart(others, choice.differences, column)}"
    return _BEST_OPEN(
        address=link(PageView(tab=LEADERBOARD, board=board.key, weights="open", size=(None, most)), ""),
        tip=tip,
        kind=f"fits one {CARD} GB card" if tip else f"of up to {most:g}B",
        board=board.title,
        model=_model(first),
        size=size_text(first.model),
        value=figure_with_unit(first.figure.value, column.metric),
        rest=apart,
        compare=_compare(board, choice.best) if apart else "",
    )


def _apart(others: Sequence[Scored], pairs: Sequence[ModelDifference], column: Column) -> str:
    """Each of the next best with its distance, those alike in verdict together."""
    groups: dict[str, list[str]] = {}
    for scored, pair in zip(others, pairs, strict=True):
        ahead = f"{scored.model.name} by {gap(pair, column)}"
        groups.setdefault(verdict(pair), []).append(ahead)
    return "It leads " + "; and ".join(f"{listed(names)}, {words}" for words, names in groups.items()) + "."


def _open_and_closed(board: Board, column: Column, found: OpenAndClosed | None) -> Html:
    if found is None:
        return Html()
    by = gap(found.difference, column)
    ahead = found.difference.leader == found.open.model.id
    return _OPEN_AND_CLOSED(
        address=link(PageView(tab=LEADERBOARD, board=board.key, weights="open"), ""),
        board=board.title,
        open=_model(found.open),
        value=figure_with_unit(found.open.figure.value, column.metric),
        closed=_model(found.closed),
        other=figure_with_unit(found.closed.figure.value, column.metric),
        verdict=f"is {by} {'ahead of' if ahead else 'behind'} ({verdict(found.difference)})",
        compare=_compare(board, (found.open, found.closed)),
    )


def _model(scored: Scored) -> Html:
    return _MODEL(address=model_address(scored.model.id), name=scored.model.name)


def _compare(board: Board, models: Iterable[Scored]) -> str:
    names = tuple(scored.model.id for scored in models)
    return link(PageView(tab="compare", board=board.key, models=names), "")


def _timeline_block(timeline: Timeline, revision: str) -> dict[str, Any]:
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
            markup.paragraph(cite(timeline.sources, revision), "qb-source"),
            _timeline_table(timeline, shown),
        ),
    )


def _undated(timeline: Timeline) -> str:
    if not timeline.undated:
        return ""
    names = listed(scored.model.name for scored in timeline.undated)
    return f"Not in the chart, because no release month is known for {count(len(timeline.undated), 'model')}: {names}."


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
