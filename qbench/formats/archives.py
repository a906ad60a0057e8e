"""The files in a zip archive, within limits that are checked before anything is unpacked.

Names inside an archive are only ever shown and looked up; where a file is written is decided here.
"""

from __future__ import annotations

import errno
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from qbench.errors import DataError
from qbench.formats.sheets import UNPACKED_IN_STEPS, is_workbook
from qbench.rows import explain_unreadable, shorten

_ZIP = b"PK"
_END = b"PK\x05\x06"
_END_SIZE = 22
_LONGEST_COMMENT = 65_535
_ENTRY = 512
"""Bytes of one entry in an archive's list of contents; ordinary ones take about 100."""
_NESTED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError)
"""What the library raises for archives that are damaged, encrypted or packed in ways it does not know."""


@dataclass(frozen=True)
class FileLimits:
    """How much one file of results may hold."""

    size: int = 32 * 2**20
    """Bytes of the file as it comes."""
    unpacked: int = 64 * 2**20
    """Bytes of all files in an archive together."""
    members: int = 20_000
    """Files in an archive; 12 rounds of comparisons are about 5,000."""
    rows: int = 50_000
    """Records in one file; the largest rated set has 40,000 images, and intervals take time in proportion."""
    all_rows: int = 100_000
    """Records of all files together; all rated sets have 81,000 images."""
    seconds: float = 30.0
    """After which no further file of an upload is begun."""


UPLOAD_LIMITS = FileLimits()
"""What is taken from visitors."""


@dataclass(frozen=True)
class Unpacked:
    """The files that one path leads to."""

    files: Mapping[str, Path]
    """Name -> where the file lies now. Names are for reading only: in an archive, each is its member's own."""
    packed: bool
    """Whether they come from an archive."""
    ignored: tuple[str, ...] = ()
    """Members that are no results: hidden files and what a system adds to archives."""


def check_size(path: Path, limits: FileLimits) -> None:
    """Refuse a file that is larger than allowed.

    Raises:
        DataError: It is.
    """
    with explain_unreadable(path):
        size = path.stat().st_size
    if size > limits.size:
        raise DataError(f"{path.name} has {_megabytes(size)}; at most {_megabytes(limits.size)} are taken")


@contextmanager
def unpack(path: Path, limits: FileLimits = UPLOAD_LIMITS) -> Iterator[Unpacked]:
    """The files that a path leads to, while the block lasts: itself, or an archive's members in a folder of ours.

    Raises:
        DataError: An archive that is larger than allowed, damaged, or within an archive.
    """
    with explain_unreadable(path), path.open("rb") as file:
        start = file.read(8)
    if not start.startswith(_ZIP) or is_workbook(path):
        if start.startswith(_NESTED[1:]):
            raise DataError(f"{path.name} is packed in a way that is not read here; give the file itself or a zip")
        yield Unpacked({path.name: path}, packed=False)
        return
    check_size(path, limits)
    with TemporaryDirectory(prefix="upload-") as folder:
        try:
            unpacked = _members(path, Path(folder), limits)
        except NotImplementedError:
            raise DataError(f"{path.name} is compressed in a way that is not read here; make an ordinary zip") from None
        except OSError as fault:
            if fault.errno not in (None, errno.EINVAL):  # not what damaged archives make the library try
                raise DataError(f"cannot unpack {path.name}: {fault.strerror}") from None
            raise DataError(f"{path.name} is not a whole zip archive ({_reason(fault)}); pack it again") from None
        except _BROKEN as fault:
            raise DataError(f"{path.name} is not a whole zip archive ({_reason(fault)}); pack it again") from None
        yield unpacked


def _members(path: Path, folder: Path, limits: FileLimits) -> Unpacked:
    _check_list(path, limits)
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        kept = [entry for entry in entries if not _is_clutter(entry.filename)]
        if len(entries) > limits.members:
            raise DataError(f"{path.name} holds {len(entries):,} files; at most {limits.members:,} are taken")
        declared = sum(entry.file_size for entry in kept)
        if declared > limits.unpacked:
            most = _megabytes(limits.unpacked)
            raise DataError(f"{path.name} unpacks to {_megabytes(declared)}; at most {most} are taken")
        if not kept:
            raise DataError(f"{path.name} holds no files; pack the result files themselves")
        [(name, times)] = Counter(entry.filename for entry in kept).most_common(1)
        if times > 1:
            raise DataError(f"{path.name} holds {times} files called {shorten(name)}; keep one of them")
        files: dict[str, Path] = {}
        named: Counter[str] = Counter()
        for entry in kept:
            if entry.flag_bits & 1:
                raise DataError(f"{path.name} is locked by a password; pack it without one")
            if entry.compress_type not in UNPACKED_IN_STEPS:
                raise NotImplementedError
            with archive.open(entry) as member:  # not `archive.read`, which inflates whatever the size that is declared
                content = member.read(entry.file_size)
            if content.startswith(_NESTED) and b"xl/workbook.xml" not in content:
                name = shorten(PurePosixPath(entry.filename).name)
                raise DataError(f"{path.name} holds another archive, {name}; pack the files themselves")
            plain = _plain(entry.filename)
            place = folder / str(named[plain.casefold()])  # a folder for each time a name is there: few for many files
            place.mkdir(exist_ok=True)
            named[plain.casefold()] += 1
            files[entry.filename] = place / plain
            files[entry.filename].write_bytes(content)
        ignored = tuple(entry.filename for entry in entries if _is_clutter(entry.filename))
    return Unpacked(files, packed=True, ignored=ignored)


def _check_list(path: Path, limits: FileLimits) -> None:
    """Refuse a long list of contents before the library builds an object for each entry of it."""
    with explain_unreadable(path), path.open("rb") as file:
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


def _reason(fault: Exception) -> str:
    return (str(fault) or type(fault).__name__)[:80]


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 2**20 else f"{size:,} bytes"
