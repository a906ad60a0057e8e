"""Datasets by name: known ones from the folder where their files were put, demo sets made here, one's own from a
manifest."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from qbench.datasets import similarity
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.datasets.manifest import read_manifest
from qbench.datasets.shards import read_shards
from qbench.errors import DataError, UserError
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


def data_root() -> Path:
    """Where downloaded datasets are looked for: $QBENCH_DATA, or the user's cache."""
    return Path(os.environ.get("QBENCH_DATA") or Path.home() / ".cache" / "qbench" / "datasets")


def is_here(facts: DatasetFacts) -> bool:
    """Whether a dataset can be opened by name as it is: its files have been put where they belong, or are made here."""
    if facts.name in similarity.LOADERS:
        return similarity.is_here(facts, data_root())
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
        return _from_list(
            Path(name), images or Path(name).parent, facts, facts.name if facts else Path(name).stem, limit
        )
    facts = _pairs_of(facts, task) if facts and task else facts
    if facts is not None and facts.truth == "construction":
        return _demo(facts, limit)
    if facts is not None and facts.name in similarity.LOADERS:
        return _similarity(facts, images, limit)
    if facts is None or facts.sample_list is None:
        raise UserError(_unknown(name))
    folder = data_root() / facts.name
    shards = sorted(folder.glob(f"**/{facts.split}-*.parquet")) if facts.split else []
    if shards:
        samples = read_shards(shards, folder / "images", labelled=facts.split != "test")
        used = tuple(samples[:limit])
        return Dataset(facts.name, used, digest(shards[0]), facts.split, facts, _part(used, samples, facts))
    path = folder / facts.sample_list
    if not path.is_file():
        raise UserError(f"{facts.title} is not at {folder}; put there: {facts.get} (licence: {facts.licence})")
    return _from_list(path, images or folder, facts, facts.name, limit)


def _demo(facts: DatasetFacts, limit: int | None) -> Dataset:
    from qbench.datasets.demo import read_list, with_pictures

    demo = read_list(facts.name)
    used = with_pictures(demo, data_root(), limit)
    return Dataset(facts.name, used, demo.revision, facts=facts, limit=_part(used, demo.samples, facts))


def _pairs_of(facts: DatasetFacts, task: str) -> DatasetFacts:
    """The pairs drawn from a dataset for this task, where it is one of another task and there are such."""
    pairs = (one for one in known_datasets() if one.sampled_from == facts.name and one.task == task)
    drawn = (one for one in pairs if one.name in similarity.LOADERS)
    return facts if facts.task == task else next(drawn, facts)


def _similarity(facts: DatasetFacts, images: Path | None, limit: int | None) -> Dataset:
    found = similarity.read_list(facts, data_root(), images)
    used = similarity.located(found.samples[:limit], found.folder, facts)
    # The published tables call pairs by the name of the dataset that they are drawn from.
    name, part = facts.sampled_from or facts.name, _part(used, found.samples, facts)
    return Dataset(name, tuple(used), found.revision, facts.split, facts, part)


def _from_list(path: Path, images: Path, facts: DatasetFacts | None, name: str, limit: int | None) -> Dataset:
    every = read_manifest(path)
    samples = every[:limit]
    if facts and facts.lower_is_better:
        samples = [replace(one, lower_is_better=True) for one in samples]
    if facts:
        samples = [replace(one, groups={**one.groups, **facts.groups_of(one.id)}) for one in samples]
    located = _located(samples, images, facts)
    split = facts.split if facts else None
    return Dataset(name, tuple(located), digest(path), split, facts, _part(samples, every, facts))


def _part(used: Sequence[Sample], listed: Sequence[Sample], facts: DatasetFacts | None) -> int | None:
    """How many samples are used, where the list, or the dataset as published, holds more."""
    whole = max(len(listed), (facts.items if facts else None) or 0)
    return len(used) if len(used) < whole else None


def _located(samples: Sequence[Sample], folder: Path, facts: DatasetFacts | None) -> list[Sample]:
    """Samples with image paths that exist: as given, or by the file name anywhere below the folder."""
    paths = {image: _inside(folder, image) for sample in samples for image in sample.images}
    absent = [image for image, path in paths.items() if not path.is_file()]
    if absent:
        paths |= _found_below(folder, absent, {path: image for image, path in paths.items()})
    missing = [image for image in absent if not paths[image].is_file()]
    if missing:
        get = f"; get them: {facts.get}" if facts else ""
        raise UserError(f"{len(missing):,} images are not below {folder}, the first of them {missing[0]!r}{get}")
    return [replace(sample, images=tuple(str(paths[image]) for image in sample.images)) for sample in samples]


def _found_below(folder: Path, images: Sequence[str], taken: Mapping[Path, str]) -> dict[str, Path]:
    """Files with the names of images that are not where their paths lead; one file is never taken for two images.

    KonIQ-10k, for one, comes in two sizes under the same names. Of copies of one image any serves.
    """
    named: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            named.setdefault(file.name, []).append(file)
    image_of, found = dict(taken), dict[str, Path]()
    for image in images:
        parts = Path(image).parts
        files = named.get(Path(image).name, [])
        files = [file for file in files if file.parts[-len(parts) :] == parts] or files
        if not files:
            continue
        meant = [str(file) for file in files[:2]] if len(files) > 1 and len(set(map(digest, files))) > 1 else []
        if not meant and image_of.setdefault(files[0], image) != image:
            meant = [f"{files[0]}, as could {image_of[files[0]]!r}"]
        if meant:
            raise DataError(
                f"{image!r} could be {' or '.join(meant)}; name the folder that its path starts from with --images"
            )
        found[image] = files[0]
    return found


def _inside(folder: Path, image: str) -> Path:
    """A manifest from elsewhere must not make a run read, and send to an endpoint, other files of this machine."""
    path = folder / image
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"the image path {image!r} leads nowhere ({type(error).__name__})") from None
    if not inside:
        raise DataError(f"the image path {image!r} leads out of {folder}; name the folder that holds it with --images")
    return path


def _unknown(name: str) -> str:
    names = [one.name for one in known_datasets() if one.opens]
    if Path(name).suffix:
        return f"there is no manifest at {name}; give an existing JSON, JSONL or CSV file, or one of {', '.join(names)}"
    near = get_close_matches(name, names, n=3, cutoff=0.4)
    return f"no dataset is called {name!r}: did you mean {' or '.join(near or names)}? A manifest's path works too."
