"""Files read once, and the rows that people have in them: JSON arrays, JSONL, objects glued together, CSV.

Q-Bench's released outputs and LLaVA's "jsonl" are concatenated objects, so nothing here splits lines. No file is larger
than a limit, and every complaint names the first offending place and counts the rest.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import re
import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

from qbench.errors import BadRecordsError, DataError

LARGEST_FILE = 256 * 2**20
"""Bytes that are read; files of as many records as are read at once are smaller."""
MOST_ROWS = 3_000_000
"""Of comparisons about 2 GB once read; the largest rated set has 40,000 images, whose 12 rounds are 480,000."""
MOST_COMPLAINTS = 100
"""Places that are told one by one; the others are counted."""
MOST_BAD = 0.05
"""Share of a file's records that are left out where they cannot be used; with more of them the file is refused."""
READABLE = "what is read here is JSON, JSON lines, CSV or TSV"
LARGEST = 1e100
"""Squares of larger numbers, summed, leave the range of a float."""
_SHOWN = 60
_QUOTING = reprlib.Repr()  # stops at a depth and a length, whatever a file holds
_QUOTING.maxstring = _QUOTING.maxother = _SHOWN
_HEAD = 8192
"""Characters among which the first line is looked for."""
_BLANK = re.compile(r"\s*")
_TOLD = 3
"""Reasons and places that a record tells of rows that were left out."""
_PLACE = re.compile(r"^record [\d,]+(?: \([^)]*\))?:? ")
_VALUE = re.compile(r"""'[^']*'|"[^"]*"|\[.*\]|\{.*\}|(?<!\w)-?(?:\d[\d.,e+-]*|nan|inf|None|True|False)(?!\w)""")
"""What differs from one complaint to another of the same kind."""
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


@dataclass(frozen=True)
class File:
    """A file that has been read: whoever looks into it again sees the same bytes."""

    name: str
    content: bytes = field(repr=False)

    @property
    def stem(self) -> str:
        """Its name without the last extension."""
        return PurePath(self.name).stem

    @cached_property
    def sha256(self) -> str:
        """The identity of raw responses."""
        return hashlib.sha256(self.content).hexdigest()


def read_file(path: Path, most: int | None = None) -> File:
    """Read a file of so many bytes at most, LARGEST_FILE unless stated; a DataError where that cannot be."""
    most = most or LARGEST_FILE
    with explain_unreadable(path), path.open("rb") as source:
        size = os.fstat(source.fileno()).st_size
        if size > most:
            raise DataError(f"{path.name} has {in_megabytes(size)}; at most {in_megabytes(most)} are taken")
        return File(path.name, source.read())


def in_megabytes(size: int) -> str:
    """A size as a person reads it beside a limit."""
    return f"{size / 2**20:,.0f} MB" if size >= 2**20 else f"{size:,} bytes"


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

    def __init__(self, path: PurePath, allowed: float = 0.0) -> None:
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
        """Refuse a file of so many rows where more than the allowed share cannot be used, or all of them."""
        if self.count > self.allowed * of or self.count >= of:
            self.raise_if_any(fix, BadRecordsError)

    def left_out(self, of: int) -> str:
        """How many of so many records were left out, why, and where the first of them stand; empty for none."""
        if not self.count:
            return ""
        reasons = "; ".join(f"{count:,} × {reason}" for reason, count in self.reasons.most_common(_TOLD))
        first = "; ".join(self.places[:_TOLD])
        return f"{self.count:,} of {of:,} records cannot be used and were left out: {reasons} (first: {first})"

    def raise_if_any(self, fix: str, kind: type[DataError] = DataError) -> None:
        if self.count:
            more = f" ({self.count:,} such records in all)" if self.count > 1 else " (the only such record)"
            raise kind(f"{self.path.name}: {self.places[0]}{more}; {fix}", self.places, self.count, fix)


def read_rows(
    file: Path | File, most: int | None = None, readable: str = READABLE, complaints: Complaints | None = None
) -> Iterator[Row]:
    """Every record of a JSON, JSONL, concatenated-JSON or CSV file, whichever its first character says it is.

    Rows that are no records are collected as complaints; without these the first of them is raised. `readable` is said
    to whoever gives a file of another kind.

    Raises:
        DataError: Not such a file, or one of more records than MOST_ROWS, or those stated.
    """
    file = read_file(file) if isinstance(file, Path) else file
    most, count = most or MOST_ROWS, 0
    for count, row in enumerate(_rows(file, readable), start=1):
        if count > most:
            raise DataError(f"{file.name} holds more than {most:,} records; leave some of them out")
        if isinstance(row, Row):
            yield row
        elif complaints is None:
            raise DataError(f"{file.name}: {row}")
        else:
            complaints.add(row)
    if not count:
        raise DataError(f"{file.name} holds no records")


def _rows(file: File, readable: str) -> Iterator[Row | str]:
    """Rows, and complaints in place of those that are none."""
    text = _text(file, readable)
    begins = _after_blanks(text, 0)
    if begins == len(text):
        told = "holds nothing but blanks" if text else "is empty"
        raise DataError(f"{file.name} {told}; expected JSON records or CSV lines")
    return _json_rows(file, text) if text[begins] in "{[" else _csv_rows(file, text, begins)


def _text(file: File, readable: str) -> str:
    """What a file says, in UTF-8, UTF-16 or UTF-32."""
    try:
        text = file.content.decode(json.detect_encoding(file.content)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        place = f"byte {file.content[error.start]:#04x} at offset {error.start:,}"
        raise DataError(f"{file.name} is not UTF-8 text ({place}); {readable}") from None
    if "\0" in text:
        raise DataError(f"{file.name} is no text; {readable}")
    return text


@contextmanager
def explain_unreadable(path: Path) -> Iterator[None]:
    """Say in one sentence, as a DataError, what keeps a file from being read in this block."""
    try:
        yield
    except IsADirectoryError:
        raise DataError(f"{path} is a folder; name the files in it") from None
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None


def finite(value: object, what: str) -> float:
    """A finite number, also when written as text; raises DataError naming `what` otherwise."""
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number):
            if abs(number) > LARGEST:
                raise DataError(f"{what} is {number:g}, beyond the {LARGEST:g} that can be computed with")
            return number
    hint = "; write decimals with a point" if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value) else ""
    raise DataError(f"{what} is {shorten(value)}, not a finite number{hint}")


def digest(path: Path) -> str:
    """SHA-256 of a file of any size."""
    sha = hashlib.sha256()
    with explain_unreadable(path), path.open("rb") as file:
        while chunk := file.read(1 << 20):
            sha.update(chunk)
    return sha.hexdigest()


def shorten(value: object) -> str:
    """A value as a person would want it quoted in an error."""
    text = _QUOTING.repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _json_rows(file: File, text: str) -> Iterator[Row | str]:
    # NaN is a complaint about its record, not about the file.
    decoder = json.JSONDecoder(parse_constant=float)
    at, line, count, inside_array = 0, 1, 0, False
    while True:
        start = _after_blanks(text, at)
        line += text.count("\n", at, start)
        at, here = start + 1, text[start : start + 1]
        if here == "[" and not inside_array:
            inside_array = True
        elif here == "]" and inside_array:
            inside_array = False
        elif here == "," and inside_array and count:
            continue
        elif here:
            place = f"record {count + 1:,} (line {line:,})"
            value, at = _decode(decoder, text, start, f"{file.name}: {place}", count)
            line += text.count("\n", start, at)
            count += 1
            yield Row(value, place) if isinstance(value, dict) else f"{place} is {shorten(value)}, not an object"
        elif inside_array:
            raise DataError(f"{file.name} ends inside its list after {count:,} complete records; the file is truncated")
        else:
            return


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _decode(decoder: json.JSONDecoder, text: str, start: int, where: str, count: int) -> tuple[object, int]:
    try:
        return decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        cut_off = error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip())
        told = "cut off" if cut_off else f"not valid JSON ({error.msg.lower()})"
        raise DataError(f"{where} is {told}; {count:,} complete records precede it") from None
    except (ValueError, RecursionError):
        raise DataError(f"{where} is nested too deeply, or holds a number too long to read") from None


def _csv_rows(file: File, text: str, begins: int) -> Iterator[Row | str]:
    header = text[begins : begins + _HEAD].splitlines()[0]
    # A spreadsheet of a country that writes 3,5 separates by semicolons.
    mark = next((mark for mark in ("\t", ",", ";") if mark in header), None)
    if mark is None:
        raise DataError(
            f"{file.name} begins with {shorten(header)}; "
            "expected JSON records or a CSV with a header line such as img_path,score"
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=mark != "\t", strict=True)
    try:
        names = next(reader)
        if not names:
            raise DataError(f"{file.name} begins with a blank line; remove it")
        values_too = [names] if len(names) == 2 and is_number(names[1]) and not is_number(names[0]) else []
        if values_too:  # NAME,SCORE from the first line on
            names = ["img_path", "score"]
        refuse_repeated(names, file.name)
        for number, values in enumerate(filter(None, chain(values_too, reader)), start=1):
            place = f"record {number:,} (line {reader.line_num:,})"
            whole = len(values) == len(names)
            row = Row(dict(zip(names, values, strict=True)), place) if whole else None
            yield row or f"{place} does not have the header's {len(names)} fields"
    except csv.Error as error:
        raise DataError(f"{file.name}: line {reader.line_num:,} is not valid CSV ({error})") from None


def is_number(value: object) -> bool:
    """Whether a cell holds a finite number, also as text."""
    try:
        finite(value, "")
    except DataError:
        return False
    return True


def refuse_repeated(names: Iterable[str], file: str) -> None:
    """Refuse a header in which two columns have one name."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise DataError(f"{file}: the header names {shorten(repeated[0])} twice; keep one of them")
