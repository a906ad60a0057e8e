"""Archives: what people hand in, unpacked in memory within limits, and datasets, unpacked below a folder.

Names inside an archive are only ever shown and looked up, or lead below the folder that is named here.
"""

from __future__ import annotations

import io
import re
import shutil
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from qbench.atomic import written_aside
from qbench.errors import DataError
from qbench.rows import File, in_megabytes, shorten

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
UNPACKED_IN_STEPS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways of packing of which the library unpacks no more at once than it is asked for; of others all there is."""
_ZIP = b"PK"
_ENTRY = b"PK\x01\x02"
"""What each entry in an archive's list of contents begins with."""
_NESTED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")
_WORKBOOK = b"xl/workbook.xml"
_EDGE = 1 << 16
BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)
"""What the libraries raise for archives that are damaged, encrypted or packed in ways they do not know."""


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


UPLOAD_LIMITS = FileLimits()
"""What is taken from visitors."""


@dataclass(frozen=True)
class Unpacked:
    """The files that one file leads to: itself, or what is packed in it."""

    files: Mapping[str, File]
    """By the names that they have in an archive, which are for reading only."""
    packed: bool
    ignored: int = 0
    """Members that are no results: hidden files and what a system adds to archives."""


def is_workbook(content: bytes) -> bool:
    """Whether this is a spreadsheet: an archive that names its workbook, near its start or at its end."""
    return content.startswith(_ZIP) and (_WORKBOOK in content[:_EDGE] or _WORKBOOK in content[-_EDGE:])


def unpack(file: File, limits: FileLimits = UPLOAD_LIMITS) -> Unpacked:
    """What a file holds: itself, or the members of a zip.

    Raises:
        DataError: An archive that is larger than allowed, damaged, or within an archive.
    """
    if not file.content.startswith(_ZIP) or is_workbook(file.content):
        if file.content.startswith(_NESTED[1:]):
            raise DataError(f"{file.name} is packed in a way that is not read here; give the file itself or a zip")
        return Unpacked({file.name: file}, packed=False)
    if len(file.content) > limits.size:
        size, most = map(in_megabytes, (len(file.content), limits.size))
        raise DataError(f"{file.name} has {size}; at most {most} are taken")
    if file.content.count(_ENTRY) > limits.members:  # for each of them the library builds an object
        raise DataError(f"{file.name} holds too many files; at most {limits.members:,} are taken")
    try:
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            return _members(archive, file.name, limits)
    except NotImplementedError:
        raise DataError(f"{file.name} is compressed in a way that is not read here; make an ordinary zip") from None
    except (*BROKEN, OSError) as fault:
        told = (str(fault) or type(fault).__name__)[:80]
        raise DataError(f"{file.name} is not a whole zip archive ({told}); pack it again") from None


def _members(archive: zipfile.ZipFile, name: str, limits: FileLimits) -> Unpacked:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    kept = [entry for entry in entries if not _is_clutter(PurePosixPath(entry.filename))]
    if (declared := sum(entry.file_size for entry in kept)) > limits.unpacked:
        size, most = map(in_megabytes, (declared, limits.unpacked))
        raise DataError(f"{name} unpacks to {size}; at most {most} are taken")
    if not kept:
        raise DataError(f"{name} holds no files; pack the result files themselves")
    [(repeated, times)] = Counter(entry.filename for entry in kept).most_common(1)
    if times > 1:
        raise DataError(f"{name} holds {times} files called {shorten(repeated)}; keep one of them")
    files: dict[str, File] = {}
    for entry in kept:
        if entry.flag_bits & 1:
            raise DataError(f"{name} is locked by a password; pack it without one")
        if entry.compress_type not in UNPACKED_IN_STEPS:
            raise NotImplementedError
        with archive.open(entry) as member:  # not `archive.read`, which inflates whatever the size that is declared
            content = member.read(entry.file_size)
        if content.startswith(_NESTED) and _WORKBOOK not in content:
            inner = shorten(PurePosixPath(entry.filename).name)
            raise DataError(f"{name} holds another archive, {inner}; pack the files themselves")
        files[entry.filename] = File(_plain(entry.filename), content)
    return Unpacked(files, packed=True, ignored=len(entries) - len(kept))


def _is_clutter(name: PurePosixPath) -> bool:
    return any(part.startswith((".", "__")) for part in name.parts if part not in (".", ".."))


def _plain(name: str) -> str:
    """The last part of a member's name, of characters that every system takes."""
    return re.sub(r"[^\w.-]+", "_", PurePosixPath(name).name)[-80:].lstrip(".") or "file"


def is_archive(name: str) -> bool:
    """Whether a file of this name is unpacked where it holds a dataset."""
    return name.lower().endswith(ARCHIVES)


def unpack_archive(
    archive: Path, folder: Path, *, members: str = "", most: int | None = None, check: Callable[[], None] = lambda: None
) -> None:
    """Write the files of a dataset's archive below a folder.

    Links, and whatever else is no plain file, are left out: no dataset needs them. A file that is there already with
    the size that it has in the archive is not written again, so that what was interrupted goes on. Of names only those
    of a pattern are taken, such as `*/1024x768/*`; `check` is called before every file, and raises to stop.

    Raises:
        DataError: It is damaged, holds nothing that is asked for, more bytes than `most`, or a name that leads
            elsewhere.
    """
    written = size_of_all = 0
    try:
        for name, size, opened in _plain_files(archive):
            if _is_clutter(name) or (members and not fnmatchcase(name.as_posix(), members)):
                continue
            check()
            written, size_of_all = written + 1, size_of_all + size
            if most is not None and size_of_all > most:
                raise DataError(f"{archive.name} unpacks to more than {most:,} bytes; hand in a smaller one")
            path = _inside(folder, name, archive)
            if not path.is_file() or path.stat().st_size != size:
                with written_aside(path) as part, opened() as source, part.open("wb") as out:
                    shutil.copyfileobj(source, out)  # of a zip or tar, no more than the size that is declared
    except BROKEN as error:
        raise DataError(f"{archive.name} is damaged or encrypted ({error}); get it anew") from None
    if not written:
        raise DataError(f"{archive.name} holds {f'nothing like {members}' if members else 'no files'}")


def _plain_files(archive: Path) -> Iterator[tuple[PurePosixPath, int, Callable[[], Any]]]:
    """Name, size and opener of every plain file of an archive."""
    if archive.name.lower().endswith(".zip"):
        with zipfile.ZipFile(archive) as zipped:
            for entry in zipped.infolist():
                link = (entry.external_attr >> 28) == 0o12  # the file type of Unix, in the upper bits
                if not entry.is_dir() and not link:
                    yield PurePosixPath(entry.filename.replace("\\", "/")), entry.file_size, partial(zipped.open, entry)
        return
    with tarfile.open(archive) as taped:  # in the order of the tape: a compressed one cannot go back
        for member in taped:
            content = taped.extractfile(member) if member.isfile() else None
            if content is not None:
                yield PurePosixPath(member.name), member.size, partial(nullcontext, content)


def _inside(folder: Path, name: PurePosixPath, archive: Path) -> Path:
    if name.is_absolute() or ".." in name.parts or ":" in name.parts[0] or "\0" in str(name):
        raise DataError(f"{archive.name} holds {shorten(str(name))}, a name that leads out of its folder")
    return folder / name
