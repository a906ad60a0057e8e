"""An upload as files, within limits that are checked before anything is read.

Names inside an archive are only ever shown and looked up; where a file is written is decided here.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from qbench.errors import DataError
from qbench.formats.sheets import UNPACKED_IN_STEPS, is_workbook
from qbench.rows import shorten

_ZIP = b"PK"
_END = b"PK\x05\x06"
_END_SIZE = 22
_LONGEST_COMMENT = 65_535
_ENTRY = 512
"""Bytes of one entry in an archive's list of contents; ordinary ones take about 100."""
_NESTED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""What the library raises for archives that are damaged, encrypted or packed in ways it does not know."""


@dataclass(frozen=True)
class Limits:
    """How much one upload may hold."""

    upload: int = 32 * 2**20
    """Bytes."""
    unpacked: int = 64 * 2**20
    """Bytes of all files in an archive together."""
    members: int = 20_000
    """Files in an archive; 12 rounds of comparisons are about 5,000."""
    rows: int = 50_000
    """Records in one file; the largest rated set has 40,000 images, and intervals take time in proportion."""


LIMITS = Limits()


@dataclass(frozen=True)
class Upload:
    """The files of an upload."""

    files: tuple[Path, ...]
    names: tuple[str, ...]
    """What each was called, for reading only: in an archive, its member's own name."""
    ignored: tuple[str, ...]
    """Members that are no results: hidden files and what a system adds to archives."""


@contextmanager
def unpack(path: Path, limits: Limits) -> Iterator[Upload]:
    """The files of an upload, while the block lasts: itself, or an archive's members written to a folder of ours.

    Raises:
        DataError: It is larger than allowed, damaged, or an archive within an archive.
    """
    size = path.stat().st_size
    if size > limits.upload:
        raise DataError(f"{path.name} has {_megabytes(size)}; at most {_megabytes(limits.upload)} are taken")
    with path.open("rb") as file:
        start = file.read(8)
    if not start.startswith(_ZIP) or is_workbook(path):
        if start.startswith(_NESTED[1:]):
            raise DataError(f"{path.name} is packed in a way that is not read here; upload the file itself or a zip")
        yield Upload((path,), (path.name,), ())
        return
    with TemporaryDirectory(prefix="upload-") as folder:
        try:
            upload = _members(path, Path(folder), limits)
        except NotImplementedError:
            raise DataError(f"{path.name} is compressed in a way that is not read here; make an ordinary zip") from None
        except _BROKEN as fault:
            raise DataError(f"{path.name} is not a whole zip archive ({_said(fault)}); pack it again") from None
        yield upload


def _members(path: Path, folder: Path, limits: Limits) -> Upload:
    _check_list(path, limits)
    with zipfile.ZipFile(path) as archive:
        entries = [one for one in archive.infolist() if not one.is_dir()]
        kept = [one for one in entries if not _is_clutter(one.filename)]
        if len(entries) > limits.members:
            raise DataError(f"{path.name} holds {len(entries):,} files; at most {limits.members:,} are taken")
        declared = sum(one.file_size for one in kept)
        if declared > limits.unpacked:
            most = _megabytes(limits.unpacked)
            raise DataError(f"{path.name} unpacks to {_megabytes(declared)}; at most {most} are taken")
        if not kept:
            raise DataError(f"{path.name} holds no files; pack the result files themselves")
        for number, entry in enumerate(kept):
            if entry.flag_bits & 1:
                raise DataError(f"{path.name} is locked by a password; pack it without one")
            if entry.compress_type not in UNPACKED_IN_STEPS:
                raise NotImplementedError
            with archive.open(entry) as member:  # not `archive.read`, which inflates whatever the size that is declared
                content = member.read(entry.file_size)
            if content.startswith(_NESTED) and b"xl/workbook.xml" not in content:
                name = shorten(PurePosixPath(entry.filename).name)
                raise DataError(f"{path.name} holds another archive, {name}; pack the files themselves")
            place = folder / str(number)
            place.mkdir()
            (place / _plain(entry.filename)).write_bytes(content)
        files = tuple(next((folder / str(number)).iterdir()) for number in range(len(kept)))
        ignored = tuple(one.filename for one in entries if one not in kept)
    return Upload(files, tuple(one.filename for one in kept), ignored)


def _check_list(path: Path, limits: Limits) -> None:
    """Refuse a long list of contents before the library builds an object for each entry of it."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_SIZE - _LONGEST_COMMENT))
        tail = file.read()
    at = len(tail) - _END_SIZE
    if tail[at : at + 4] != _END or tail[-2:] != b"\0\0":
        at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise DataError(f"{path.name} ends before its list of contents; the archive is cut off, pack it again")
    [count, length] = struct.unpack("<HI", tail[at + 10 : at + 16])
    if b"PK\x06\x07" in tail[max(0, at - 20) : at] or count > limits.members or length > limits.members * _ENTRY:
        raise DataError(f"{path.name} holds too many files; at most {limits.members:,} are taken")


def _is_clutter(name: str) -> bool:
    return any(part.startswith((".", "__")) for part in PurePosixPath(name).parts if part not in (".", ".."))


def _plain(name: str) -> str:
    """The last part of a member's name, of characters that every system takes."""
    return re.sub(r"[^\w.-]+", "_", PurePosixPath(name).name)[-80:].lstrip(".") or "file"


def _said(fault: Exception) -> str:
    return (str(fault) or type(fault).__name__)[:80]


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 2**20 else f"{size:,} bytes"
