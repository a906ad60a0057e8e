"""Samples of one's own, wherever they are: a folder, an archive, parquet shards, or a dataset on the Hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from qbench.datasets.get import Watch, fetch, home, plan_fetch, record_path, repository_facts
from qbench.datasets.shards import find_shards, read_shards, splits_of
from qbench.datasets.unpack import is_archive, unpack_archive
from qbench.errors import UserError
from qbench.records import Sample
from qbench.rows import digest

_ON_HUB = re.compile(r"(?:hf://datasets/)?([\w.-]+/[\w.-]+?)(?:@([\w./-]+))?", re.ASCII)
_LISTS = (".json", ".jsonl", ".csv", ".tsv")
_USUAL = ("manifest", "metadata")
"""What the list of a folder is called where there are several files that might be it."""
_UNPACKED_MOST = 200 * 10**9


@dataclass(frozen=True)
class OwnSamples:
    """What a place of one's own holds: a list and the folder of its images, or samples of shards."""

    name: str
    path: Path | None = None
    """The list; None where the samples come from shards."""
    samples: tuple[Sample, ...] = ()
    revision: str = ""
    split: str | None = None


def find_own(name: str, root: Path, watch: Watch = lambda _progress: None) -> OwnSamples | None:
    """What a path, or a name of a dataset on the Hub, leads to; None where it is neither.

    A split of several is named after a colon, `FOLDER:dev` or `owner/name:dev`.

    Args:
        name: A list, a folder, a zip or tar file, a parquet shard, or `owner/name`, perhaps with `@revision`.
        root: The data root: what has to be unpacked or fetched goes below it, once.
        watch: Told how far fetching is.

    Raises:
        UserError: It is not clear which of its files is meant, or the Hub does not give it.
        DataError: An archive or a shard that is damaged.
    """
    place, colon, split = name.rpartition(":")
    if colon and not Path(name).exists() and not split.startswith("//"):
        return _find(place, root, split, watch)
    return _find(name, root, "", watch)


def _find(name: str, root: Path, split: str, watch: Watch) -> OwnSamples | None:
    path = Path(name)
    if path.is_dir():
        return _in_folder(path, path.resolve().name, root, split)
    if path.is_file() and is_archive(path.name):
        folder = root / "unpacked" / digest(path)[:16]
        if not (folder / ".whole").exists():
            unpack_archive(path, folder, most=_UNPACKED_MOST)
            (folder / ".whole").touch()
        return _in_folder(folder, path.name.partition(".")[0], root, split)
    if path.is_file() and path.suffix == ".parquet":
        return _of_shards([path], path.stem, root, splits_of([path])[:1])
    if path.is_file():
        return OwnSamples(path.stem, path)
    on_hub = _ON_HUB.fullmatch(name)
    if on_hub and not path.suffix:
        return _on_hub(on_hub[1], on_hub[2] or "", root, split, watch)
    return None


def _in_folder(folder: Path, name: str, root: Path, split: str) -> OwnSamples:
    shards = find_shards(folder, split or None)
    splits = splits_of(shards)
    if len(splits) > 1:
        raise UserError(f"{name} holds the splits {', '.join(splits)}; name one of them, such as {name}:{splits[0]}")
    if shards:
        return _of_shards(shards, name, root, splits)
    if split:
        raise UserError(f"{name} has no shards of a split {split!r}, files such as {split}-00000-of-00001.parquet")
    inner = [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]
    lists = sorted(path for path in folder.iterdir() if path.suffix.lower() in _LISTS)
    if not lists and len(inner) == 1:  # an archive of one folder
        return _in_folder(inner[0], name, root, split)
    usual = [path for path in lists if path.stem.lower() in _USUAL]
    if len(usual or lists) != 1:
        found = f"holds {', '.join(path.name for path in lists[:4])}" if lists else "holds no list of samples"
        raise UserError(f"{name} {found}; name the one list that is meant manifest.json, .jsonl or .csv")
    return OwnSamples(name, (usual or lists)[0])


def _of_shards(shards: list[Path], name: str, root: Path, splits: list[str]) -> OwnSamples:
    revision = digest(shards[0])
    split = splits[0] if splits else None
    images = root / "unpacked" / f"{revision[:16]}-images"
    samples = read_shards(shards, images, labelled=split != "test")
    return OwnSamples(name, None, tuple(samples), revision, split)


def _on_hub(repo: str, revision: str, root: Path, split: str, watch: Watch) -> OwnSamples:
    facts = repository_facts(repo, revision)
    if not record_path(facts, root).exists():  # what was fetched once is used without asking again
        fetch(plan_fetch(facts, root), watch)
    return _in_folder(home(facts, root), repo, root, split)
