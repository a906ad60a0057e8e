"""What of a dataset is on this machine: all, a part, or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qbench.datasets import similarity
from qbench.datasets.get import downloads, home
from qbench.datasets.known import DatasetFacts
from qbench.datasets.manifest import read_manifest
from qbench.datasets.sets import find_set_list, set_folders, set_samples
from qbench.datasets.shards import count_rows, find_shards
from qbench.errors import UserError
from qbench.records import Sample


@dataclass(frozen=True)
class Presence:
    """How much of a dataset is here."""

    state: Literal["yes", "partly", "no"]
    detail: str = ""
    """What is missing of a part, in a few words."""
    items: int | None = None
    """How many of its items are here, where these have been counted."""


def look_for(facts: DatasetFacts, root: Path) -> Presence:
    """How much of a dataset is below the data root: files are counted, not opened.

    What of a list of UniSim-Bench's is missing is told when it is opened, for its samples are drawn only then.
    """
    if facts.truth == "construction":
        return Presence("yes", items=facts.items)
    if facts.name in similarity.LOADERS:
        found = similarity.has_files(facts, root)
        return Presence("yes") if found else _unfinished(facts, root)
    shards = find_shards(home(facts, root), facts.split)
    if shards:
        return _counted(count_rows(shards), facts.items or 0, "questions")
    try:
        listed, published = _listed(facts, root)
    except UserError as error:
        return Presence("partly", str(error))
    if not listed:
        return _unfinished(facts, root)
    there = _files(set_folders(facts, listed, root))
    here = sum(all(_base(image) in there for image in sample.images) for sample in listed)
    if not here:
        return Presence("no", "its list is here, its images are not")
    what = "samples" if any(len(sample.images) > 1 for sample in listed) else "images"
    return _counted(here, max(len(listed), published), what)


def _listed(facts: DatasetFacts, root: Path) -> tuple[list[Sample], int]:
    """The samples of the list that is here, and how many the publisher's has: somebody may have shortened it."""
    path = home(facts, root) / (facts.sample_list or "")
    if facts.sample_list and path.is_file():
        return read_manifest(path, facts), facts.items or 0
    found = find_set_list(facts, root)
    if found is None or found.facts.task != facts.task:
        return [], 0
    return set_samples(read_manifest(found.path, found.facts), facts), found.facts.sets.get(facts.name, 0)


def _counted(here: int, of: int, what: str) -> Presence:
    return Presence("yes", items=here) if here >= of else Presence("partly", f"{here:,} of {of:,} {what}", here)


def _unfinished(facts: DatasetFacts, root: Path) -> Presence:
    """Whether it is being fetched, or was until somebody stopped it."""
    parts = [path for folder in (downloads(facts, root), home(facts, root)) for path in folder.glob("**/*.part")]
    if not parts:
        return Presence("no")
    size = sum(path.stat().st_size for path in parts)
    return Presence("partly", f"{size / 1e6:,.1f} MB fetched; `datasets get {facts.name}` goes on")


def _files(folders: Iterable[Path]) -> set[str]:
    return {path.name for folder in folders for path in folder.rglob("*")}


def _base(image: str) -> str:
    return image.replace("\\", "/").rsplit("/", 1)[-1]
