"""One part of a spreadsheet as a stream of its rows, shared texts or attributes, in memory that no file can make grow.

No tree is built: a parser calls what listens to it, which keeps the cells of one row and refuses what no spreadsheet
has, such as entities, deep nesting, or millions of empty elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Generic, TypeVar
from xml.parsers import expat

MOST_ELEMENTS = 1_000_000
"""More than 12 MB of ordinary cells have; as many take about two seconds."""
MOST_COLUMNS = 256
_DEEPEST = 32
_LONGEST = 1 << 20
"""Characters of the texts of one row, and bytes of one tag with its attributes."""
_CHUNK = 1 << 16
_MAIN = ("http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main")
"""Of ordinary files, and of those that Excel saves as strict."""

FoundT = TypeVar("FoundT")


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
    return _listen(part, _Records(name))


def read_attributes(part: IO[bytes], name: str) -> Iterator[dict[str, str]]:
    """The attributes of each element of this name; those of a namespace have it before theirs, and a blank.

    Raises:
        ValueError: It holds what no spreadsheet does.
        expat.ExpatError: It is not XML.
    """
    return _listen(part, _Attributes(name))


def _listen(part: IO[bytes], listener: _Listener[FoundT]) -> Iterator[FoundT]:
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


class _Listener(Generic[FoundT]):
    """What a parser tells, counted."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._done: list[FoundT] = []
        self._elements = self._depth = 0

    def take(self) -> list[FoundT]:
        """What was found since the last time."""
        done, self._done = self._done, []
        return done

    def start(self, _tag: str, _attributes: dict[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._elements > MOST_ELEMENTS or self._depth > _DEEPEST:
            raise ValueError("its cells are too many, or nested too deeply")

    def characters(self, text: str) -> None:
        """Hear a piece of text."""

    def end(self, _tag: str) -> None:
        self._depth -= 1


class _Attributes(_Listener[dict[str, str]]):
    """Keeps what elements of one name say."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        super().start(tag, attributes)
        if tag.rpartition(" ")[2] == self._name:
            self._done.append(attributes)


class _Records(_Listener[SheetElement]):
    """Keeps rows with their cells, or shared texts."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._record: SheetElement | None = None
        self._text: list[str] | None = None
        """Of the `v` or `t` that is open."""
        self._length = 0
        self._spoken = False
        """Within how a text is pronounced, which Japanese tools store beside it."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        super().start(tag, attributes)
        name = _own_name(tag)
        if name == self._name:
            self._record = SheetElement(attributes.get("r"), [SheetCell(None)] if name == "si" else [])
            self._length = 0
        elif self._record is None:
            return
        elif name == "c":
            if len(self._record.cells) >= MOST_COLUMNS:
                raise ValueError(f"a row has more than {MOST_COLUMNS} cells")
            self._record.cells.append(SheetCell(attributes.get("r"), attributes.get("t", "n")))
        elif name == "rPh":
            self._spoken = True
        elif name in ("v", "t") and self._record.cells and not self._spoken:
            self._text = []

    def characters(self, text: str) -> None:
        if self._text is not None:
            self._length += len(text)
            if self._length > _LONGEST:
                raise ValueError(f"a row has more than {_LONGEST:,} characters")
            self._text.append(text)

    def end(self, tag: str) -> None:
        super().end(tag)
        if self._record is None:
            return
        name = _own_name(tag)
        if self._text is not None and name in ("v", "t"):
            cell, text = self._record.cells[-1], "".join(self._text)
            if name == "v":
                cell.value = text
            else:
                cell.text += text
            self._text = None
        elif name == "rPh":
            self._spoken = False
        elif name == self._name:
            self._done.append(self._record)
            self._record = None


def _own_name(tag: str) -> str:
    """What spreadsheets call an element; nothing where it is of another namespace."""
    space, _, name = tag.rpartition(" ")
    return name if space in _MAIN else ""


def _refuse_entities(*_: object) -> None:
    raise ValueError("it declares entities, which no spreadsheet does")
