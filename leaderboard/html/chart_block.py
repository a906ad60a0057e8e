"""A chart with its words and its table, as the browser gets it (assets/board/chart.js)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.charts.chart import Chart, written
from leaderboard.html import markup
from leaderboard.html.markup import Html
from leaderboard.tables.terms import find_terms


def chart_block(
    key: str,
    title: str,
    finding: str,
    chart: Chart | None,
    rows: Sequence[Sequence[str]] = (),
    under: Html = markup.NOTHING,
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """One chart as the browser draws it; `rows` are what it saves as CSV, the names of the columns first.

    Words of the field are explained that stand in it and in `also`. Without a finding it has no heading of its own.
    """
    return {
        "key": key,
        "head": head(title, finding) if finding else markup.NOTHING,
        "title": title,
        "figure": chart.figure if chart else None,
        "terms": find_terms([*written(chart), *also]) if chart else [],
        "text": chart.text if chart else "",
        "rows": [list(row) for row in rows],
        "foot": under,
    }


def head(title: str, finding: str) -> Html:
    """What stands above a chart: a question and the answer."""
    return markup.join(markup.heading(title), markup.finding(finding))
