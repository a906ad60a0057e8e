"""The models that the tables know: the catalogue's, and those that authors have described."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.store.submission import Entry
from leaderboard.tables.cells import FindModel
from qbench.models.catalogue import ModelFacts


def model_finder(find: FindModel, entries: Iterable[Entry]) -> FindModel:
    """The catalogue, and after it the models that authors have described."""
    described: dict[str, ModelFacts] = {}
    for entry in entries:
        if entry.status != "accepted":
            continue
        said = entry.submission.metadata
        for result in entry.submission.results:
            described[result.model] = ModelFacts(
                id=result.model,
                name=said.model,
                kind="model",
                organisation=said.organisation or None,
                parameters=said.parameters,
                open=said.open,
            )
    return lambda name: find(name) or described.get(name)
