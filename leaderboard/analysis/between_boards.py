"""Boards beside each other: where each model stands between chance and people, and how far training on a task reaches
(UniSim-Bench, arXiv 2412.10594).

Every board is read by the column that ranks it, so that nothing is mixed that it keeps apart.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean, median

from leaderboard.analysis.overview import BoardSummary, summarise
from leaderboard.snapshot import Snapshot
from leaderboard.tables.columns import Board
from qbench.models.catalogue import ModelFacts

FEWEST_BOARDS = 2
"""Boards that a model must stand on for a row of the map."""


@dataclass(frozen=True)
class BoardMap:
    """Models by boards."""

    scales: tuple[BoardSummary, ...]
    models: tuple[ModelFacts, ...]
    """Those on several boards, in the order of the first board that has them."""
    on_one_board: tuple[ModelFacts, ...]
    left_out: tuple[tuple[Board, str], ...]
    """Boards that are not in the map, each with the reason."""


def map_boards(snapshot: Snapshot) -> BoardMap:
    """Every board that has figures, and every model on one of them."""
    scales: list[BoardSummary] = []
    left_out: list[tuple[Board, str]] = []
    models: dict[str, ModelFacts] = {}
    for table in snapshot.tables:
        summary = summarise(table, snapshot.simulated)
        if reason := _no_scale(summary):
            left_out.append((table.board, reason))
            continue
        scales.append(summary)
        models |= {name: table.rows[name].model for name in summary.figures if name not in models}
    several = {name for name in models if sum(name in scale.figures for scale in scales) >= FEWEST_BOARDS}
    return BoardMap(
        scales=tuple(scales),
        models=tuple(model for name, model in models.items() if name in several),
        on_one_board=tuple(model for name, model in models.items() if name not in several),
        left_out=tuple(left_out),
    )


def _no_scale(summary: BoardSummary) -> str:
    """Why a board's figures do not stand between chance and people; empty where they do."""
    if not summary.ranked:
        return "no figures yet"
    if summary.chance is None and summary.column.metric.direction == "lower":
        return "neither a chance level nor a natural zero"
    return "its best figure is the chance level" if summary.top.figure.value == summary.zero else ""


NEAR_TO_FAR = ("data trained on", "same task, other data", "other core tasks", "tasks outside the core")
CORE, FAR = "unisim-core", "unisim-ood"


@dataclass(frozen=True)
class Reach:
    """One trained model: how far it stands above models that were trained on none of the data, in points."""

    model: ModelFacts
    trained_on: tuple[str, ...]
    """Labels of the data."""
    gains: dict[str, float]
    """Of `NEAR_TO_FAR` -> mean over tasks of the mean over their data; those with figures only."""
    sets: dict[str, int]
    """Of how many sets of data each is the mean."""


def find_reach(snapshot: Snapshot) -> list[Reach]:
    """Every model that was trained on data of the boards, the one that keeps most outside the core tasks first.

    Each figure is compared with the median of the models whose sources name no training on data of
    these boards. So what a hard set costs everybody counts for nobody.
    """
    tables = [table for table in snapshot.tables if table.board.key in (CORE, FAR)]
    cells: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    models: dict[str, ModelFacts] = {}
    seen: dict[str, dict[str, str]] = defaultdict(dict)
    for table in tables:
        columns = [column for column in table.columns if not column.averages and column.find]
        for name, row in table.rows.items():
            models[name] = row.model
            for column in columns:
                if cell := row.cells.get(column.key):
                    cells[table.board.key, column.parts[0], column.key][name] = 100 * cell.value
                    if cell.trained == "scores":
                        seen[name][column.key] = column.label
    references = {name for table in tables for name in table.references}
    gains: dict[str, dict[str, dict[str, list[float]]]] = {
        name: defaultdict(lambda: defaultdict(list)) for name in seen
    }
    for (board, task, place), figures in cells.items():
        usual = [value for name, value in figures.items() if name not in seen and name not in references]
        for name, data in seen.items():
            if usual and name in figures:
                tasks = {key.partition("/")[0] for key in data}
                where = 0 if place in data else 1 if task in tasks else 2 if board == CORE else 3
                gains[name][NEAR_TO_FAR[where]][task].append(figures[name] - median(usual))
    found = [
        Reach(
            models[name],
            tuple(dict.fromkeys(seen[name].values())),
            {where: fmean(map(fmean, by_distance[where].values())) for where in NEAR_TO_FAR if where in by_distance},
            {where: sum(map(len, tasks.values())) for where, tasks in by_distance.items()},
        )
        for name, by_distance in gains.items()
    ]
    return sorted(found, key=lambda reach: -reach.gains.get(NEAR_TO_FAR[-1], float("-inf")))
