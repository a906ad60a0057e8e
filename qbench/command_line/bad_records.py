"""`--skip-bad` of the commands that read files of results."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from qbench.errors import BadRecordsError, UserError


def add_skip_bad(parser: argparse.ArgumentParser) -> None:
    """Add the argument."""
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
