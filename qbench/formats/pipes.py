"""What can be read only once, such as `<(zcat scores.json.gz)`, as a file that can be read again."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from qbench.errors import DataError
from qbench.rows import explain_unreadable

MOST_PIPED = 256 * 2**20
"""Bytes; a pipe may never end, and files of as many records as are read at once are smaller."""
_CHUNK = 1 << 20
_STDIN = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def is_pipe(path: Path) -> bool:
    """Whether this is there and can be read only once."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def as_file(path: Path) -> Iterator[Path]:
    """The file itself; or, of a pipe or device, a copy of what came out of it, while the block lasts.

    Raises:
        DataError: It cannot be read, or more comes out of it than is kept.
    """
    with explain_unreadable(path):
        mode = path.stat().st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        yield path
        return
    with TemporaryDirectory(prefix="piped-") as folder:
        copy = Path(folder) / ("stdin" if str(path) in _STDIN else "pipe")
        with explain_unreadable(path), path.open("rb") as source, copy.open("wb") as target:
            size = 0
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                if size > MOST_PIPED:
                    most = f"{MOST_PIPED >> 20} MB"
                    raise DataError(f"more than {most} came out of {path}; write them to a file and name that")
                target.write(chunk)
        yield copy
