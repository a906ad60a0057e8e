"""Spreadsheets (xlsx) as rows of text, read cell by cell.

Read here and not with a spreadsheet library, because those build every part of the file in memory before one cell can
be looked at, which a small hostile file can make gigabytes; the one sheet of plain cells that people hand in needs
none of that.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from qbench.errors import DataError
from qbench.rows import MOST_ROWS, Row

LARGEST_PART = 12 * 2**20
"""Bytes of one part of the file, unpacked: elements of one hostile row take 30 times as much memory."""
_MOST_COLUMNS = 256
_LONGEST_TEXTS = 128 * 2**20
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ElementTree.ParseError)


def is_workbook(path: Path) -> bool:
    """Whether this is a spreadsheet: an archive that names its workbook, near its start or at its end."""
    with path.open("rb") as file:
        start = file.read(1 << 16)
        size = file.seek(0, 2)
        file.seek(max(0, size - (1 << 16)))
        return start.startswith(b"PK") and b"xl/workbook.xml" in start + file.read()


def read_sheet(path: Path, most: int | None = None) -> Iterator[Row]:
    """The rows of the first sheet below its header.

    Raises:
        DataError: Not a whole workbook, or larger than allowed.
    """
    try:
        with zipfile.ZipFile(path) as book:
            yield from _rows(book, path, most or MOST_ROWS)
    except (*_BROKEN, OSError, ValueError) as fault:
        raise DataError(f"{path.name} is not a whole spreadsheet ({str(fault)[:80]}); save it again as xlsx") from None


def _rows(book: zipfile.ZipFile, path: Path, most: int) -> Iterator[Row]:
    sheets = sorted((int(found[1]), name) for name in book.namelist() if (found := _SHEET.fullmatch(name)))
    if not sheets:
        raise DataError(f"{path.name} holds no sheet; save it again as xlsx")
    texts = _shared_texts(book, path)
    header: dict[int, str] = {}
    with _open(book, sheets[0][1], path) as part:
        count = 0
        for number, cells in _cells(part, texts):
            if not header:
                header = {column: str(text) for column, text in cells.items() if text is not None}
                continue
            count += 1
            if count > most:
                raise DataError(f"{path.name} holds more than {most:,} records; split it and score the parts")
            yield Row({name: cells.get(column) for column, name in header.items()}, f"record {count:,} (row {number})")
    if not count:
        raise DataError(f"{path.name} holds no records below its header")


def _shared_texts(book: zipfile.ZipFile, path: Path) -> list[str]:
    """Texts that cells refer to by number."""
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    texts: list[str] = []
    size = 0
    with _open(book, "xl/sharedStrings.xml", path) as part:
        for element in _elements(part, "si"):
            texts.append("".join(one.text or "" for one in element.iter(f"{_MAIN}t")))
            size += len(texts[-1]) + 50
            if size > _LONGEST_TEXTS:
                raise DataError(f"{path.name} holds too many texts; split it and score the parts")
    return texts


def _cells(part: IO[bytes], texts: list[str]) -> Iterator[tuple[int, dict[int, object]]]:
    """Number and cells of each row that has any; empty cells are not there."""
    number = 0
    for row in _elements(part, "row"):
        number = int(row.get("r") or number + 1)
        cells: dict[int, object] = {}
        column = -1
        for place, cell in enumerate(row.iter(f"{_MAIN}c")):
            if place >= _MOST_COLUMNS:
                raise ValueError(f"row {number} has more than {_MOST_COLUMNS} cells")
            letters = re.match(r"[A-Z]{1,3}", cell.get("r") or "")
            column = _column(letters[0]) if letters else column + 1
            value = _value(cell, texts)
            if value is not None:
                cells[column] = value
        if cells:
            yield number, cells


def _value(cell: ElementTree.Element, texts: list[str]) -> object:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(one.text or "" for one in cell.iter(f"{_MAIN}t"))
    found = cell.find(f"{_MAIN}v")
    if found is None or found.text is None:
        return None
    if kind == "s":
        place = int(found.text)
        if not 0 <= place < len(texts):
            raise ValueError(f"a cell names text {place} of {len(texts)}")
        return texts[place]
    if kind == "n":
        number = float(found.text)
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    return found.text


def _column(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _elements(part: IO[bytes], name: str) -> Iterator[ElementTree.Element]:
    """Each element of a name, forgotten once it has been looked at."""
    root: ElementTree.Element | None = None
    for event, element in ElementTree.iterparse(part, events=("start", "end")):  # noqa: S314 - expat bounds entities
        if root is None:
            root = element
        if event == "end" and element.tag == _MAIN + name:
            yield element
            element.clear()
            root.clear()


def _open(book: zipfile.ZipFile, name: str, path: Path) -> IO[bytes]:
    if book.getinfo(name).file_size > LARGEST_PART:
        raise DataError(f"{path.name} unpacks to more than {LARGEST_PART >> 20} MB; split it and score the parts")
    return book.open(name)
