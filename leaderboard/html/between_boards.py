"""Boards beside each other as the browser gets them: the map of models by boards, and how far training reaches."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from leaderboard.analysis.overview import (
    FEWEST_BOARDS,
    NEAR_TO_FAR,
    BoardMap,
    BoardSummary,
    Reach,
)
from leaderboard.charts.overview import map_chart, reach_chart
from leaderboard.html import markup
from leaderboard.html.markup import Html, HtmlRow
from leaderboard.look import board_address
from leaderboard.tables.words import begin, count, figure_with_unit, listed, minus
from qbench.models.catalogue import ModelFacts

MAP = "Where does each model stand, from guessing to people or the best model?"
REACH = "Does training on a task help in tasks a model did not see?"


def between_json(found: BoardMap, reaches: Sequence[Reach], as_of: str) -> dict[str, Any]:
    """What the page shows of all boards together."""
    blocks = [_map_block(found, as_of)] if found.models else []
    if reaches:
        blocks.append(_reach_block(reaches, as_of))
    return {"charts": blocks}


def _map_block(found: BoardMap, as_of: str) -> dict[str, Any]:
    people = [scale.board.title for scale in found.scales if scale.top.model.kind == "human"]
    hundred = (
        "100 is as good as people (or as the best model, if the board has no figure for people)."
        if people
        else "100 is the best model, since no board has people's figures."
    )
    finding = (
        f"On this map 0 is guessing (or the board's own 0, if the level of guessing is unknown). {hundred} Blank cells "
        "have no figure. Choose a cell to see the model's row on its board."
    )
    models = [*found.models, *found.on_one_board]
    header = ["Model", *(scale.board.title for scale in found.scales)]
    rows = [[model.name, *(_share(scale, model, 1) for scale in found.scales)] for model in models]
    ends = [
        ["0 stands for", *(figure_with_unit(scale.zero, scale.column.metric) for scale in found.scales)],
        ["100 stands for", *(figure_with_unit(scale.top.figure.value, scale.column.metric) for scale in found.scales)],
    ]
    return markup.chart_block(
        key="map",
        name=MAP,
        said=finding,
        chart=map_chart(found),
        rows=[header, *rows, *ends],
        under=markup.join(
            markup.note(_only_one(found)),
            markup.note(" ".join(map(_not_in_map, found.left_out))),
            markup.source_line(f"Source: the boards, each by the column that ranks it. Data as of {as_of}."),
            _map_table(found),
        ),
    )


def _reach_block(found: Sequence[Reach], as_of: str) -> dict[str, Any]:
    rows = [
        [
            reach.model.name,
            listed(reach.trained_on),
            *(f"{reach.gains[where]:+.1f}" if where in reach.gains else "" for where in NEAR_TO_FAR),
        ]
        for reach in found
    ]
    headers = ["Model", "Trained on", *map(begin, NEAR_TO_FAR)]
    shown: list[HtmlRow] = [
        [name, markup.HtmlCell(data, weight="wrap"), *(minus(gain) or "–" for gain in gains)]
        for name, data, *gains in rows
    ]
    caption = "Points above the median of models whose sources name no training on data of these boards"
    note = (
        "UniSim's boards. Each figure is compared with the median of the models whose sources name no training on data "
        "of these boards; sets of data are averaged by task, then tasks. A model that was trained on every core task "
        "has no other core task. Points measure accuracy, or mAP in retrieval."
    )
    return markup.chart_block(
        key="reach",
        name=REACH,
        said=reach_finding(found),
        chart=reach_chart(found),
        rows=[headers, *rows],
        under=markup.join(
            markup.note(note),
            markup.source_line(f"Source: the boards of UniSim-Bench. Data as of {as_of}."),
            markup.folded("Table", markup.table(headers, shown, caption, REACH)),
        ),
    )


def reach_finding(found: Sequence[Reach]) -> str:
    """The mean of the models at each distance, and how many fall below the median outside the core tasks."""
    means = [
        f"{minus(f'{fmean(gains):+.1f}')} ({where})"
        for where in NEAR_TO_FAR
        if (gains := [reach.gains[where] for reach in found if where in reach.gains])
    ]
    far = [reach.gains[NEAR_TO_FAR[-1]] for reach in found if NEAR_TO_FAR[-1] in reach.gains]
    return (
        f"On average the {len(found)} trained models differ from the median of models without such training by these "
        f"points: {', '.join(means)}. Outside the core tasks, {sum(gain < 0 for gain in far)} of {len(far)} "
        "are below that median."
    )


def _only_one(found: BoardMap) -> str:
    if not found.on_one_board:
        return ""
    boards = {
        scale.board.title: sum(model.id in scale.figures for model in found.on_one_board) for scale in found.scales
    }
    told = listed(f"{number} on {title}" for title, number in boards.items() if number)
    return (
        f"The map shows models on at least {FEWEST_BOARDS} boards. The table and the CSV also have "
        f"{count(len(found.on_one_board), 'model')} of a single board: {told}."
    )


def _not_in_map(left_out: BoardSummary) -> str:
    why = "its best figure is the chance level"
    if not left_out.ranked:
        why = "no figures yet"
    elif left_out.chance is None and left_out.column.metric.direction == "lower":
        why = "neither a chance level nor a natural zero"
    return f"{left_out.board.title} is not in the map: {why}."


def _share(scale: BoardSummary, model: ModelFacts, decimals: int) -> str:
    share = scale.share(model.id)
    return "" if share is None else f"{share:.{decimals}f}"


def _map_table(found: BoardMap) -> Html:
    def cell(scale: BoardSummary, model: ModelFacts) -> str:
        text = minus(_share(scale, model, 0))
        return text and markup.link(board_address(scale.board.key, model.name), text)

    models = (*found.models, *found.on_one_board)
    rows: list[HtmlRow] = [[model.name, *(cell(scale, model) for scale in found.scales)] for model in models]
    heads = ["Model", *(markup.link(board_address(scale.board.key), scale.board.title) for scale in found.scales)]
    return markup.figures_below(heads, rows, "0 is guessing, 100 is people or the best model", MAP)
