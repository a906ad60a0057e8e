"""Whether models trained on a task do better in tasks they did not see: UniSim-Bench's claim (arXiv 2412.10594)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from leaderboard.snapshot import Snapshot
from leaderboard.tables.columns import EVERYTHING
from leaderboard.tables.words import minus
from qbench.models.catalogue import ModelFacts

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

    Each figure is held against the median of the models whose sources name no training on data of
    these boards. So what a hard set costs everybody counts for nobody.
    """
    boards = {board.key for board in snapshot.boards}
    tables = [snapshot.table(key, EVERYTHING) for key in (CORE, FAR) if key in boards]
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


def reach_finding(found: Sequence[Reach]) -> str:
    """The mean of the models at each distance, and how many fall below the median outside the core tasks."""
    means = [
        f"{minus(f'{fmean(gains):+.1f}')} ({where})"
        for where in NEAR_TO_FAR
        if (gains := [reach.gains[where] for reach in found if where in reach.gains])
    ]
    far = [reach.gains[NEAR_TO_FAR[-1]] for reach in found if NEAR_TO_FAR[-1] in reach.gains]
    return (
        f"The {len(found)} trained models stand this far from the median of models without such training, in points on "
        f"average: {', '.join(means)}. Outside the core tasks, {sum(gain < 0 for gain in far)} of {len(far)} "
        "stand below that median."
    )
