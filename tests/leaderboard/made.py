"""Small made-up boards, records and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, records_of
from leaderboard.tables.columns import Address, Board, Column, Metric, MetricView, Part
from leaderboard.tables.models import FindModel, group_by_model
from leaderboard.tables.table import Table, build_table
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


def snapshot(results: Iterable[Result], *boards: Board, find_model: FindModel = find_model) -> Snapshot:
    """These results on these boards, or on the one above."""
    return Snapshot(Loaded(records_of(results), (), "abc1234"), boards or (board(),), find_model)


def make_table(results: Iterable[Result], on: Board | None = None, **choice: str) -> Table:
    on = on or board()
    return build_table(group_by_model(records_of(results), find_model), on, on.shown(**{"metric": "", **choice}))


KINDS = {"people": "human", "random-guess": "reference"}


def find_lettered(name: str) -> ModelFacts:
    """A model by this id, released in the month that its letter says: a in January."""
    released = f"2024-{ord(name) - ord('a') + 1:02d}" if len(name) == 1 else None
    return ModelFacts(name, name.upper(), KINDS.get(name, "model"), released=released)  # type: ignore[arg-type]


def several_boards(**figures: Mapping[str, float]) -> Snapshot:
    """A board for each name, with these rank correlations by model."""
    boards = tuple(one_column(name) for name in figures)
    results = [result(model, name, value) for name, row in figures.items() for model, value in row.items()]
    return snapshot(results, *boards, find_model=find_lettered)


def one_column(name: str) -> Board:
    column = next(column for column in board().columns if column.key == "a/srcc")
    column = replace(column, parts=(name,), find=Address("assessment", name, None, "srcc"))
    return board(key=name, title=name.capitalize(), columns=(column,), parts=(Part(name, name),), primary=name)


def make_pictures(folder: Path, count: int = 4) -> list[Path]:
    """Noise that gets sharper with the number in the name."""
    rng = np.random.default_rng(3)
    paths = []
    for number in range(count):
        noise = rng.normal(128, 4 + 16 * number, (48, 64, 3)).clip(0, 255).astype(np.uint8)
        paths.append(folder / f"photo-{number}.png")
        Image.fromarray(noise).save(paths[-1])
    return paths
