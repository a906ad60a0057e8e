"""Small made-up boards and records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.tables.columns import Address, Board, Column, Metric, MetricView, Part
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Result, Source

SRCC = Metric("srcc", "SRCC", "Rank correlation.")
PLCC = Metric("plcc", "PLCC", "Linear correlation.")
ERROR = Metric("rmse", "RMSE", "Error.", direction="lower")
SETS = ("a", "b")

MODELS = {
    facts.id: facts
    for facts in (
        ModelFacts("alpha", "Alpha", "model", parameters=7.0, released="2023-05", open=True, organisation="One"),
        ModelFacts("beta", "Beta", "model", open=False),
        ModelFacts("gamma", "Gamma", "encoder"),
        ModelFacts("people", "People", "human"),
        ModelFacts("chance", "Chance", "reference"),
    )
}
NAMES = {**{name: name for name in MODELS}, "Alpha (7B)": "alpha"}


def find_model(name: str) -> ModelFacts | None:
    return MODELS[NAMES[name]] if name in NAMES else None


def board(**changes: Any) -> Board:
    """Two datasets and their average, by two metrics."""
    columns = [
        Column(
            f"mean/{metric.key}",
            "Average",
            ("mean",),
            metric,
            Address("assessment", "average-of-2", None, metric.key),
            mean_of=tuple(f"{name}/{metric.key}" for name in SETS),
        )
        for metric in (SRCC, PLCC)
    ]
    columns += [
        Column(f"{name}/{metric.key}", name.upper(), (name,), metric, Address("assessment", name, None, metric.key))
        for name in SETS
        for metric in (SRCC, PLCC)
    ]
    fields: dict[str, Any] = {
        "key": "made",
        "title": "Made up",
        "sentence": "A made-up board.",
        "columns": tuple(columns),
        "parts": (Part("mean", "Average"), *(Part(name, name.upper()) for name in SETS)),
        "views": (MetricView("both", "Both", ("srcc", "plcc")), MetricView("srcc", "SRCC", ("srcc",))),
        "method": "Assessment (A3)",
        "primary": "mean",
    }
    return Board(**{**fields, **changes})


def result(
    model: str,
    dataset: str = "a",
    srcc: float | Estimate | None = 0.5,
    *,
    kind: Any = "paper",
    reference: str = "Table 1",
    table: str = "",
    at: str | None = None,
    protocol: Mapping[str, Any] | None = None,
    task: str = "assessment",
    **metrics: float | Estimate | None,
) -> Result:
    figures = {"srcc": srcc, **metrics}
    return Result(
        task=task,
        dataset=dataset,
        model=model,
        metrics={
            name: figure if isinstance(figure, Estimate) else Estimate(figure) for name, figure in figures.items()
        },
        source=Source(kind, reference, url="https://example.org/paper", at=at, table=table),
        protocol=protocol or {},
    )
