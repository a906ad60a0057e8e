"""Files that are there whole or not at all, whatever dies in between, and however many processes write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from json import detect_encoding
from pathlib import Path

from filelock import FileLock
from pydantic_core import from_json

from qbench.atomic import UNFINISHED, written_aside

LARGEST_FILE = 64 * 2**20
"""Bytes; a larger file is no table of results but a mistake or an attack."""


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Be the only writer of a folder; the lock of a process that dies is free again."""
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / ".lock"):
        for left in root.rglob(UNFINISHED):
            left.unlink()  # whoever was writing it is dead: we hold the lock
        yield


def write_durably(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file into a folder whose lock is held; once this returns it survives a power cut."""
    with written_aside(path) as part:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    _settle(path.parent, path.parent.parent)


def move(source: Path, target: Path) -> None:
    """Move a file within a file system: it is never in both places, nor in neither."""
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)
    _settle(target.parent, target.parent.parent, source.parent)


def read_limited(path: Path) -> bytes:
    """The bytes of a file; ValueError where it is too large to be a record."""
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise ValueError(f"has {size / 2**20:.0f} MB; at most {LARGEST_FILE // 2**20} MB are read")
    return path.read_bytes()


def parse_json(content: bytes) -> object:
    """The JSON in a file; ValueError where it is none.

    Python's own reader goes as deep as calls may, and what is cleaned up just then fails for want of room.
    """
    try:
        return from_json(content.decode(detect_encoding(content)))
    except ValueError as fault:
        raise ValueError(f"is not JSON: {fault}; restore the file from a copy, or delete it") from fault


def _settle(*folders: Path) -> None:
    """Make the names in folders survive a power cut."""
    for folder in folders:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
