"""Spreadsheets (xlsx) as rows of text, read cell by cell.

Read here and not with a spreadsheet library, because those build every part of the file in memory before one cell can
be looked at, which a small hostile file can make gigabytes; the one sheet of plain cells that people hand in needs
none of that.
"""

from __future__ import annotations

import errno
import posixpath
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from xml.parsers.expat import ExpatError

from qbench.errors import DataError
from qbench.formats.sheet_xml import SheetCell, read_attributes, read_elements
from qbench.rows import MOST_ROWS, Row, explain_unreadable, shorten

LARGEST_PART = 12 * 2**20
"""Bytes of one part of the file, unpacked."""
_SMALL = 2**20
"""Bytes that any part may unpack to."""
_MOST_TIMES = 100
"""What larger parts may unpack to, in sizes as packed; sheets whose rows are all alike come to 12."""
UNPACKED_IN_STEPS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways of packing of which the library unpacks no more at once than it is asked for; of others all there is."""
_WORKBOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_MOST_LINKS = 10_000
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ExpatError)


@dataclass(frozen=True)
class _Tab:
    name: str
    part: str
    """Where the archive keeps it."""
    texts: str | None
    """Where it keeps the texts that cells refer to."""


def is_workbook(path: Path) -> bool:
    """Whether this is a spreadsheet: an archive that names its workbook, near its start or at its end."""
    with explain_unreadable(path), path.open("rb") as file:
        start = file.read(1 << 16)
        size = file.seek(0, 2)
        file.seek(max(0, size - (1 << 16)))
        return start.startswith(b"PK") and _WORKBOOK.encode() in start + file.read()


def read_sheet(path: Path, most: int | None = None) -> Iterator[Row]:
    """The rows below the header of the first sheet that is shown.

    Raises:
        DataError: Not a whole workbook, or larger than allowed.
    """
    try:
        with zipfile.ZipFile(path) as book:
            yield from _rows(book, path, most or MOST_ROWS)
    except OSError as fault:
        if fault.errno not in (None, errno.EINVAL):  # not what damaged archives make the library try
            raise DataError(f"cannot read {path}: {fault.strerror}") from None
        raise DataError(f"{path.name} is not a whole spreadsheet ({str(fault)[:80]}); save it again as xlsx") from None
    except (*_BROKEN, ValueError) as fault:
        raise DataError(f"{path.name} is not a whole spreadsheet ({str(fault)[:80]}); save it again as xlsx") from None


def _rows(book: zipfile.ZipFile, path: Path, most: int) -> Iterator[Row]:
    tab = _first_tab(book, path)
    texts = _shared_texts(book, tab.texts, path)
    header: dict[int, str] = {}
    with _open(book, tab.part, path) as part:
        count = 0
        for place, (number, cells) in enumerate(_cells(part, texts)):
            if place > most:
                raise DataError(f"{path.name} holds more than {most:,} records; split it and score the parts")
            if not cells:
                continue
            if not header:
                header = {column: str(text) for column, text in cells.items()}
                repeated = [name for name, times in Counter(header.values()).items() if times > 1]
                if repeated:
                    raise DataError(f"{path.name}: the header names {shorten(repeated[0])} twice; keep one of them")
                continue
            count += 1
            yield Row({name: cells.get(column) for column, name in header.items()}, f"record {count:,} (row {number})")
    if not count:
        raise DataError(f"{path.name}: its first sheet, {shorten(tab.name)}, holds no records below its header")


def _first_tab(book: zipfile.ZipFile, path: Path) -> _Tab:
    """The first tab that is shown and holds cells, and no chart; the names of the parts say nothing of their order."""
    parts: dict[str, str] = {}
    texts = None
    with _open(book, _LINKS, path) as part:
        for count, link in enumerate(read_attributes(part, "Relationship")):
            if count > _MOST_LINKS:
                raise ValueError("it has more parts than any spreadsheet")
            kind, target = link.get("Type", ""), posixpath.join("/xl", link.get("Target", ""))
            if kind.endswith("/worksheet"):
                parts[link.get("Id", "")] = posixpath.normpath(target).lstrip("/")
            elif kind.endswith("/sharedStrings"):
                texts = posixpath.normpath(target).lstrip("/")
    with _open(book, _WORKBOOK, path) as part:
        for tab in read_attributes(part, "sheet"):
            link_id = next((value for name, value in tab.items() if name.endswith(" id")), "")
            if tab.get("state", "visible") == "visible" and link_id in parts:
                return _Tab(tab.get("name", ""), parts[link_id], texts)
    raise DataError(f"{path.name} shows no sheet; save it again as xlsx")


def _shared_texts(book: zipfile.ZipFile, name: str | None, path: Path) -> list[str]:
    """Texts that cells refer to by number."""
    if name is None:
        return []
    with _open(book, name, path) as part:
        return [record.cells[0].text for record in read_elements(part, "si")]


def _cells(part: IO[bytes], texts: list[str]) -> Iterator[tuple[int, dict[int, object]]]:
    """Number and cells of each row; empty cells are not there."""
    number = 0
    for row in read_elements(part, "row"):
        number = int(row.number or number + 1)
        cells: dict[int, object] = {}
        column = -1
        for cell in row.cells:
            letters = re.match(r"[A-Z]{1,3}", cell.place or "")
            column = _column(letters[0]) if letters else column + 1
            value = _value(cell, texts)
            if value is not None:
                cells[column] = value
        yield number, cells


def _value(cell: SheetCell, texts: list[str]) -> object:
    if cell.kind == "inlineStr":
        return cell.text
    if not cell.value:
        return None
    if cell.kind == "s":
        place = int(cell.value)
        if not 0 <= place < len(texts):
            raise ValueError(f"a cell names text {place} of {len(texts)}")
        return texts[place]
    if cell.kind == "b":  # stored as 1 and 0, which a score would be read from
        return "TRUE" if cell.value == "1" else "FALSE"
    if cell.kind == "n":
        if "_" in cell.value:  # which Python would read as 120 in 1_20
            raise ValueError(f"a cell holds the number {cell.value[:20]}")
        number = float(cell.value)
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    return cell.value


def _column(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _open(book: zipfile.ZipFile, name: str, path: Path) -> IO[bytes]:
    """A part, of which no more than its declared size is ever inflated."""
    try:
        entry = book.getinfo(name)
    except KeyError:
        raise ValueError(f"it lacks {name}") from None
    if entry.compress_type not in UNPACKED_IN_STEPS:
        raise DataError(f"{path.name} is packed in a way that no spreadsheet is; save it again as xlsx")
    if entry.file_size > LARGEST_PART:
        raise DataError(f"{path.name} unpacks to more than {LARGEST_PART >> 20} MB; split it and score the parts")
    if entry.file_size > max(_SMALL, _MOST_TIMES * entry.compress_size):
        times = entry.file_size // max(1, entry.compress_size)
        raise DataError(f"{path.name} unpacks to {times:,} times its size; save it again as xlsx")
    return book.open(name)
