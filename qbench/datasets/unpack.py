"""Archives of datasets: unpacked below one folder, whatever their members are called, and within a size."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from qbench.errors import DataError
from qbench.rows import shorten

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, RuntimeError, NotImplementedError)
_SYSTEM = ("__MACOSX", ".DS_Store")
_PIECE = 1 << 20


def is_archive(name: str) -> bool:
    """Whether a file of this name is unpacked."""
    return name.lower().endswith(ARCHIVES)


def unpack_archive(
    archive: Path,
    folder: Path,
    *,
    members: str = "",
    most: int | None = None,
    check: Callable[[], None] = lambda: None,
) -> int:
    """Write the files of an archive below a folder; returns how many these are.

    Links, and whatever else is no plain file, are left out: no dataset needs them. A file that is there already with
    the size that it has in the archive is not written again, so that what was interrupted goes on.

    Args:
        archive: A zip or tar file.
        folder: Where its files go.
        members: Pattern of the names that are taken, such as `*/1024x768/*`; all without one.
        most: Bytes that they may have together.
        check: Called before every file; raises to stop.

    Raises:
        DataError: It is damaged, holds nothing that is asked for, more than `most`, or a name that leads elsewhere.
    """
    written, left = 0, most
    try:
        for name, size, opened in _files(archive):
            if any(part in _SYSTEM for part in name.parts) or (members and not fnmatchcase(name.as_posix(), members)):
                continue
            check()
            if left is not None and (left := left - size) < 0:
                raise DataError(f"{archive.name} unpacks to more than {most or 0:,} bytes; hand in a smaller one")
            _write(opened, size, _inside(folder, name, archive), archive)
            written += 1
    except _BROKEN as error:
        raise DataError(f"{archive.name} is damaged or encrypted ({error}); get it anew") from None
    if not written:
        wanted = f"nothing like {members}" if members else "no files"
        raise DataError(f"{archive.name} holds {wanted}")
    return written


def _files(archive: Path) -> Iterator[tuple[PurePosixPath, int, Callable[[], IO[bytes] | None]]]:
    """Name, size and opener of every plain file of an archive."""
    if archive.name.lower().endswith(".zip"):
        with zipfile.ZipFile(archive) as zipped:
            for entry in zipped.infolist():
                link = (entry.external_attr >> 28) == 0o12  # the file type of Unix, in the upper bits
                if not entry.is_dir() and not link:
                    name = PurePosixPath(entry.filename.replace("\\", "/"))
                    yield name, entry.file_size, partial(zipped.open, entry)
        return
    with tarfile.open(archive) as taped:  # in the order of the tape: a compressed one cannot go back
        for member in taped:
            if member.isfile():
                yield PurePosixPath(member.name), member.size, partial(taped.extractfile, member)


def _inside(folder: Path, name: PurePosixPath, archive: Path) -> Path:
    if name.is_absolute() or ".." in name.parts or ":" in name.parts[0] or "\0" in str(name):
        raise DataError(f"{archive.name} holds {shorten(str(name))}, a name that leads out of its folder")
    return folder / name


def _write(opened: Callable[[], IO[bytes] | None], size: int, path: Path, archive: Path) -> None:
    if path.is_file() and path.stat().st_size == size:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with _removed_on_failure(part), part.open("wb") as out:
        source = opened()
        if source is None:
            raise DataError(f"{archive.name} does not give its member {path.name}")
        with source:
            copied = 0
            while piece := source.read(min(_PIECE, size - copied + 1)):  # one byte more tells of a false size
                copied += len(piece)
                if copied > size:
                    raise DataError(f"{archive.name} holds more of {path.name} than it says; get it anew")
                out.write(piece)
    part.replace(path)


@contextmanager
def _removed_on_failure(part: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def move_files(source: Path, folder: Path) -> None:
    """Move all that is in one folder into another, beside what is there."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        target = folder / path.name
        if path.is_dir() and target.is_dir():
            move_files(path, target)
            path.rmdir()
        else:
            shutil.move(path, target)
