"""A chart with its words and its table, as the browser gets it (assets/board/chart.js)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from leaderboard.charts.chart import Chart, written
from leaderboard.html import markup
from leaderboard.html.markup import Html
from leaderboard.tables.terms import find_terms


def chart_block(
    key: str, title: str, finding: str, chart: Chart | None, rows: Sequence[Sequence[str]], under: Html
) -> dict[str, Any]:
    """One chart as the browser draws it; `rows` are what it saves as CSV, the names of the columns first."""
    return {
        "key": key,
        "head": markup.join(markup.heading(title), markup.paragraph(finding, "qb-finding")),
        "title": title,
        "figure": json.loads(chart.figure.to_json()) if chart else None,
        "terms": find_terms(written(chart)) if chart else [],
        "text": chart.text if chart else "",
        "rows": [list(row) for row in rows],
        "foot": under,
    }
