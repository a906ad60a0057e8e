"""The models that the tables know: the catalogue's, and those that authors have described; and the records of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from leaderboard.store import Recorded
from leaderboard.store.submission import Entry
from qbench.models.catalogue import ModelFacts

FindModel = Callable[[str], "ModelFacts | None"]
"""The model that a name in a record means, or None where the name is unknown."""
PARTS = ("limit", "rounds")
"""Protocol fields that say how much was asked: how many samples, and rounds of comparisons."""


@dataclass(frozen=True)
class ModelRecords:
    """What the store holds of one model."""

    model: ModelFacts
    records: tuple[Recorded, ...]
    """In the store's order."""
    training: tuple[str, ...]
    """What data about image quality the records say it was trained on, each once however it is spelt."""


ModelsRecords = Mapping[str, ModelRecords]
"""Model id -> its records."""


def group_by_model(records: Iterable[Recorded], find_model: FindModel) -> ModelsRecords:
    """The records of each model, in the order of their first ones."""
    known: dict[str, ModelFacts] = {}
    grouped: dict[str, list[Recorded]] = {}
    for record in records:
        name = record.result.model
        if name not in known:
            known[name] = known_model(name, find_model)
        grouped.setdefault(known[name].id, []).append(record)
    facts = {model.id: model for model in known.values()}
    return {key: ModelRecords(facts[key], tuple(found), _training(found)) for key, found in grouped.items()}


def known_model(name: str, find_model: FindModel) -> ModelFacts:
    """The model that a name means; one that nobody has described is known by its name alone."""
    return find_model(name) or ModelFacts(name, name, "model")


def _training(records: Iterable[Recorded]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for record in records:
        said = record.result.protocol
        named = list(said.get("training_data") or ())
        if said.get("trained_on") is True and not named:
            named.append(record.result.dataset)
        if record.entry is not None:
            named += record.entry.submission.metadata.trained_on
        for data in map(str, named):
            found.setdefault("".join(sign for sign in data.casefold() if sign.isalnum()), data)
    return tuple(found.values())


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
