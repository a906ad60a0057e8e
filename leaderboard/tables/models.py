"""The models that the tables know: the catalogue's, and those that authors have described."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.store.submission import Entry
from leaderboard.tables.cells import FindModel
from qbench.models.catalogue import ModelFacts


def model_finder(find: FindModel, entries: Iterable[Entry]) -> FindModel:
    """The catalogue, and after it the models that authors have described: each by the first who handed it in."""
    described: dict[str, ModelFacts] = {}
    authors: dict[str, str | None] = {}
    for entry in entries:
        if entry.status != "accepted":
            continue
        said, author = entry.submission.metadata, entry.submission.identity
        for result in entry.submission.results:
            if authors.setdefault(result.model, author) != author:
                continue
            described[result.model] = ModelFacts(
                id=result.model,
                name=said.model,
                kind="model",
                organisation=said.organisation or None,
                parameters=said.parameters,
                open=said.open,
            )
    return lambda name: find(name) or described.get(name)
