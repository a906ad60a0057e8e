"""Charts of the overview: models of one board by release month; models by boards, how far training reaches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from math import sqrt
from typing import Any

from leaderboard.analysis.overview import NEAR_TO_FAR, BoardMap, BoardSummary, Reach, Scored
from leaderboard.charts.chart import (
    GREY,
    IN_TABLE,
    PALETTE,
    Chart,
    Figure,
    Look,
    lay_out,
    level,
    note,
    plain,
    trace,
    value_axis,
)
from leaderboard.look import board_address
from leaderboard.tables.words import axis_title, count, figure_with_unit, minus, shorten_name
from qbench.models.catalogue import ModelFacts

OPEN = Look(PALETTE[0][0], "solid", "circle")
CLOSED = Look(PALETTE[3][0], "solid", "diamond-open")
NOT_KNOWN = Look(GREY, "solid", "square-open")
KINDS = (("open weights", True, OPEN), ("closed", False, CLOSED), ("weights not known", None, NOT_KNOWN))
SMALLEST, LARGEST, PER_ROOT = 6.0, 24.0, 2.0
"""Pixels across of a mark: for an unknown size, at most, and by the square root of billions of parameters."""
HEIGHT = 440
LONGEST_NAME = 24
ROW, CHARACTER, HEADS = 20, 6.2, 196
"""Pixels of a row, of a letter, and of the names on top; a map that is wider than the page scrolls by itself."""
LONGEST_MODEL, LONGEST_TITLE = 32, 40
BLUE = ((0.0, "rgba(0, 114, 178, 0.06)"), (1.0, "rgba(0, 114, 178, 0.6)"))
"""Clear at 0, so that figures stay readable on a light and on a dark page."""
BOTH_WAYS = ((0.0, "rgba(213, 94, 0, 0.6)"), (0.5, "rgba(128, 134, 144, 0.06)"), (1.0, "rgba(0, 114, 178, 0.6)"))


def timeline_chart(found: BoardSummary) -> Chart:
    """Each model at its month and figure; people and chance as lines, the best so far as steps."""
    column = found.column
    scale, metric = column.metric.scale, column.metric
    marks = [
        _marks(name, look, [scored for scored in found.dated if scored.model.open is is_open], found)
        for name, is_open, look in KINDS
    ]
    levels = [(one.model.name, one.figure.value, "dash") for one in found.people]
    if found.chance is not None:
        levels.append(("chance", found.chance, "dot"))
    said = [(plain(f"{name} {figure_with_unit(value, metric)}"), value * scale) for name, value, _ in levels]
    chart = lay_out(
        [_best_line(found), *marks, _names(found)],
        height=HEIGHT,
        shapes=[level("y", value * scale, dash) for _, value, dash in levels],
        annotations=[note(text, x=0, xref="paper", xanchor="left", y=y, yanchor="bottom") for text, y in said],
        margin={"l": 8, "r": 16, "t": 16, "b": 48},
        hovermode="closest",
        xaxis=value_axis("Release month", (0, 0), range=_months(found.dated), type="date", tickformat="%Y-%m"),
        yaxis=value_axis(axis_title(metric), _bounds(found), scale),
    )
    months = [scored.model.released for scored in found.dated]
    span = f" from {months[0]} to {months[-1]}" if months else ""
    shown = f"{metric.label} on {found.table.board.title} of {count(len(months), 'model')}"
    return Chart(chart, f"{shown} by release month{span}. {IN_TABLE}")


def point_text(scored: Scored, found: BoardSummary) -> str:
    """A model's mark in words."""
    model = scored.model
    facts = [size_text(model), weights_text(model), f"released {model.released}" if model.released else ""]
    told = ", ".join(fact for fact in facts if fact)
    return f"{model.name}: {figure_with_unit(scored.figure.value, found.column.metric)} ({told})"


def size_text(model: ModelFacts) -> str:
    """7B; in words where it is not known."""
    return "size not known" if model.parameters is None else f"{model.parameters:.3g}B"


def weights_text(model: ModelFacts) -> str:
    """Open, closed, or that it is not known."""
    return next(name for name, is_open, _ in KINDS if model.open is is_open)


def mark_size(parameters: float | None) -> float:
    """Pixels across: the area grows with the number of parameters."""
    return SMALLEST if parameters is None else min(LARGEST, SMALLEST + PER_ROOT * math.sqrt(parameters))


def _marks(name: str, look: Look, shown: Sequence[Scored], found: BoardSummary) -> dict[str, Any]:
    return trace(
        name=name,
        x=[scored.model.released for scored in shown],
        y=[scored.figure.value * found.column.metric.scale for scored in shown],
        mode="markers",
        marker={
            "color": look.colour,
            "symbol": look.marker,
            "size": [mark_size(scored.model.parameters) for scored in shown],
            "opacity": 0.85,
            "line": {"width": 1.5, "color": look.colour},
        },
        customdata=[
            [plain(point_text(scored, found)), board_address(found.table.board.key, scored.model.name)]
            for scored in shown
        ],
        hovertemplate="%{customdata[0]}<extra></extra>",
        cliponaxis=False,
    )


def _best_line(found: BoardSummary) -> dict[str, Any]:
    """Steps from each record to the next, up to the newest model."""
    steps = [*found.records, *(found.records[-1:] if found.records else ())]
    months = [scored.model.released for scored in steps]
    return trace(
        name="best so far",
        x=[*months[:-1], found.dated[-1].model.released] if months else [],
        y=[scored.figure.value * found.column.metric.scale for scored in steps],
        mode="lines",
        line={"color": GREY, "width": 2, "shape": "hv"},
        hoverinfo="skip",
    )


def _names(found: BoardSummary) -> dict[str, Any]:
    """Names of the records, which the page leaves out where there is no room."""
    return trace(
        name="names",
        meta="names",
        x=[scored.model.released for scored in found.records],
        y=[scored.figure.value * found.column.metric.scale for scored in found.records],
        mode="text",
        text=[f"{plain(shorten_name(scored.model.name, LONGEST_NAME))}   " for scored in found.records],
        textposition="top left",
        textfont={"size": 11},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _months(dated: Sequence[Scored]) -> list[str]:
    """Some months more than there are models, so that names and marks stand clear of the edges."""
    known = sorted(scored.model.released for scored in dated if scored.model.released)
    if not known:
        return ["2023-01", "2024-01"]
    return [_shifted(known[0], -5), _shifted(known[-1], 2)]


def _shifted(month: str, by: int) -> str:
    year, number = (int(part) for part in month.split("-")[:2])
    months = year * 12 + number - 1 + by
    return f"{date(months // 12, months % 12 + 1, 1):%Y-%m}"


def _bounds(found: BoardSummary) -> tuple[float, float]:
    """Round ends around every figure, people and chance."""
    values = [scored.figure.value for scored in (*found.dated, *found.people)]
    values += [] if found.chance is None else [found.chance]
    low, high = min(values, default=0.0), max(values, default=1.0)
    step = 10 ** math.floor(math.log10(high - low)) if high > low else 0.1
    return math.floor(low / step - 0.2) * step, math.ceil(high / step + 0.2) * step


def map_chart(found: BoardMap) -> Chart:
    """A cell for each figure; blank where there is none."""
    scales = [scale for scale in found.scales if any(model.id in scale.figures for model in found.models)]
    shares = [[scale.share(model.id) for scale in scales] for model in found.models]
    told = [[_cell_text(scale, model) for scale in scales] for model in found.models]
    figure = _heat(
        rows=[shorten_name(model.name, LONGEST_MODEL) for model in found.models],
        heads=[scale.board.title for scale in scales],
        values=shares,
        texts=[["" if share is None else minus(f"{share:.0f}") for share in row] for row in shares],
        custom=[
            [
                [text, board_address(scale.board.key, model.name)] if text else ["", ""]
                for text, scale in zip(row, scales, strict=True)
            ]
            for row, model in zip(told, found.models, strict=True)
        ],
        bounds=(0, 100),
        colours=BLUE,
    )
    filled = sum(share is not None for row in shares for share in row)
    text = (
        f"Map of {count(len(found.models), 'model')} by {count(len(scales), 'board')}, "
        f"{count(filled, 'figure')}: 0 is guessing, 100 is people or the best model. {IN_TABLE}"
    )
    return Chart(figure, text)


def reach_chart(found: Sequence[Reach]) -> Chart:
    """A cell for each trained model and each distance from its training data, near to far."""
    gains = [[reach.gains.get(where) for where in NEAR_TO_FAR] for reach in found]
    figure = _heat(
        rows=[shorten_name(reach.model.name, LONGEST_MODEL) for reach in found],
        heads=NEAR_TO_FAR,
        values=gains,
        texts=[["" if gain is None else minus(f"{gain:+.0f}") for gain in row] for row in gains],
        custom=[[[plain(reach_text(reach, where)), ""] for where in NEAR_TO_FAR] for reach in found],
        bounds=(-30, 30),
        colours=BOTH_WAYS,
    )
    return Chart(figure, f"Points above the median of models without such training, near to far. {IN_TABLE}")


def reach_text(reach: Reach, where: str) -> str:
    """One cell in words; nothing where there is none."""
    if where not in reach.gains:
        return ""
    gain = minus(f"{reach.gains[where]:+.1f}")
    return f"{reach.model.name}, {where}: {gain} points, mean over {count(reach.sets[where], 'set')} of data"


def ends_text(scale: BoardSummary) -> str:
    """What 0 and 100 stand for on a board."""
    metric = scale.column.metric
    zero = "a figure of 0, as no chance level is known" if scale.chance is None else "chance"
    kind = "people" if scale.top.model.kind == "human" else "the best model, as no people's figure is known"
    return (
        f"0 is {zero} ({figure_with_unit(scale.zero, metric)}), 100 is {kind} "
        f"({scale.top.model.name}, {figure_with_unit(scale.top.figure.value, metric)})"
    )


def _cell_text(scale: BoardSummary, model: ModelFacts) -> str:
    share = scale.share(model.id)
    if share is None:
        return ""
    shown = figure_with_unit(scale.figures[model.id].value, scale.column.metric)
    said = f"{model.name}, {scale.board.title}: {minus(f'{share:.0f}')} of 100 ({shown})"
    return f"{plain(said)}.<br>{plain(ends_text(scale))}"


def _heat(
    rows: Sequence[str],
    heads: Sequence[str],
    values: Sequence[Sequence[float | None]],
    texts: Sequence[Sequence[str]],
    custom: Sequence[Sequence[Sequence[str]]],
    bounds: tuple[float, float],
    colours: Sequence[tuple[float, str]],
) -> Figure:
    """Cells with their figures written on them, first row on top, names of the columns above."""
    cells = trace(
        "heatmap",
        z=values,
        text=texts,
        texttemplate="%{text}",
        textfont={"size": 11},
        customdata=custom,
        hovertemplate="%{customdata[0]}<extra></extra>",
        hoverongaps=False,
        zmin=bounds[0],
        zmax=bounds[1],
        colorscale=colours,
        showscale=False,
        xgap=1,
        ygap=1,
    )
    names = round(CHARACTER * max(len(row) for row in rows)) + 12
    cell = round(CHARACTER * max(len(text) for row in texts for text in row)) + 9
    heads = [shorten_name(head, LONGEST_TITLE) for head in heads]
    leaning = [CHARACTER * len(head) * sqrt(0.5) - cell * place for place, head in enumerate(reversed(heads))]
    overhang = round(max(leaning)) + 12
    plain_axis: dict[str, Any] = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": ""}
    return lay_out(
        [cells],
        height=HEADS + ROW * len(rows) + 8,
        width=names + cell * len(heads) + overhang,
        margin={"l": names, "r": overhang, "t": HEADS, "b": 8},
        xaxis={
            **plain_axis,
            "side": "top",
            "tickangle": -45,
            "ticklabeloverflow": "allow",
            "tickvals": list(range(len(heads))),
            "ticktext": [plain(head) for head in heads],
            "tickfont": {"size": 11},
        },
        yaxis={
            **plain_axis,
            "tickvals": list(range(len(rows))),
            "ticktext": [plain(row) for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "tickfont": {"size": 11},
        },
    )
