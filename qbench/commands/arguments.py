"""What arguments of several commands have in common."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from qbench.errors import BadRecordsError, UserError

NumberT = TypeVar("NumberT", int, float)


class Parser(argparse.ArgumentParser):
    """Refuses an option that is given twice: which of its values is meant nobody can tell."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)


class _StoreOnce(argparse.Action):
    given = False

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if option and self.given:
            parser.error(f"argument {option}: is given twice; keep one of them")
        self.given = True
        setattr(namespace, self.dest, values)


def _number(read: Callable[[str], NumberT], what: str) -> Callable[[str], NumberT]:
    """A reader of numbers in plain digits, which raises ArgumentTypeError for anything else."""

    def reader(text: str) -> NumberT:
        try:
            if "_" not in text:  # Python's own readers take 1_20 for 120
                return read(text)
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not {what}")

    return reader


whole_number = _number(int, "a whole number")
decimal_number = _number(float, "a number")


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
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out records that cannot be used, however many (default: at most 5 %% of a file's)",
    )


@contextmanager
def suggesting_skip_bad() -> Iterator[None]:
    """Name the argument where it would help."""
    try:
        yield
    except BadRecordsError as error:
        raise UserError(f"{error}, or leave them out with --skip-bad") from None
