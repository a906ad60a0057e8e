"""`datasets`, which lists them with how much of each is here, and `datasets get`, which fetches one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qbench.commands.datasets import (
    dataset_rows,
    dataset_table,
    describe_fetched,
    describe_known,
    describe_plan,
    get_dataset,
    plan,
    progress_line,
)
from qbench.commands.text import printable
from qbench.datasets import data_root
from qbench.datasets.get import FetchProgress
from qbench.datasets.remote import UnreachableHostError


def add_parsers(commands: Any) -> list[argparse.ArgumentParser]:
    """Add `datasets` and its `get`."""
    datasets: argparse.ArgumentParser = commands.add_parser(
        "datasets", help="list datasets, or get one", description="List the datasets, and how much of each is here."
    )
    datasets.set_defaults(run=_list)
    inner = datasets.add_subparsers(metavar="COMMAND")
    get: argparse.ArgumentParser = inner.add_parser(
        "get",
        help="fetch a dataset from where its publisher put it",
        description="Fetch a dataset from where its publisher put it, check it, and put it where it is looked for. "
        "Its size is told first. Stop at any time: the same command goes on where it stopped.",
    )
    get.add_argument("name", metavar="NAME", help="see: python -m qbench datasets; or owner/name on the Hub")
    get.add_argument("--out", type=Path, metavar="DIR", help="instead of $QBENCH_DATA")
    get.add_argument("--dry-run", action="store_true", help="only tell size, source and licence")
    get.set_defaults(run=_get)
    return [datasets, get]


def _list(_options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    rows = dataset_rows(data_root())
    return rows, dataset_table(rows)


def _get(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    root = options.out or data_root()
    try:
        planned = plan(options.name, root)
    except UnreachableHostError as error:
        known = describe_known(options.name, root) if options.dry_run else None
        if known is None:
            raise
        print(f"qbench: {printable(str(error))}; this is what is known here", file=sys.stderr)
        return known.document, known.text
    about = describe_plan(planned)
    if options.dry_run:
        return about.document, about.text
    print(f"qbench: {printable(about.sentence)}", file=sys.stderr)
    with fetch_line() as watch:
        found = get_dataset(planned, watch)
    return describe_fetched(planned, found, about)


@contextmanager
def fetch_line() -> Iterator[Callable[[FetchProgress], None]]:
    """One line on stderr, rewritten, while something is fetched; nothing where nobody watches."""
    shown = False

    def show(progress: FetchProgress) -> None:
        nonlocal shown
        if sys.stderr.isatty():
            shown = True
            print(f"\r{printable(progress_line(progress))}\033[K", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
