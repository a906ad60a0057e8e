"""The models that the tables know: the catalogue's, and those that authors have described; and the records of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from leaderboard.store import Recorded
from leaderboard.store.submission import Entry
from qbench.models.catalogue import ModelFacts

FindModel = Callable[[str], "ModelFacts | None"]
"""The model that a name in a record means, or None where the name is unknown."""
PARTS = ("limit", "rounds")
"""Protocol fields that say how much was asked: how many samples, and rounds of comparisons."""


@dataclass(frozen=True, eq=False)
class ModelRecords:
    """What the store holds of one model. As long as that is the same it is the same object."""

    model: ModelFacts
    records: tuple[Recorded, ...]
    """In the store's order."""
    names: frozenset[str]
    """What they call it."""

    @cached_property
    def training(self) -> tuple[str, ...]:
        """What data about image quality the records say it was trained on, each once however it is spelt."""
        found: dict[str, str] = {}
        for record in self.records:
            said = record.result.protocol
            named = list(said.get("training_data") or ())
            if said.get("trained_on") is True and not named:
                named.append(record.result.dataset)
            if record.entry is not None:
                named += record.entry.submission.metadata.trained_on
            for data in map(str, named):
                found.setdefault("".join(sign for sign in data.casefold() if sign.isalnum()), data)
        return tuple(found.values())

    @cached_property
    def of_parts(self) -> tuple[Recorded, ...]:
        """Those that may be about a part of a dataset alone."""
        return tuple(record for record in self.records if any(name in record.result.protocol for name in PARTS))


ModelsRecords = Mapping[str, ModelRecords]
"""Model id -> its records."""


def group_by_model(
    records: Sequence[Recorded],
    find_model: FindModel,
    before: ModelsRecords = MappingProxyType({}),
    earlier: Sequence[Recorded] = (),
) -> ModelsRecords:
    """The records of each model, in the order of their first ones; what is as it was before is taken over.

    Args:
        records: All of them.
        find_model: Knows which names mean one model.
        before: What the earlier records came to.
        earlier: Those. Where the records begin with them, as in most stores that were added to, the rest alone is
            looked at.
    """
    go_on = earlier and records[: len(earlier)] == earlier and _means_the_same(before, find_model)
    known: dict[str, ModelFacts] = {}
    grouped: dict[str, list[Recorded]] = {}
    for record in records[len(earlier) if go_on else 0 :]:
        name = record.result.model
        if name not in known:
            known[name] = find_model(name) or ModelFacts(name, name, "model")
        grouped.setdefault(known[name].id, []).append(record)
    facts = {model.id: model for model in known.values()}
    names: dict[str, set[str]] = {}
    for name, model in known.items():
        names.setdefault(model.id, set()).add(name)
    made: dict[str, ModelRecords] = dict(before) if go_on else {}
    for key, of_model in grouped.items():
        known_before = before.get(key)
        added_to = known_before if go_on else None
        now = (*(added_to.records if added_to else ()), *of_model)
        if known_before is not None and known_before.records == now and known_before.model == facts[key]:
            made[key] = known_before
        else:
            made[key] = ModelRecords(facts[key], now, (added_to.names if added_to else frozenset()) | names[key])
    return made


def _means_the_same(models: ModelsRecords, find_model: FindModel) -> bool:
    """Whether every name that is known still means its model, and of each the same is known."""
    return all(
        (find_model(name) or ModelFacts(name, name, "model")) == known.model
        for known in models.values()
        for name in known.names
    )


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
