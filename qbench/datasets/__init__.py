"""Datasets, opened by name, by a manifest's path or from whatever holds one; what a task is never matters here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from qbench.datasets import known, similarity
from qbench.datasets.get import Watch
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.datasets.manifest import read_manifest
from qbench.datasets.places import data_root as data_root
from qbench.datasets.places import find_own, find_set_list, locate_images, look_for, set_folders
from qbench.datasets.shards import find_shards, read_shards, splits_of
from qbench.errors import UserError
from qbench.records import Sample
from qbench.rows import digest, read_file


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


Locate = Callable[[Sequence[Sample]], Sequence[Sample]]
"""Gives samples the paths of their images."""
_Listed = tuple[Dataset, int, Locate]
"""A list with all its samples, how many there are as published, and what locates the images of some of them."""


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
    faults: list[str] | None = None,
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
        faults: Where rows of a manifest that cannot be used are named; without it they are refused.

    Raises:
        UserError: Unknown name, or files that are not there: what to download and where to put it.
    """
    facts = find_dataset(name)
    if facts is None or Path(name).is_file():
        listed = _own(name, images, allow_missing, watch, faults)
    else:
        listed = _known(_pairs_of(facts, task), images, task, allow_missing)
    dataset, published, locate = listed
    wanted = dataset.samples[:limit]
    used = tuple(locate(wanted))
    part = len(used) if len(used) < max(len(dataset.samples), published) else None
    return replace(dataset, samples=used, limit=part, coverage=_coverage(wanted, used))


def _pairs_of(facts: DatasetFacts, task: str | None) -> DatasetFacts:
    """The pairs drawn from a dataset for this task, where it is one of another task and there are such."""
    if task in (None, facts.task):
        return facts
    drawn = (pairs for pairs in known.known_datasets() if pairs.sampled_from == facts.name and pairs.task == task)
    return next((pairs for pairs in drawn if pairs.name in similarity.LOADERS), facts)


def _known(facts: DatasetFacts, images: Path | None, task: str | None, allow_missing: bool) -> _Listed:
    """The list of a dataset of this name: made here, drawn by a rule, in shards, or a file of its publisher."""
    root, items = data_root(), facts.items or 0
    if facts.truth == "construction":
        from qbench.datasets.demo import read_demo_set, with_picture_files

        demo, revision = read_demo_set(facts.name)
        return Dataset(facts.name, demo, revision, facts=facts), items, partial(with_picture_files, root=root)
    if facts.name in similarity.LOADERS:
        drawn, revision, below = similarity.read_frozen_list(facts, root, images)
        located = partial(_locate, images=below, facts=facts, allow_missing=allow_missing, exactly=True)
        # The published tables call pairs by the name of the dataset that they are drawn from.
        return Dataset(facts.record_name, tuple(drawn), revision, facts.split, facts), items, located
    if not facts.opens:
        raise UserError(_unknown(facts.name))
    folder = root / facts.name
    shards = find_shards(folder, facts.split) if facts.split else []
    if shards:
        samples = read_shards(shards, folder / "images", labelled=facts.split != "test")
        return Dataset(facts.name, tuple(samples), digest(shards[0]), facts.split, facts), items, tuple
    path = folder / facts.sample_list if facts.sample_list else None
    there = path and path.is_file()
    study = known.list_of_set(facts, task)
    if path and there and not (study and facts.task != study.task):
        return _of_list(path, images or folder, facts, allow_missing)
    if study and (held := find_set_list(facts, root, images)):
        listed, path = held
        samples = [sample for sample in read_manifest(path, listed) if known.set_of(sample) == facts]
        made, _, locate = _from_samples(facts.name, samples, images or folder, listed, digest(path), allow_missing)
        return made, listed.sets[facts.name], locate
    missing = f"{facts.title} is not at {folder}"
    get = f"get it: python -m qbench datasets get {facts.name}" if facts.fetch else f"put there: {facts.get}"
    if study and facts.task != study.task:
        missing = f"the images of {facts.title} that {study.title} compare are not named at {root / study.name}"
        get = f"get the list: python -m qbench datasets get {study.name}, and {facts.name}"
    by_hand = f", or put there: {facts.get}" if facts.fetch else ""
    raise UserError(f"{missing}; {get}{by_hand} (licence: {facts.licence})")


def _own(name: str, images: Path | None, allow_missing: bool, watch: Watch, faults: list[str] | None) -> _Listed:
    """The list that a path leads to, or a name of a dataset on the Hub."""
    own = find_own(name, data_root(), watch)
    if own is None:
        raise UserError(_unknown(name))
    called, files = own
    path = files[0]
    if path.suffix == ".parquet":
        revision, split = digest(path), next(iter(splits_of(files)), None)
        unpacked = data_root() / "unpacked" / f"{revision[:16]}-images"
        samples = read_shards(files, unpacked, labelled=split != "test")
        return Dataset(called, tuple(samples), revision, split), 0, tuple
    # A published list under its own name, or in a folder of that name, is that dataset wherever it lies.
    named = find_dataset(path.stem) or find_dataset(path.resolve().parent.name)
    return _of_list(path, images or path.parent, named, allow_missing, faults, called)


def _of_list(
    path: Path,
    images: Path,
    named: DatasetFacts | None,
    allow_missing: bool,
    faults: list[str] | None = None,
    name: str = "",
) -> _Listed:
    """A list in a file; what it holds tells more than what it or its folder is named after."""
    file = read_file(path)
    every = read_manifest(file, named, faults=faults)
    facts = known.find_published_list(every) or named
    similar = None if facts else known.list_with_sets(sample.groups.get(known.SET, "") for sample in every)
    note = f"its sets are those of {similar.title}, but its images or scores are others: on no board" if similar else ""
    called = facts.name if facts else name or file.stem
    made, published, locate = _from_samples(called, every, images, facts, file.sha256, allow_missing)
    return replace(made, note=note), published, locate


def _from_samples(
    name: str, every: Sequence[Sample], images: Path, facts: DatasetFacts | None, revision: str, allow_missing: bool
) -> _Listed:
    """A list of samples whose images lie below a folder, or where those of their sets do."""
    if facts:
        every = [replace(sample, groups={**sample.groups, **facts.groups_of(sample.id)}) for sample in every]
    items, split = (facts.items or 0, facts.split) if facts else (0, None)
    located = partial(_locate, images=images, facts=facts, allow_missing=allow_missing)
    return Dataset(name, tuple(every), revision, split, facts), items, located


def _locate(
    samples: Sequence[Sample], images: Path, facts: DatasetFacts | None, allow_missing: bool, exactly: bool = False
) -> Sequence[Sample]:
    together: dict[tuple[Path, ...], list[Sample]] = {}
    for sample in samples:
        others = set_folders(facts, [sample], data_root()) if facts and not exactly else []
        together.setdefault(tuple(dict.fromkeys([images, *others])), []).append(sample)
    found = {
        sample.id: sample
        for folders, some in together.items()
        for sample in locate_images(some, folders, facts, allow_missing=allow_missing, exactly=exactly)
    }
    if samples and not found:
        locate_images(samples, [images], facts, exactly=exactly)  # says what is missing
    return [found[sample.id] for sample in samples if sample.id in found]


def _coverage(wanted: Sequence[Sample], used: Sequence[Sample]) -> dict[str, Any] | None:
    """How many of the samples there are; None where all are."""
    if len(used) == len(wanted):
        return None
    here = {sample.id for sample in used}
    gone = Counter(sample.groups.get(known.SET, "") for sample in wanted if sample.id not in here)
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


def _unknown(name: str) -> str:
    names = [facts.name for facts in known.known_datasets() if facts.opens]
    if facts := find_dataset(name):
        return f"only published results of {facts.title} are known here; what can be run: {', '.join(names)}"
    listing = "python -m qbench datasets lists the names"
    if Path(name).suffix:
        return f"there is no manifest at {name}; give an existing JSON, JSONL or CSV file; {listing}"
    near = get_close_matches(name, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"{listing}."
    return f"no dataset is called {name!r}: {hint} A manifest's path works too."
