"""Charts of several boards: models by boards, how far training reaches."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from leaderboard.analysis.between_boards import NEAR_TO_FAR, BoardMap, Reach
from leaderboard.analysis.overview import BoardSummary
from leaderboard.charts.chart import IN_TABLE, Chart, Figure, lay_out, plain, trace
from leaderboard.look import board_address
from leaderboard.tables.words import count, figure_with_unit, minus, shorten_name
from qbench.models.catalogue import ModelFacts

ROW, CHARACTER, HEADS = 20, 6.2, 196
"""Pixels of a row, of a letter, and of the names on top; a map that is wider than the page scrolls by itself."""
LONGEST_MODEL, LONGEST_TITLE = 32, 40
BLUE = ((0.0, "rgba(0, 114, 178, 0.06)"), (1.0, "rgba(0, 114, 178, 0.6)"))
"""Clear at 0, so that figures stay readable on a light and on a dark page."""
BOTH_WAYS = ((0.0, "rgba(213, 94, 0, 0.6)"), (0.5, "rgba(128, 134, 144, 0.06)"), (1.0, "rgba(0, 114, 178, 0.6)"))


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
