"""Files that are there whole or not at all: no reader sees half of one, and two writers at once do not share one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

UNFINISHED = "*.part"
"""What is being written, or was when its writer died."""


@contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """A file to write beside `path`, whose place it takes when the block is through; deleted where that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{uuid4().hex}.part")
    try:
        yield part
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with written_aside(path) as part:
        part.write_bytes(content)
