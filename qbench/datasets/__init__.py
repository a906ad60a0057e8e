"""Datasets, opened by name, by a manifest's path or from whatever holds one; what a task is never matters here."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from qbench.datasets import similarity
from qbench.datasets.get import Watch
from qbench.datasets.here import look_for
from qbench.datasets.image_paths import locate_images
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.datasets.local import OwnSamples, find_own
from qbench.datasets.manifest import read_manifest
from qbench.datasets.recognise import SET, find_published_list, list_with_sets
from qbench.datasets.sets import find_set_list, list_of_set, set_folders, set_samples
from qbench.datasets.shards import find_shards, read_shards
from qbench.errors import UserError
from qbench.records import Sample
from qbench.rows import digest


@dataclass(frozen=True)
class Dataset:
    """Samples with the paths of their images, ready to be asked about."""

    name: str
    samples: tuple[Sample, ...]
    revision: str
    """SHA-256 of the list the samples came from."""
    split: str | None = None
    facts: DatasetFacts | None = None
    limit: int | None = None
    """How many samples it has, where these are not all: figures of a part do not stand for the whole."""
    note: str = ""
    """What the reader of its results must know, in one sentence."""
    coverage: Mapping[str, Any] | None = None
    """Where samples were left out because their images are not here: how many of how many there are, set by set."""


def data_root() -> Path:
    """Where downloaded datasets are looked for: $QBENCH_DATA, or the user's cache."""
    return Path(os.environ.get("QBENCH_DATA") or Path.home() / ".cache" / "qbench" / "datasets")


def is_here(facts: DatasetFacts) -> bool:
    """Whether a dataset can be opened by name, all of it or a part: a list without a single image cannot."""
    presence = look_for(facts, data_root())
    return presence.state == "yes" or bool(presence.items)


def open_dataset(
    name: str,
    *,
    images: Path | None = None,
    limit: int | None = None,
    task: str | None = None,
    allow_missing: bool = False,
    watch: Watch = lambda _progress: None,
) -> Dataset:
    """Open a dataset by name, by the path of what holds it, or by its name on the Hub.

    Args:
        name: A known name or alias; a JSON, JSONL or CSV manifest; a folder, an archive or parquet shards that hold
            one; or `owner/name` of a dataset on the Hub, which is fetched.
        images: Folder that image paths start from, by default the manifest's own; or that holds a known dataset.
        limit: Use only the first so many samples.
        task: What it is opened for: of a dataset that pairs or a set have been drawn from, whether these are meant.
        allow_missing: Leave out samples whose images are not here; the dataset's `coverage` says how many.
        watch: Told how far fetching from the Hub is.

    Raises:
        UserError: Unknown name, or files that are not there: what to download and where to put it.
    """
    facts = find_dataset(name)
    if facts is None or Path(name).is_file():
        own = find_own(name, data_root(), watch)
        if own is None:
            raise UserError(_unknown(name))
        return _own(own, images, limit, allow_missing)
    facts = _pairs_of(facts, task) if task else facts
    if facts.truth == "construction":
        return _demo(facts, limit)
    if facts.name in similarity.LOADERS:
        return _similarity(facts, images, limit, allow_missing)
    if not facts.opens:
        raise UserError(_unknown(name))
    shards = find_shards(data_root() / facts.name, facts.split) if facts.split else []
    if shards:
        samples = read_shards(shards, data_root() / facts.name / "images", labelled=facts.split != "test")
        used = tuple(samples[:limit])
        return Dataset(facts.name, used, digest(shards[0]), facts.split, facts, _part(used, samples, facts))
    return _listed(facts, images, limit, task, allow_missing)


def _listed(
    facts: DatasetFacts, images: Path | None, limit: int | None, task: str | None, allow_missing: bool
) -> Dataset:
    """A dataset of a list: its own, or the one that it is a set of."""
    folder = data_root() / facts.name
    path = folder / facts.sample_list if facts.sample_list else None
    study = list_of_set(facts, task)
    if study and not (facts.task == study.task and path and path.is_file()):
        found = find_set_list(facts, data_root(), images)
        if found:
            listed = set_samples(read_manifest(found.path, found.facts), facts)
            made = _from_samples(listed, images or folder, found.facts, limit, digest(found.path), allow_missing)
            part = found.facts.limit_for(facts.name, len(made.samples)).get("limit")  # of the set, not of the list
            return replace(made, name=facts.name, limit=part)
    elif path and path.is_file():
        return _from_list(path, images or folder, facts, limit, allow_missing)
    missing = f"{facts.title} is not at {folder}"
    get = f"get it: python -m qbench datasets get {facts.name}" if facts.fetch else f"put there: {facts.get}"
    if study and facts.task != study.task:
        missing = f"the images of {facts.title} that {study.title} compare are not named at {data_root() / study.name}"
        get = f"get the list: python -m qbench datasets get {study.name}, and {facts.name}"
    by_hand = f", or put there: {facts.get}" if facts.fetch else ""
    raise UserError(f"{missing}; {get}{by_hand} (licence: {facts.licence})")


def _demo(facts: DatasetFacts, limit: int | None) -> Dataset:
    from qbench.datasets.demo import read_demo_set, with_picture_files

    samples, revision = read_demo_set(facts.name)
    used = with_picture_files(samples[:limit], data_root())
    return Dataset(facts.name, used, revision, facts=facts, limit=_part(used, samples, facts))


def _pairs_of(facts: DatasetFacts, task: str) -> DatasetFacts:
    """The pairs drawn from a dataset for this task, where it is one of another task and there are such."""
    pairs = (drawn for drawn in known_datasets() if drawn.sampled_from == facts.name and drawn.task == task)
    return facts if facts.task == task else next((drawn for drawn in pairs if drawn.name in similarity.LOADERS), facts)


def _similarity(facts: DatasetFacts, images: Path | None, limit: int | None, allow_missing: bool) -> Dataset:
    found = similarity.read_frozen_list(facts, data_root(), images)
    wanted = found.samples[:limit]
    used = similarity.with_image_paths(wanted, found.folder, facts, allow_missing=allow_missing)
    # The published tables call pairs by the name of the dataset that they are drawn from.
    name, part = facts.sampled_from or facts.name, _part(used, found.samples, facts)
    covered = _coverage(wanted, used)
    return Dataset(name, tuple(used), found.revision, facts.split, facts, part, coverage=covered)


def _own(own: OwnSamples, images: Path | None, limit: int | None, allow_missing: bool) -> Dataset:
    if own.path is None:
        used = own.samples[:limit]
        part = len(used) if len(used) < len(own.samples) else None
        return Dataset(own.name, used, own.revision, own.split, None, part)
    # A published list under its own name, or in a folder of that name, is that dataset wherever it lies.
    named = find_dataset(own.path.stem) or find_dataset(own.path.resolve().parent.name)
    made = _from_list(own.path, images or own.path.parent, named, limit, allow_missing)
    return made if made.facts else replace(made, name=own.name)


def _from_list(path: Path, images: Path, named: DatasetFacts | None, limit: int | None, allow_missing: bool) -> Dataset:
    """The dataset of a list; what it holds tells more than what it or its folder is named after."""
    every = read_manifest(path, named)
    facts = find_published_list(every) or named
    made = _from_samples(every, images, facts, limit, digest(path), allow_missing)
    similar = None if facts else list_with_sets(sample.groups.get(SET, "") for sample in every)
    note = f"its sets are those of {similar.title}, but its images or scores are others: on no board" if similar else ""
    return replace(made, name=facts.name if facts else path.stem, note=note)


def _from_samples(
    every: Sequence[Sample],
    images: Path,
    facts: DatasetFacts | None,
    limit: int | None,
    revision: str,
    allow_missing: bool,
) -> Dataset:
    """The dataset of listed samples, with the paths of their images."""
    samples = every[:limit]
    if facts:
        samples = [replace(sample, groups={**sample.groups, **facts.groups_of(sample.id)}) for sample in samples]
    together: dict[tuple[Path, ...], list[Sample]] = {}
    for sample in samples:
        others = set_folders(facts, [sample], data_root()) if facts else []
        together.setdefault(tuple(dict.fromkeys([images, *others])), []).append(sample)
    found = {
        sample.id: sample
        for folders, some in together.items()
        for sample in locate_images(some, folders, facts, allow_missing=allow_missing)
    }
    located = [found[sample.id] for sample in samples if sample.id in found]
    if not located and samples:
        locate_images(samples, [images], facts)  # says what is missing
    split = facts.split if facts else None
    covered = _coverage(samples, located)
    return Dataset("", tuple(located), revision, split, facts, _part(located, every, facts), coverage=covered)


def _coverage(wanted: Sequence[Sample], used: Sequence[Sample]) -> dict[str, Any] | None:
    """How many of the samples there are; None where all are."""
    if len(used) == len(wanted):
        return None
    here = {sample.id for sample in used}
    gone = Counter(sample.groups.get(SET, "") for sample in wanted if sample.id not in here)
    by_set = {"missing": dict(gone)} if any(gone) else {}
    return {"used": len(used), "of": len(wanted), **by_set}


def coverage_sentence(dataset: Dataset) -> str:
    """What was left out because it is not here, for people; empty where nothing was."""
    if dataset.coverage is None:
        return ""
    missing = ", ".join(f"{count:,} of {name}" for name, count in dataset.coverage.get("missing", {}).items())
    named = f" (missing: {missing})" if missing else ""
    used, of = dataset.coverage["used"], dataset.coverage["of"]
    return f"{used:,} of {of:,} samples of {dataset.name} have their images here{named}; a part has no rank"


def _part(used: Sequence[Sample], listed: Sequence[Sample], facts: DatasetFacts | None) -> int | None:
    """How many samples are used, where the list, or the dataset as published, holds more."""
    whole = max(len(listed), (facts.items if facts else None) or 0)
    return len(used) if len(used) < whole else None


def _unknown(name: str) -> str:
    names = [facts.name for facts in known_datasets() if facts.opens]
    if facts := find_dataset(name):
        return f"only published results of {facts.title} are known here; what can be run: {', '.join(names)}"
    listing = "python -m qbench datasets lists the names"
    if Path(name).suffix:
        return f"there is no manifest at {name}; give an existing JSON, JSONL or CSV file; {listing}"
    near = get_close_matches(name, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"{listing}."
    return f"no dataset is called {name!r}: {hint} A manifest's path works too."
