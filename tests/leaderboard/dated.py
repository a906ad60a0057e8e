"""A made-up board of models with release months. Each was asked 1,000 questions; people get 80 and 90 %, chance 25."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.store import Recorded
from leaderboard.tables.columns import ColumnChoice, Metric
from leaderboard.tables.models import group_by_model
from leaderboard.tables.table import Table, build_table
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate
from tests.leaderboard.made import board, result

SHARE = Metric("srcc", "Accuracy", "Share.", unit="%", scale=100, decimals=1, proportion=True)
ERROR = Metric("srcc", "Error", "Error.", direction="lower")
MODELS = {
    facts.id: facts
    for facts in (
        ModelFacts("old", "Old", "model", parameters=7.0, released="2023-05", open=True),
        ModelFacts("twin", "Twin", "model", parameters=13.0, released="2023-05", open=True),
        ModelFacts("worse", "Worse", "model", parameters=8.0, released="2023-09", open=True),
        ModelFacts("level", "Level", "model", released="2024-01", open=False),
        ModelFacts("limit", "Limit", "model", parameters=10.0, released="2024-02", open=True),
        ModelFacts("sizeless", "Sizeless", "model", released="2024-03", open=True),
        ModelFacts("undated", "Undated", "model", parameters=1.0, open=None),
        ModelFacts("amateurs", "Amateurs", "human"),
        ModelFacts("experts", "Experts", "human"),
        ModelFacts("random-guess", "Random guess", "reference"),
    )
}
FIGURES = {"old": 0.50, "twin": 0.60, "worse": 0.49, "level": 0.80, "limit": 0.70, "sizeless": 0.75, "undated": 0.85}
FIGURES |= {"amateurs": 0.80, "experts": 0.90, "random-guess": 0.25}


def dated_table(metric: Metric = SHARE, **figures: float) -> Table:
    """The table of these figures, or of `FIGURES`."""
    column = next(column for column in board().columns if column.key == "a/srcc")
    made_up = board(columns=(replace(column, metric=metric),), primary="a")
    records = [
        Recorded(result(name, "a", Estimate(value, n=1000)), None) for name, value in (figures or FIGURES).items()
    ]
    return build_table(group_by_model(records, MODELS.get), made_up, ColumnChoice())
