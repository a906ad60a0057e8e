"""Everything known of one model: its figures on all boards, its habits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaderboard.analysis.compare import FEWEST_AXES, Profile, compare_models, models_with_figures
from leaderboard.analysis.findings import Findings, find_habits
from leaderboard.snapshot import Snapshot
from leaderboard.tables.table import Table, is_reference
from qbench.errors import UserError
from qbench.models.catalogue import ModelFacts


@dataclass(frozen=True)
class ModelReport:
    """One model."""

    model: ModelFacts
    tables: tuple[Table, ...]
    """Of the boards that it stands on."""
    findings: Findings
    """Of all models, its own habits among them."""
    training: tuple[str, ...]
    """Data about image quality that its records say it was trained on."""
    profile: Profile | None
    """Beside the best other model of a board, people and random guess; None where no board has figures to draw."""


def listed_models(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Everybody with a figure on a board, by name: what people choose from. References are no models."""
    listed = [
        {
            "id": name,
            "name": facts.name,
            "maker": facts.organisation or "",
            "kind": facts.kind,
            "reference": is_reference(facts),
            "boards": boards,
        }
        for name, boards in snapshot.boards_of().items()
        for facts in [snapshot.models[name].model]
    ]
    return sorted(listed, key=lambda model: str(model["name"]).casefold())


def model_report(snapshot: Snapshot, name: str) -> ModelReport:
    """Everything known of the model that goes by a name.

    Raises:
        UserError: Nobody on a board goes by it.
    """
    model = _find(snapshot, name)
    tables = tuple(table for table in snapshot.tables if model.id in table.rows)
    return ModelReport(
        model=model,
        tables=tables,
        findings=find_habits(snapshot),
        training=known.training if (known := snapshot.models.get(model.id)) else (),
        profile=_profile(snapshot, tables, model.id),
    )


def _find(snapshot: Snapshot, name: str) -> ModelFacts:
    known = snapshot.find_model(name)
    wanted = known.id if known else name
    for table in snapshot.tables:
        if wanted in table.rows:
            return table.rows[wanted].model
    raise UserError(f"no model on a board goes by the name {name!r}; choose one of the list.")


def _profile(snapshot: Snapshot, tables: tuple[Table, ...], name: str) -> Profile | None:
    """The first board that shows enough of the model, beside the best other model there, as a radar if one can.

    Of the boards of one group, those with people's figures come first.
    """
    on_dots, groups = None, [board.group for board in snapshot.boards]

    def order(table: Table) -> tuple[int, bool]:
        return groups.index(table.board.group), all(row.model.kind != "human" for row in table.references.values())

    for table in sorted(tables, key=order):
        if table.board.chart_layout.form != "radar" or name not in models_with_figures(snapshot, table.board):
            continue
        best = next((other for other in snapshot.table(table.board.key).ranked if other != name), None)
        profile = compare_models(snapshot, table.board.key, [name, *([best] if best else [])])
        drawn = sum(axis.key in profile.figures.get(name, {}) for axis in profile.axes)
        if drawn >= FEWEST_AXES and profile.suits_radar:
            return profile
        if drawn >= FEWEST_AXES:
            on_dots = on_dots or profile
    return on_dots
