"""Gets a dataset: its files fetched from where its publishers put them, checked, unpacked, and what came recorded.

Everything can be stopped and goes on where it stopped: a file from its last byte, an archive from its last member.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from qbench.archives import is_archive, unpack_archive
from qbench.atomic import write_whole
from qbench.datasets import similarity
from qbench.datasets.known import DatasetFacts, SourceFiles, known_datasets
from qbench.datasets.remote import Listing, RemoteFile, check_room, download, list_files, part_of
from qbench.errors import UserError

_ON_HUB = re.compile(r"(?:hf://datasets/)?([\w.-]+/[\w.-]+?)(?:@([\w./-]+))?", re.ASCII)
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")


@dataclass(frozen=True)
class FetchProgress:
    """How far a dataset is."""

    doing: str
    """Such as "fetching koniq10k.tgz"."""
    bytes: int
    """That are here, of all its files."""
    of: int | None
    """None where a host does not tell the size of a file."""


Watch = Callable[[FetchProgress], None]
"""Told how far it is; raises to stop."""


@dataclass(frozen=True)
class FetchPlan:
    """What getting a dataset takes: asked of its hosts, nothing fetched yet."""

    facts: DatasetFacts
    root: Path
    listings: tuple[Listing, ...]

    @property
    def size(self) -> int | None:
        """Bytes to fetch, where all hosts tell them."""
        sizes = [file.size for listing in self.listings for file in listing.files]
        return None if None in sizes else sum(size or 0 for size in sizes)


def plan_fetch(facts: DatasetFacts, root: Path) -> FetchPlan:
    """Ask the hosts of a dataset what they have of it.

    Raises:
        UserError: It cannot be fetched, with what to do instead; or a host does not answer, or wants a form filled in.
    """
    if facts.truth == "construction":
        raise UserError(f"{facts.name} needs no files: it is made at first use")
    if not facts.fetch:
        form = f"; its publisher gives it to those who fill in the form at {facts.form}" if facts.form else ""
        by_hand = f"put into {root / facts.name}: {facts.get} (licence: {facts.licence})"
        raise UserError(f"{facts.title} cannot be fetched{form}; {by_hand}")
    return FetchPlan(facts, root, tuple(map(list_files, facts.fetch)))


def hub_facts(called: str) -> DatasetFacts | None:
    """A dataset on the Hub that nothing is known of here, to be fetched whole; None for what is no `owner/name`."""
    on_hub = _ON_HUB.fullmatch(called)
    if on_hub is None:
        return None
    repo, revision = on_hub[1], on_hub[2] or ""
    name = "hub/" + "@".join(part for part in (repo.replace("/", "--"), revision.replace("/", "--")) if part)
    source = SourceFiles("hub", repo, ("*",), revision)
    return DatasetFacts(name, repo, "", licence=f"see {source.page}", fetch=(source,))


def fetch(plan: FetchPlan, watch: Watch = lambda _progress: None) -> None:
    """Fetch, check and unpack all files of a plan, and record what came from where.

    What `watch` raises stops the work, and what came is kept.

    Raises:
        UserError: A host, the disk or another process is in the way; one sentence with the fix.
        DataError: A file is not what its host says it is, or an archive is damaged.
    """
    with _alone(plan):
        check_room(plan.root, _room(plan))
        done = 0
        for listing in plan.listings:
            for file in listing.files:
                before = done

                def arrived(here: int, file: RemoteFile = file, before: int = before) -> None:
                    watch(FetchProgress(f"fetching {_base(file.name)}", before + here, plan.size))

                target = _target(plan, listing.source, file)
                if not _was_unpacked(plan, target, file):
                    download(file, target, listing.source, arrived)
                    if is_archive(file.name):
                        unpacking = FetchProgress(f"unpacking {_base(file.name)}", before + (file.size or 0), plan.size)
                        _unpack(plan, listing.source, target, partial(watch, unpacking))
                        _mark_of(target, file).touch()  # the archive is gone now
                done = before + (file.size or 0)
        _list_images(plan)
        _record(plan)


def record_path(facts: DatasetFacts, root: Path) -> Path:
    """Where it is noted what of a dataset came from where."""
    return root / "fetched" / f"{facts.name}.json"


def downloads(facts: DatasetFacts, root: Path) -> Path:
    """Where archives of a dataset lie until they are unpacked."""
    return root / "downloads" / facts.name


def home(facts: DatasetFacts, root: Path) -> Path:
    """The folder that a dataset's files are put into."""
    loader = similarity.LOADERS.get(facts.name)
    return root / (loader.location.folders[0] if loader else facts.name)


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _room(plan: FetchPlan) -> int:
    """Bytes that are needed yet: an archive needs room once more for what comes out of it, images packed already."""
    missing = [
        (file.size or 0) * (2 if is_archive(file.name) else 1)
        for listing in plan.listings
        for file in listing.files
        for target in [_target(plan, listing.source, file)]
        if not _was_unpacked(plan, target, file) and not target.exists()
    ]
    return sum(missing)


def _target(plan: FetchPlan, source: SourceFiles, file: RemoteFile) -> Path:
    """Where a file is fetched to: an archive aside, another one to its place."""
    if is_archive(file.name):
        return downloads(plan.facts, plan.root) / _base(file.name)
    return home(plan.facts, plan.root) / (file.name if source.host == "hub" else _base(file.name))


def _unpack(plan: FetchPlan, source: SourceFiles, archive: Path, check: Callable[[], None]) -> None:
    folder = home(plan.facts, plan.root)
    check()
    if source.own_folders:
        [name] = [file.name for listing in plan.listings for file in listing.files if _base(file.name) == archive.name]
        unpack_archive(archive, folder / PurePosixPath(name).with_suffix(""), check=check)
    elif plan.facts.name in similarity.LOADERS:
        loose = archive.with_name(f"{archive.name}.unpacked")
        unpack_archive(archive, loose, members=source.members, check=check)
        for facts in _sharing(source, plan.facts):
            _put_in_place(loose, facts, plan.root)
        if loose.exists():
            _move(loose, folder)
    else:
        unpack_archive(archive, folder, members=source.members, check=check)
    archive.unlink()


def _sharing(source: SourceFiles, facts: DatasetFacts) -> list[DatasetFacts]:
    """The dataset first, then others whose files come in the same archive."""
    others = [other for other in known_datasets() if other != facts and other.name in similarity.LOADERS]
    names = {
        other.name: {file for its in other.fetch if its.repo == source.repo for file in its.files} for other in others
    }
    return [facts, *(other for other in others if names[other.name] & set(source.files))]


def _put_in_place(loose: Path, facts: DatasetFacts, root: Path) -> None:
    """Move the dataset's own folder out of an unpacked archive, whatever folders the archive has around it."""
    if not loose.exists():
        return
    marked = sorted(loose.rglob(similarity.LOADERS[facts.name].location.marker), key=lambda path: len(path.parts))
    if marked:
        depth = similarity.LOADERS[facts.name].location.marker.count("/")
        _move(marked[0].parents[depth], home(facts, root))


def _move(source: Path, folder: Path) -> None:
    """Move all that is in one folder into another, beside what is there."""
    shutil.copytree(source, folder, copy_function=os.replace, dirs_exist_ok=True)
    shutil.rmtree(source)


def _list_images(plan: FetchPlan) -> None:
    """Make a list of all images where the publisher has none."""
    facts = plan.facts
    if not facts.unlisted or facts.sample_list is None:
        return
    folder = home(facts, plan.root)
    if not (folder / facts.sample_list).exists():
        images = sorted(path for path in folder.rglob("*") if path.suffix.lower() in IMAGE_SUFFIXES)
        rows = [{"img_path": path.relative_to(folder).as_posix()} for path in images]
        (folder / facts.sample_list).write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _was_unpacked(plan: FetchPlan, target: Path, file: RemoteFile) -> bool:
    return _mark_of(target, file).exists() and home(plan.facts, plan.root).is_dir()


def _mark_of(archive: Path, file: RemoteFile) -> Path:
    """What lies beside an archive once this version of it has been unpacked."""
    return part_of(archive, file).with_suffix(".unpacked")


def _record(plan: FetchPlan) -> None:
    """What came from where, at which commit, beside the data."""
    sources: list[dict[str, Any]] = [
        {
            "from": listing.source.page,
            "revision": listing.revision or None,
            "files": {file.name: {"bytes": file.size, "digest": file.digest or None} for file in listing.files},
        }
        for listing in plan.listings
    ]
    at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    made = {"dataset": plan.facts.name, "at": at, "licence": plan.facts.licence, "sources": sources}
    content = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    write_whole(record_path(plan.facts, plan.root), content.encode())


@contextmanager
def _alone(plan: FetchPlan) -> Iterator[None]:
    """Let nobody else fetch the same dataset meanwhile; who was killed leaves no lock behind."""
    from filelock import FileLock, Timeout  # comes with the Hub's client

    folder = downloads(plan.facts, plan.root)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
            if not any(path.name != ".lock" for path in folder.iterdir()):
                shutil.rmtree(folder, ignore_errors=True)
    except Timeout:
        raise UserError(f"{plan.facts.name} is being fetched by another process; wait for it") from None
