"""What arguments of several commands have in common."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from qbench.errors import BadRecordsError, UserError


def add_argument(
    parser: argparse.ArgumentParser, name: str, kind: Any, value: str | None, what: str, **more: Any
) -> None:
    """Add an argument: its name, how it is read, what its value is called, and what it is for.

    Of the kind `bool` it is a flag; of the kind `list` it is a text and may be given several times.
    """
    if kind is bool:
        parser.add_argument(name, action="store_true", help=what)
    elif kind is list:
        parser.add_argument(name, action="append", default=[], metavar=value, help=what)
    else:
        parser.add_argument(name, type=kind, metavar=value, help=what, **more)


def at_least(lowest: int) -> Callable[[str], int]:
    """A reader of whole numbers that are not below this one."""

    def number(text: str) -> int:
        value = int(text)
        if value < lowest:
            raise argparse.ArgumentTypeError(f"it is {value}; it must be at least {lowest}")
        return value

    return number


def above_0(text: str) -> float:
    """A number above 0."""
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"it is {text}; it must be a number above 0")
    return number


def price(text: str) -> tuple[float, float]:
    """IN/OUT, of a million tokens each."""
    try:
        read, written = map(float, text.split("/"))
    except ValueError:
        read = written = math.nan
    if not (0 <= read < math.inf and 0 <= written < math.inf):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no price; write IN/OUT, such as 2.5/10")
    return read, written


def add_skip_bad(parser: argparse.ArgumentParser) -> None:
    """Add `--skip-bad` to a command that reads files of results."""
    what = "leave out records that cannot be used, however many (default: at most 5 %% of a file's)"
    parser.add_argument("--skip-bad", action="store_true", help=what)


@contextmanager
def suggesting_skip_bad() -> Iterator[None]:
    """Name the argument where it would help."""
    try:
        yield
    except BadRecordsError as error:
        raise UserError(f"{error}, or leave them out with --skip-bad") from None
