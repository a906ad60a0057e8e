"""Rows of files people really have: JSON arrays, JSONL, objects glued together without a separator, CSV.

Q-Bench's released outputs and LLaVA's "jsonl" are concatenated objects, so nothing here splits lines. Memory stays
bounded whatever the file holds, and every complaint names the first offending place and counts the rest.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import math
import re
import reprlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from qbench.errors import BadRecordsError, DataError
from qbench.file_kinds import name_binary, name_encoding

MOST_ROWS = 3_000_000
"""Of comparisons about 2 GB once read; the largest rated set has 40,000 images, whose 12 rounds are 480,000."""
MOST_COMPLAINTS = 100
"""Places that are told one by one; the others are counted."""
MOST_BAD = 0.05
"""Share of a file's records that are left out where they cannot be used; with more of them the file is refused."""
READABLE = "what is read here is JSON, JSON lines, CSV or TSV"
LONGEST_ROW = 8 * 1024 * 1024
LARGEST = 1e100
"""Squares of larger numbers, summed, leave the range of a float."""
_CHUNK = 64 * 1024
_LONGEST_TOKEN = 32
_SHOWN = 60
_BLANK = re.compile(r"\s+")
_TOLD = 3
"""Reasons and places that a record tells of rows that were left out."""
_PLACE = re.compile(r"^(?:record|log) [\d,]+(?: \([^)]*\))?:? ")
_VALUE = re.compile(r"""'[^']*'|"[^"]*"|\[.*\]|\{.*\}|(?<!\w)-?(?:\d[\d.,e+-]*|nan|inf|None|True|False)(?!\w)""")
"""What differs from one complaint to another of the same kind."""
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


@dataclass(frozen=True)
class Row:
    """One record of a file and where it stands."""

    data: dict[str, Any]
    place: str

    def text(self, *keys: str) -> str | None:
        """The first of these fields that is present, as text; numbers count as their digits."""
        for key in keys:
            value = self.data.get(key)
            if isinstance(value, str):
                return value
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return str(value)
        return None

    def number(self, key: str) -> float:
        """A finite number, also when written as text ("2.82 "); raises DataError otherwise."""
        return finite(self.data[key], f"{self.place}: {key}")


class Complaints:
    """Collects problems of single rows, so that one sentence can name the first and count them all."""

    def __init__(self, path: Path, allowed: float = 0.0) -> None:
        self.path = path
        self.allowed = allowed
        """Share of the rows that may be left out."""
        self.places: list[str] = []
        self.count = 0
        self.reasons = Counter[str]()

    def add(self, complaint: str) -> None:
        if self.count < MOST_COMPLAINTS:
            self.places.append(complaint)
        self.count += 1
        self.reasons[_VALUE.sub("…", _PLACE.sub("", complaint))] += 1

    def raise_if_many(self, of: int, fix: str) -> None:
        """Refuse a file of so many rows where more than the allowed share cannot be used, or all of them.

        Raises:
            BadRecordsError: It is more.
        """
        if self.count > self.allowed * of or self.count >= of:
            try:
                self.raise_if_any(fix)
            except DataError as error:
                raise BadRecordsError(str(error), error.places, error.count, error.fix) from None

    def left_out(self, of: int) -> str:
        """How many of so many records were left out, why, and where the first of them stand; empty for none."""
        if not self.count:
            return ""
        reasons = "; ".join(f"{count:,} × {reason}" for reason, count in self.reasons.most_common(_TOLD))
        first = "; ".join(self.places[:_TOLD])
        return f"{self.count:,} of {of:,} records cannot be used and were left out: {reasons} (first: {first})"

    def raise_if_any(self, fix: str) -> None:
        if self.count:
            more = f" ({self.count:,} such records in all)" if self.count > 1 else " (the only such record)"
            raise DataError(f"{self.path.name}: {self.places[0]}{more}; {fix}", self.places, self.count, fix)


def read_rows(
    path: Path, most: int | None = None, readable: str = READABLE, complaints: Complaints | None = None
) -> Iterator[Row]:
    """Every record of a JSON, JSONL, concatenated-JSON or CSV file, whichever its first character says it is.

    Args:
        path: The file.
        most: Records; MOST_ROWS unless stated.
        readable: What is said of the kinds of files that may stand here, to whoever gives another.
        complaints: Where rows are collected that are no records; without it the first of them is raised.

    Raises:
        DataError: Not such a file, or one of more records.
    """
    with explain_unreadable(path), path.open("rb") as file:
        yield from _records(file, path, most or MOST_ROWS, readable, complaints)


@contextmanager
def explain_unreadable(path: Path) -> Iterator[None]:
    """Say in one sentence what keeps a file from being read in this block.

    Raises:
        DataError: It is a folder, is not there, or the system does not let it be read.
    """
    try:
        yield
    except IsADirectoryError:
        raise DataError(f"{path} is a folder; name the files in it") from None
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None


def _records(file: BinaryIO, path: Path, most: int, readable: str, complaints: Complaints | None) -> Iterator[Row]:
    encoding, start = _beginning(file)
    if encoding:
        raise DataError(f"{path.name} is {encoding} text; save it as UTF-8")
    if not start:
        told = "holds nothing but blanks" if file.read(4).removeprefix(codecs.BOM_UTF8) else "is empty"
        raise DataError(f"{path.name} {told}; expected JSON records or CSV lines")
    if kind := name_binary(start):
        raise DataError(f"{path.name}: this is {kind}; {readable}")
    rows = _json_rows(file, path) if start[:1] in (b"{", b"[") else _csv_rows(file, path, start)
    count = 0
    try:
        for count, row in enumerate(rows, start=1):
            if count > most:
                raise DataError(f"{path.name} holds more than {most:,} records; leave some of them out")
            if isinstance(row, Row):
                yield row
            elif complaints is None:
                raise DataError(f"{path.name}: {row}")
            else:
                complaints.add(row)
    except UnicodeDecodeError as error:
        place = file.tell() - len(error.object) + error.start
        byte = f"{error.object[error.start]:#04x}"
        raise DataError(f"{path.name} is not UTF-8 text (byte {byte} at offset {place:,}); save it as UTF-8") from None
    if not count:
        raise DataError(f"{path.name} holds no records")


def _beginning(file: BinaryIO) -> tuple[str, bytes]:
    """The name of an encoding that is not read here, or nothing; and what stands behind the first blanks."""
    head = file.read(4096)
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    while not start and (more := file.read(_CHUNK)):
        start = more.lstrip()
    start += file.read(4096)
    file.seek(0)
    return name_encoding(head), start


def finite(value: object, what: str) -> float:
    """A finite number, also when written as text; raises DataError naming `what` otherwise."""
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            number = math.nan if isinstance(value, str) and "_" in value else float(value)  # Python reads 1_20 as 120
        except (ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number):
            if abs(number) > LARGEST:
                raise DataError(f"{what} is {number:g}, beyond the {LARGEST:g} that can be computed with")
            return number
    hint = "; write decimals with a point" if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value) else ""
    raise DataError(f"{what} is {shorten(value)}, not a finite number{hint}")


def digest(path: Path) -> str:
    """SHA-256 of the file, the identity of raw responses."""
    sha = hashlib.sha256()
    with explain_unreadable(path), path.open("rb") as file:
        while chunk := file.read(1 << 20):
            sha.update(chunk)
    return sha.hexdigest()


def shorten(value: object) -> str:
    """A value as a person would want it quoted in an error."""
    text = _quoting().repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _quoting() -> reprlib.Repr:
    """repr() that stops at a depth and a length, whatever a file holds."""
    quoting = reprlib.Repr()
    quoting.maxstring = quoting.maxother = _SHOWN
    return quoting


def _json_rows(file: BinaryIO, path: Path) -> Iterator[Row | str]:
    """Rows, and complaints in place of those that are none."""
    # NaN is a complaint about its record, not about the file.
    decoder = json.JSONDecoder(parse_constant=float, object_pairs_hook=unique_fields)
    stream = _Window(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""))
    inside_array, count = False, 0
    while True:
        stream.skip_blanks()
        here = stream.peek()
        if here == "":
            if inside_array:
                raise DataError(
                    f"{path.name} ends inside its list after {count:,} complete records; the file is truncated"
                )
            return
        if here == "[" and not inside_array:
            inside_array = True
            stream.skip(1)
        elif here == "]" and inside_array:
            inside_array = False
            stream.skip(1)
        elif here == "," and inside_array and count:
            stream.skip(1)
        else:
            place = f"record {count + 1:,} (line {stream.line:,})"
            value = _decode(decoder, stream, path, place, count)
            count += 1
            yield Row(value, place) if isinstance(value, dict) else f"{place} is {shorten(value)}, not an object"


def _decode(decoder: json.JSONDecoder, stream: _Window, path: Path, place: str, count: int) -> object:
    while True:
        try:
            value, end = decoder.raw_decode(stream.text, stream.start)
        except json.JSONDecodeError as error:
            in_string = error.msg.startswith("Unterminated string")
            if in_string or error.pos > len(stream.text) - _LONGEST_TOKEN:
                if len(stream.text) - stream.start >= LONGEST_ROW:
                    raise DataError(
                        f"{path.name}: {place} does not end within {LONGEST_ROW >> 20} MB; "
                        "this is not a list of records"
                    ) from None
                if stream.grow():
                    continue
                if in_string or error.pos >= len(stream.text.rstrip()):
                    raise DataError(f"{path.name}: {place} is cut off; {count:,} complete records precede it") from None
            raise DataError(
                f"{path.name}: {place} is not valid JSON ({error.msg.lower()}); {count:,} complete records precede it"
            ) from None
        except RepeatedKeyError as error:
            raise DataError(f"{path.name}: {place} names {shorten(error.key)} twice; keep one of them") from None
        except RecursionError:
            raise DataError(f"{path.name}: {place} is nested too deeply to be a record") from None
        except ValueError:
            raise DataError(f"{path.name}: {place} holds a number too long to read") from None
        stream.skip(end - stream.start)
        return value


class RepeatedKeyError(ValueError):
    """An object that gives one field two values."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{shorten(key)} is named twice")
        self.key = key


def unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these fields, for JSON readers to call; which of two values of one field is meant nobody can tell.

    Raises:
        ValueError: A field is there twice.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        raise RepeatedKeyError(next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1))
    return made


class _Window:
    """The part of the text being looked at; grows by doubling, so that a long record is scanned only a few times."""

    def __init__(self, source: io.TextIOBase) -> None:
        self.source = source
        self.text = ""
        self.start = 0
        self.line = 1

    def grow(self) -> bool:
        more = self.source.read(max(_CHUNK, len(self.text) - self.start))
        if more:
            self.text, self.start = self.text[self.start :] + more, 0
        return bool(more)

    def peek(self) -> str:
        while self.start >= len(self.text):
            if not self.grow():
                return ""
        return self.text[self.start]

    def skip(self, length: int) -> None:
        self.line += self.text.count("\n", self.start, self.start + length)
        self.start += length

    def skip_blanks(self) -> None:
        while self.peek().isspace():
            blank = _BLANK.match(self.text, self.start)
            self.skip(blank.end() - self.start if blank else 1)


def _csv_rows(file: BinaryIO, path: Path, start: bytes) -> Iterator[Row | str]:
    """Rows, and complaints in place of those that are none."""
    header = start.splitlines()[0]
    # A spreadsheet of a country that writes 3,5 separates by semicolons.
    mark = next((mark for mark in ("\t", ",", ";") if mark.encode() in header), None)
    if mark is None or any(byte < 9 for byte in header):
        raise DataError(
            f"{path.name} begins with {shorten(header.decode('utf-8', 'replace'))}; "
            "expected JSON records or a CSV with a header line such as img_path,score"
        )
    lines = _Lines(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""), path)
    reader = csv.DictReader(lines, delimiter=mark, skipinitialspace=mark != "\t", strict=True)
    try:
        names = reader.fieldnames or []
        repeated = [name for name, times in Counter(names).items() if times > 1]
        if repeated:
            raise DataError(f"{path.name}: the header names {shorten(repeated[0])} twice; keep one of them")
        if not names:
            raise DataError(f"{path.name} begins with a blank line; remove it")
        for number, data in enumerate(reader, start=1):
            place = f"record {number:,} (line {reader.line_num:,})"
            lines.taken = 0
            whole = None not in data and None not in data.values()
            yield Row(data, place) if whole else f"{place} does not have the header's {len(names)} fields"
    except csv.Error as error:
        raise DataError(f"{path.name}: line {reader.reader.line_num:,} is not valid CSV ({error})") from None


class _Lines:
    """Lines of a CSV; stops where one record, which may span lines, goes on for too long to be one."""

    def __init__(self, source: io.TextIOBase, path: Path) -> None:
        self.source = source
        self.path = path
        self.taken = 0

    def __iter__(self) -> Iterator[str]:
        while line := self.source.readline(LONGEST_ROW):
            self.taken += len(line)
            if self.taken >= LONGEST_ROW:
                raise DataError(f"{self.path.name} has a record longer than {LONGEST_ROW >> 20} MB; this is not a CSV")
            yield line
