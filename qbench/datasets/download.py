"""Fetches one file: resumed where it was cut off, checked against size and digest, stopped on request."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qbench.datasets.remote import RemoteFile, explain_network
from qbench.datasets.sources import SourceFiles
from qbench.errors import DataError, UserError

_PIECE = 1 << 20
_RESERVE = 64 << 20
"""Bytes of a disk that are left free."""
Arrived = Callable[[int], None]
"""Told how many bytes of the file are here; raises to stop."""


def download(file: RemoteFile, target: Path, source: SourceFiles, arrived: Arrived = lambda _bytes: None) -> None:
    """Have a file at a place: nothing is fetched where it lies there whole, and what came of it before is used.

    Raises:
        UserError: The host does not give it, or the disk has no room; what came is kept.
        DataError: What arrived is not what the host says it has; nothing of it is kept.
    """
    if target.is_file() and target.stat().st_size == file.size and _is_right(target, file):
        arrived(file.size or 0)
        return
    part = part_of(target, file)
    part.parent.mkdir(parents=True, exist_ok=True)
    had = part.stat().st_size if part.exists() else 0
    if file.size is not None and had > file.size:
        part.unlink()
        had = 0
    check_room(part.parent, (file.size or 0) - had)
    _fetch(file, part, had, source, arrived)
    if not _is_right(part, file):
        part.unlink()
        raise DataError(
            f"{file.name} from {source.page} is not what the host says it is (its digest differs); nothing of it is "
            "kept: run this again, and tell the publisher if it happens twice"
        )
    part.replace(target)


def part_of(target: Path, file: RemoteFile) -> Path:
    """Where a file lies until it is whole; another version of it has another place."""
    version = hashlib.sha256(f"{file.digest} {file.size}".encode()).hexdigest()[:12]
    return target.with_name(f"{target.name}.{version}.part")


def check_room(folder: Path, size: int) -> None:
    """Refuse what the disk cannot hold.

    Raises:
        UserError: It has no room for so many bytes.
    """
    free = shutil.disk_usage(folder).free
    if size + _RESERVE > free:
        raise UserError(
            f"the disk of {folder} has {in_bytes(free)} free and {in_bytes(size)} are needed; make room, or set "
            "QBENCH_DATA to a folder on another disk"
        )


def in_bytes(size: int) -> str:
    """A size as a person reads it, in decimal units as the Hub tells sizes."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


def _fetch(file: RemoteFile, part: Path, had: int, source: SourceFiles, arrived: Arrived) -> None:
    # `hf_hub_download` begins a file anew in every process; this function below it goes on from where a file ends.
    from huggingface_hub.file_download import http_get

    def bar(*_given: Any, **told: Any) -> _Counter:
        return _Counter(int(told.get("initial") or 0), arrived)

    with part.open("ab") as out, explain_network(source):
        headers = {"Accept-Encoding": "identity", **file.headers}
        counter: Any = bar
        http_get(file.address, out, resume_size=had, headers=headers, expected_size=file.size, tqdm_class=counter)


class _Counter:
    """What the Hub's client takes for a progress bar: it tells how much is here."""

    def __init__(self, had: int, arrived: Arrived) -> None:
        self._here = had
        self._arrived = arrived

    def __enter__(self) -> _Counter:
        return self

    def __exit__(self, *_error: object) -> None:
        """Nothing to close."""

    def update(self, more: float | None = 1) -> None:
        self._here += int(more or 0)
        self._arrived(self._here)


def _is_right(path: Path, file: RemoteFile) -> bool:
    """Whether a file has the digest that its host tells; one without a digest is only known by its size."""
    kind, _, wanted = file.digest.partition(":")
    if not wanted:
        return True
    sha = hashlib.sha1(usedforsecurity=False) if kind == "git" else hashlib.sha256()
    if kind == "git":
        sha.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as content:
        while piece := content.read(_PIECE):
            sha.update(piece)
    return sha.hexdigest() == wanted
