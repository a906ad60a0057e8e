"""Datasets, opened by name or by a manifest's path; what a model or a task is never matters here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from qbench.datasets import similarity
from qbench.datasets.image_paths import locate_images
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.datasets.manifest import read_manifest
from qbench.datasets.recognise import SET, find_published_list, list_with_sets
from qbench.datasets.shards import read_shards
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


def data_root() -> Path:
    """Where downloaded datasets are looked for: $QBENCH_DATA, or the user's cache."""
    return Path(os.environ.get("QBENCH_DATA") or Path.home() / ".cache" / "qbench" / "datasets")


def is_here(facts: DatasetFacts) -> bool:
    """Whether a dataset can be opened by name as it is: its files have been put where they belong, or are made here."""
    if facts.name in similarity.LOADERS:
        return similarity.has_files(facts, data_root())
    return facts.truth == "construction" or (data_root() / facts.name).is_dir()


def open_dataset(
    name: str, *, images: Path | None = None, limit: int | None = None, task: str | None = None
) -> Dataset:
    """Open a dataset by name, or by the path of a manifest.

    Args:
        name: A known name or alias, or a JSON, JSONL or CSV manifest.
        images: Folder that image paths start from, by default the manifest's own; or that holds a known dataset.
        limit: Use only the first so many samples.
        task: What it is opened for: of a dataset that pairs have been drawn from too, whether these are meant.

    Raises:
        UserError: Unknown name, or files that are not there: what to download and where to put it.
    """
    facts = find_dataset(name)
    if Path(name).is_file():
        # A published list under its own name, or in a folder of that name, is that dataset wherever it lies.
        facts = find_dataset(Path(name).stem) or find_dataset(Path(name).resolve().parent.name)
        return _from_list(Path(name), images or Path(name).parent, facts, limit)
    facts = _pairs_of(facts, task) if facts and task else facts
    if facts is not None and facts.truth == "construction":
        return _demo(facts, limit)
    if facts is not None and facts.name in similarity.LOADERS:
        return _similarity(facts, images, limit)
    if facts is None or not facts.opens:
        raise UserError(_unknown(name))
    folder = data_root() / facts.name
    shards = sorted(folder.glob(f"**/{facts.split}-*.parquet")) if facts.split else []
    if shards:
        samples = read_shards(shards, folder / "images", labelled=facts.split != "test")
        used = tuple(samples[:limit])
        return Dataset(facts.name, used, digest(shards[0]), facts.split, facts, _part(used, samples, facts))
    path = folder / facts.sample_list if facts.sample_list else None
    if path is None or not path.is_file():
        raise UserError(f"{facts.title} is not at {folder}; put there: {facts.get} (licence: {facts.licence})")
    return _from_list(path, images or folder, facts, limit)


def _demo(facts: DatasetFacts, limit: int | None) -> Dataset:
    from qbench.datasets.demo import make_demo_set, with_picture_files

    demo = make_demo_set(facts.name)
    used = with_picture_files(demo, data_root(), limit)
    return Dataset(facts.name, used, demo.revision, facts=facts, limit=_part(used, demo.samples, facts))


def _pairs_of(facts: DatasetFacts, task: str) -> DatasetFacts:
    """The pairs drawn from a dataset for this task, where it is one of another task and there are such."""
    pairs = (drawn for drawn in known_datasets() if drawn.sampled_from == facts.name and drawn.task == task)
    return facts if facts.task == task else next((drawn for drawn in pairs if drawn.name in similarity.LOADERS), facts)


def _similarity(facts: DatasetFacts, images: Path | None, limit: int | None) -> Dataset:
    found = similarity.read_frozen_list(facts, data_root(), images)
    used = similarity.with_image_paths(found.samples[:limit], found.folder, facts)
    # The published tables call pairs by the name of the dataset that they are drawn from.
    name, part = facts.sampled_from or facts.name, _part(used, found.samples, facts)
    return Dataset(name, tuple(used), found.revision, facts.split, facts, part)


def _from_list(path: Path, images: Path, named: DatasetFacts | None, limit: int | None) -> Dataset:
    """The dataset of a list; what it holds tells more than what it or its folder is named after."""
    every = read_manifest(path, named)
    facts = find_published_list(every) or named
    samples = every[:limit]
    if facts:
        samples = [replace(sample, groups={**sample.groups, **facts.groups_of(sample.id)}) for sample in samples]
    located = locate_images(samples, images, facts)
    part = _part(samples, every, facts)
    name, split = (facts.name, facts.split) if facts else (path.stem, None)
    similar = None if facts else list_with_sets(sample.groups.get(SET, "") for sample in every)
    note = f"its sets are those of {similar.title}, but its images or scores are others: on no board" if similar else ""
    return Dataset(name, tuple(located), digest(path), split, facts, part, note)


def _part(used: Sequence[Sample], listed: Sequence[Sample], facts: DatasetFacts | None) -> int | None:
    """How many samples are used, where the list, or the dataset as published, holds more."""
    whole = max(len(listed), (facts.items if facts else None) or 0)
    return len(used) if len(used) < whole else None


def _unknown(name: str) -> str:
    names = [facts.name for facts in known_datasets() if facts.opens]
    if Path(name).suffix:
        return f"there is no manifest at {name}; give an existing JSON, JSONL or CSV file, or one of {', '.join(names)}"
    near = get_close_matches(name, names, n=3, cutoff=0.4)
    return f"no dataset is called {name!r}: did you mean {' or '.join(near or names)}? A manifest's path works too."
