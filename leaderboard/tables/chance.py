"""What judging without looking scores: the level that any figure must be held against.

Some levels follow from how a question is asked. That of a 2AFC correlation does not: it is simulated with coin flips
by `python -m tools.coin_flips` and kept in `assets/recomputed/chance_2afc.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from leaderboard.tables.columns import Column
from leaderboard.tables.table import Table
from qbench.records import Estimate
from qbench.tasks import TASKS

RANDOM_GUESS = "random-guess"
JUDGES = 400
"""Coin-flip judges that are simulated for each level."""

Simulated = Mapping[str, Estimate]
"""Column key -> mean and 95 % range of what coin-flip judges reach."""


def chance_level(column: Column, table: Table, simulated: Simulated) -> float | None:
    """The chance level of a table's column: printed, by construction, or simulated; None where there is none.

    A mean has the mean of its columns' levels.
    """
    if RANDOM_GUESS in table.references:
        printed = table.references[RANDOM_GUESS].cells.get(column.key)
        return printed and printed.value
    if column.key in simulated:
        return simulated[column.key].value
    if column.alternatives is not None:
        return 1 / column.alternatives
    task = TASKS.get(column.find.task) if column.find else None
    if task and column.metric.key in task.chance:
        return task.chance[column.metric.key]
    columns = {each.key: each for each in table.columns}
    parts = [chance_level(columns[key], table, simulated) if key in columns else None for key in column.mean_of]
    levels = [level for level in parts if level is not None]
    return float(np.average(levels, weights=column.weights or None)) if levels and len(levels) == len(parts) else None


def read_simulated(path: Path) -> Simulated:
    """The levels kept in a file; none where there is no such file."""
    levels = json.loads(path.read_text(encoding="utf-8"))["levels"] if path.is_file() else {}
    return {key: Estimate.from_json(level) for key, level in levels.items()}
