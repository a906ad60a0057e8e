"""What arguments of several commands have in common."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from contextlib import contextmanager

from qbench.errors import BadRecordsError, UserError


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
