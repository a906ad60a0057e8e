"""One part of a spreadsheet as a stream of its rows, or of its shared texts, in memory that no file can make grow.

No tree is built: a parser calls what listens to it, which keeps the cells of one row and refuses what no spreadsheet
has, such as entities, deep nesting, or millions of empty elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO
from xml.parsers import expat

MOST_ELEMENTS = 1_000_000
"""More than 12 MB of ordinary cells have; as many take about two seconds."""
MOST_COLUMNS = 256
_DEEPEST = 32
_LONGEST = 1 << 20
"""Characters of the texts of one row, and bytes of one tag with its attributes."""
_CHUNK = 1 << 16
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "


@dataclass
class SheetCell:
    """A cell as it stands in the file."""

    place: str | None
    """Letters and number, such as B7."""
    kind: str = "n"
    value: str | None = None
    """What `v` holds."""
    text: str = ""
    """What the texts in it hold, together."""


@dataclass
class SheetElement:
    """A row with its cells, or a shared text as one cell."""

    number: str | None = None
    cells: list[SheetCell] = field(default_factory=list)


def read_elements(part: IO[bytes], name: str) -> Iterator[SheetElement]:
    """The `row` or `si` elements of a part.

    Raises:
        ValueError: It holds what no spreadsheet does.
        expat.ExpatError: It is not XML.
    """
    listener = _Listener(name)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = listener.start
    parser.EndElementHandler = listener.end
    parser.CharacterDataHandler = listener.characters
    parser.StartDoctypeDeclHandler = _refuse_entities
    fed = 0
    while chunk := part.read(_CHUNK):
        fed += len(chunk)
        parser.Parse(chunk, False)
        if fed - parser.CurrentByteIndex > _LONGEST:
            raise ValueError("one of its elements does not end")
        yield from listener.take()
    parser.Parse(b"", True)
    yield from listener.take()


class _Listener:
    """What a parser tells, as records."""

    def __init__(self, name: str) -> None:
        self._name = _MAIN + name
        self._done: list[SheetElement] = []
        self._record: SheetElement | None = None
        self._text: list[str] | None = None
        """Of the `v` or `t` that is open."""
        self._elements = self._depth = self._length = 0
        self._spoken = False
        """Within how a text is pronounced, which Japanese tools store beside it."""

    def take(self) -> list[SheetElement]:
        """Records that ended since the last time."""
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > MOST_ELEMENTS or self._depth > _DEEPEST:
            raise ValueError("its cells are too many, or nested too deeply")
        if tag == self._name:
            self._record = SheetElement(attributes.get("r"), [SheetCell(None)] if tag == f"{_MAIN}si" else [])
            self._length = 0
        elif self._record is None:
            return
        elif tag == f"{_MAIN}c":
            if len(self._record.cells) >= MOST_COLUMNS:
                raise ValueError(f"a row has more than {MOST_COLUMNS} cells")
            self._record.cells.append(SheetCell(attributes.get("r"), attributes.get("t", "n")))
        elif tag == f"{_MAIN}rPh":
            self._spoken = True
        elif tag in (f"{_MAIN}v", f"{_MAIN}t") and self._record.cells and not self._spoken:
            self._text = []

    def characters(self, text: str) -> None:
        if self._text is not None:
            self._length += len(text)
            if self._length > _LONGEST:
                raise ValueError(f"a row has more than {_LONGEST:,} characters")
            self._text.append(text)

    def end(self, tag: str) -> None:
        self._depth -= 1
        if self._record is None:
            return
        if self._text is not None and tag in (f"{_MAIN}v", f"{_MAIN}t"):
            cell, text = self._record.cells[-1], "".join(self._text)
            if tag == f"{_MAIN}v":
                cell.value = text
            else:
                cell.text += text
            self._text = None
        elif tag == f"{_MAIN}rPh":
            self._spoken = False
        elif tag == self._name:
            self._done.append(self._record)
            self._record = None


def _refuse_entities(*_: object) -> None:
    raise ValueError("it declares entities, which no spreadsheet does")
