"""Datasets that the owner of an installation gets from the page, while it tells how far that is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from leaderboard.live.service.jobs import Job, Publish
from leaderboard.live.service.limits import Work
from qbench.commands.datasets import about_size
from qbench.datasets import data_root, is_here
from qbench.datasets.get import FetchProgress, fetch, plan_fetch
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.datasets.places import Presence, look_for
from qbench.datasets.remote import in_bytes
from qbench.errors import UserError


@dataclass(frozen=True)
class FetchedDataset:
    """A dataset that was got, and how much of it there is now."""

    facts: DatasetFacts
    presence: Presence


def absent_datasets(root: Path) -> list[DatasetFacts]:
    """Those that can be run and are not here whole: first what can be fetched, then what is put in place by hand."""
    absent = [facts for facts in known_datasets() if facts.opens and look_for(facts, root).state != "yes"]
    return sorted(absent, key=lambda facts: not facts.fetch)


def size_of(facts: DatasetFacts) -> str:
    """About how large a dataset is, as its hosts list it; empty where they do not."""
    size = about_size(facts)
    return in_bytes(size) if size else ""


def get_job(name: str, root: Path) -> Job[FetchedDataset]:
    """The job of getting a dataset; stopped, the same job goes on from there."""

    def job(work: Work, publish: Publish) -> FetchedDataset:
        facts = find_dataset(name)
        if facts is None:
            raise UserError("choose a dataset first")
        publish(known=FetchProgress("finding where it is stored", 0, None))
        plan = plan_fetch(facts, root)

        def watch(progress: FetchProgress) -> None:
            work.check()
            publish(known=progress)

        fetch(plan, watch)
        publish(known=FetchProgress("counting the files that are here", plan.size or 0, plan.size))
        return FetchedDataset(facts, look_for(facts, root))

    return job


def available_datasets() -> list[DatasetFacts]:
    """What can be run here: the demo sets, and those whose files the owner has put in place."""
    return [dataset for dataset in known_datasets() if dataset.opens and is_here(dataset)]


def is_partly_here(name: str) -> Presence | None:
    """How much of a dataset is here where that is a part: the rest is left out of a run. None for any other."""
    facts = find_dataset(name)
    presence = look_for(facts, data_root()) if facts else None
    return presence if presence and presence.state == "partly" and presence.items else None
