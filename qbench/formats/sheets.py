"""Spreadsheets (xlsx) as rows of text: the first sheet that is shown, its header and what stands below.

Read by the standard library: of spreadsheet libraries python-calamine makes room for every cell between the first and
the last, so that a file of one kilobyte ends the process, and openpyxl takes ten times as long.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from qbench.archives import BROKEN, UNPACKED_IN_STEPS
from qbench.errors import DataError
from qbench.rows import MOST_ROWS, File, Row, refuse_repeated, shorten

LARGEST_PART = 12 * 2**20
"""Bytes of one part of the file, unpacked."""
MOST_ELEMENTS = 1_000_000
"""More than 12 MB of ordinary cells have."""
_SMALL = 2**20
"""Bytes that any part may unpack to."""
_MOST_TIMES = 100
"""What larger parts may unpack to, in sizes as packed; sheets whose rows are all alike come to 12."""
_WORKBOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"


def read_sheet(file: File, most: int | None = None) -> Iterator[Row]:
    """The rows below the header of the first sheet that is shown; DataError where it is no workbook, or too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(file.content)) as book:
            yield from _rows(book, file.name, most or MOST_ROWS)
    except (*BROKEN, OSError, KeyError, ElementTree.ParseError) as fault:
        raise DataError(f"{file.name} is not a whole spreadsheet ({str(fault)[:80]}); save it again as xlsx") from None


def _rows(book: zipfile.ZipFile, file: str, most: int) -> Iterator[Row]:
    tab, part, shared = _first_tab(book, file)
    texts = [_text(item) for item in _elements(book, shared, "si", file)] if shared else []
    header: dict[int, str] = {}
    number = count = 0
    for place, row in enumerate(_elements(book, part, "row", file)):
        if place > most:
            raise DataError(f"{file} holds more than {most:,} records; split it and score the parts")
        number = int(row.get("r") or number + 1)
        cells = dict(_cells(row, texts))
        if cells and header:
            count += 1
            yield Row({name: cells.get(column) for column, name in header.items()}, f"record {count:,} (row {number})")
        elif cells:
            header = {column: str(text) for column, text in cells.items()}
            refuse_repeated(header.values(), file)
    if not count:
        raise DataError(f"{file}: its first sheet, {shorten(tab)}, holds no records below its header")


def _first_tab(book: zipfile.ZipFile, file: str) -> tuple[str, str, str]:
    """Name and part of the first tab that is shown and is no chart, and the part of the texts that cells refer to.

    The names of the parts say nothing of their order.
    """
    parts: dict[str, str] = {}
    texts = ""
    for link in _elements(book, _LINKS, "Relationship", file):
        kind = link.get("Type", "").rpartition("/")[2]
        target = posixpath.normpath(posixpath.join("/xl", link.get("Target", ""))).lstrip("/")
        if kind == "worksheet":
            parts[link.get("Id", "")] = target
        elif kind == "sharedStrings":
            texts = target
    for tab in _elements(book, _WORKBOOK, "sheet", file):
        link_id = next((value for name, value in tab.items() if name.endswith("}id")), "")
        if tab.get("state", "visible") == "visible" and link_id in parts:
            return tab.get("name", ""), parts[link_id], texts
    raise DataError(f"{file} shows no sheet; save it again as xlsx")


def _cells(row: ElementTree.Element, texts: list[str]) -> Iterator[tuple[int, object]]:
    """Column and value of each cell that is not empty."""
    column = -1
    for cell in row:
        letters = re.match(r"[A-Z]{1,3}", cell.get("r", ""))
        column = _column(letters[0]) if letters else column + 1
        value = _value(cell, texts)
        if value is not None:
            yield column, value


def _value(cell: ElementTree.Element, texts: list[str]) -> object:
    kind = cell.get("t", "n")
    given = next((child for child in cell if _name(child) == ("is" if kind == "inlineStr" else "v")), None)
    if kind == "inlineStr":
        return _text(given) if given is not None else ""
    value = given.text if given is not None else None
    if not value:
        return None
    if kind == "s":
        place = int(value)
        if not 0 <= place < len(texts):
            raise ValueError(f"a cell names text {place} of {len(texts)}")
        return texts[place]
    if kind == "b":  # stored as 1 and 0, which a score would be read from
        return "TRUE" if value == "1" else "FALSE"
    if kind == "n":
        number = float(value)
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    return value


def _text(element: ElementTree.Element) -> str:
    """Its texts together, in one or in runs; without how they are pronounced, which Japanese tools store beside."""
    runs = [part for child in element for part in (child if _name(child) == "r" else [child])]
    return "".join(part.text or "" for part in runs if _name(part) == "t")


def _column(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _elements(book: zipfile.ZipFile, part: str, name: str, file: str) -> Iterator[ElementTree.Element]:
    """The elements of this name in a part, each forgotten once it has been looked at."""
    content = _part(book, part, file)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ValueError("it declares entities, which no spreadsheet does")
    parser = ElementTree.iterparse(io.BytesIO(content), events=("start", "end"))  # noqa: S314 - without entities
    elements = 0
    for event, element in parser:
        elements += event == "start"
        if elements > MOST_ELEMENTS:
            raise ValueError("its cells are too many")
        if event == "end" and _name(element) == name:
            yield element
            element.clear()


def _name(element: ElementTree.Element) -> str:
    """What an element is called, in ordinary files and in those that Excel saves as strict."""
    return element.tag.rpartition("}")[2]


def _part(book: zipfile.ZipFile, name: str, file: str) -> bytes:
    """A part, of which no more than its declared size is ever inflated."""
    entry = book.getinfo(name)
    if entry.compress_type not in UNPACKED_IN_STEPS:
        raise DataError(f"{file} is packed in a way that no spreadsheet is; save it again as xlsx")
    if entry.file_size > LARGEST_PART:
        raise DataError(f"{file} unpacks to more than {LARGEST_PART >> 20} MB; split it and score the parts")
    if entry.file_size > max(_SMALL, _MOST_TIMES * entry.compress_size):
        times = entry.file_size // max(1, entry.compress_size)
        raise DataError(f"{file} unpacks to {times:,} times its size; save it again as xlsx")
    with book.open(entry) as opened:
        return opened.read(entry.file_size)
