"""`datasets`, which lists them with how much of each is here, and `datasets get`, which fetches one."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qbench.commands.text import printable, tell
from qbench.datasets import data_root
from qbench.datasets.download import in_bytes
from qbench.datasets.get import FetchPlan, FetchProgress, fetch, home, plan_fetch, repository_facts
from qbench.datasets.here import Presence, look_for
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.datasets.remote import UnreachableHostError
from qbench.errors import UserError

_ON_HUB = re.compile(r"([\w.-]+/[\w.-]+?)(?:@([\w./-]+))?", re.ASCII)


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The arguments of `datasets`, and its `get`."""
    parser.description = "List the datasets, and how much of each is here."
    parser.set_defaults(run=_list)
    get: argparse.ArgumentParser = parser.add_subparsers(metavar="COMMAND").add_parser(
        "get",
        help="fetch a dataset from where its publisher put it",
        description="Fetch a dataset from where its publisher put it, check it, and put it where it is looked for. "
        "Its size is told first. Stop at any time: the same command goes on where it stopped.",
    )
    get.add_argument("name", metavar="NAME", help="see: python -m qbench datasets; or owner/name on the Hub")
    get.add_argument("--out", type=Path, metavar="DIR", help="instead of $QBENCH_DATA")
    get.add_argument("--dry-run", action="store_true", help="only tell size, source and licence")
    get.set_defaults(run=_get)
    return [parser, get]


def _list(_options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    rows = [_row(facts, look_for(facts, data_root())) for facts in known_datasets() if facts.opens]
    return rows, _table(rows)


def _row(facts: DatasetFacts, presence: Presence) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": facts.name,
        "title": facts.title,
        "task": facts.task,
        "items": facts.items,
        "here": presence.state == "yes",
        "state": presence.state,
        "missing": presence.detail or None,
        "bytes": about_size(facts),
        "licence": facts.licence,
        "from": [source.page for source in facts.fetch],
        "fetched": bool(facts.fetch),
        "form": facts.form or None,
        "truth": facts.truth,
        "get": facts.get,
    }
    return {**row, "what": _words(row)}


def about_size(facts: DatasetFacts) -> int | None:
    """About how many bytes a dataset has, where its hosts have listed that."""
    return sum(source.bytes for source in facts.fetch if source.bytes is not None) or None


def _table(rows: list[dict[str, Any]]) -> str:
    """The rows for a terminal: what can be run now first, then what can be fetched, then what is got by hand."""
    width = max(len(row["name"]) for row in rows)
    groups: dict[str, list[str]] = {
        "here": [],
        "fetched by: python -m qbench datasets get NAME": [],
        "put in place by hand (get NAME says how)": [],
    }
    here, fetched, by_hand = groups.values()
    for row in rows:
        group = here if row["state"] != "no" else fetched if row["fetched"] else by_hand
        group.append(f"  {row['name']:<{width}}  {row['what']}")
    return "\n\n".join("\n".join([title, *lines]) for title, lines in groups.items() if lines)


def _words(row: dict[str, Any]) -> str:
    said = f"{row['title']}, {row['task']}" + ("" if row["items"] is None else f", {row['items']:,} items")
    said += f"; a part: {row['missing']}" if row["state"] == "partly" else ""
    said += f"; {in_bytes(row['bytes'])}" if row["state"] == "no" and row["bytes"] else ""
    said += "; synthetic, truth by construction" if row["truth"] == "construction" else f"; licence: {row['licence']}"
    return said + (f"; form: {row['form']}" if row["form"] and row["state"] == "no" else "")


def _get(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    root = options.out or data_root()
    facts = find_dataset(options.name)
    try:
        if facts is None and (on_hub := _ON_HUB.fullmatch(options.name)):
            facts = repository_facts(on_hub[1], on_hub[2] or "")
        if facts is None:
            raise UserError(
                f"no dataset is called {options.name!r}; see: python -m qbench datasets, or give owner/name on the Hub"
            )
        planned = plan_fetch(facts, root)
    except UnreachableHostError as error:
        if facts is None or not options.dry_run:
            raise
        tell(f"{error}; this is what is known here")
        return _describe_known(facts, root)
    document, sentence, text = _describe(planned)
    if options.dry_run:
        return document, text
    tell(sentence)
    with fetch_line() as watch:
        fetch(planned, watch)
    found = look_for(facts, root)
    document |= {"state": found.state, "missing": found.detail or None, "items": found.items}
    where = f"{facts.title} is at {home(facts, root)}"
    if found.state == "yes" or not facts.task:
        return document, where
    fix = "--allow-missing runs on what is here" if found.state == "partly" else f"put there: {facts.get}"
    return document, printable(f"{where}, but a part of it is not: {found.detail}; {fix}")


def _describe(planned: FetchPlan) -> tuple[dict[str, Any], str, str]:
    """Size, source and licence of what is to be fetched: as a document, in a sentence, and file by file."""
    facts = planned.facts
    files = sum(len(listing.files) for listing in planned.listings)
    size = in_bytes(planned.size) if planned.size is not None else "of a size that its host does not tell"
    pages = [listing.source.page for listing in planned.listings]
    sentence = _sentence(facts, f"{files:,} file{'s' * (files != 1)}, {size}", pages)
    lines = [sentence]
    for listing in planned.listings:
        at = f" at {listing.revision}" if listing.revision else ""
        lines.append(f"  {listing.source.page}{at}")
        lines += [f"    {file.name}  {in_bytes(file.size) if file.size is not None else ''}" for file in listing.files]
        lines += [f"    ({listing.source.licence})"] if listing.source.licence else []
    sources = [
        {
            "from": listing.source.page,
            "revision": listing.revision or None,
            "licence": listing.source.licence or None,
            "files": {file.name: file.size for file in listing.files},
        }
        for listing in planned.listings
    ]
    place = home(facts, planned.root)
    text = "\n".join([*lines, f"goes to {place}"])
    return _document(facts, planned.size, place, sources), sentence, text


def _describe_known(facts: DatasetFacts, root: Path) -> tuple[dict[str, Any], str]:
    """What is known of a fetch without asking its hosts."""
    about, pages = about_size(facts), list(dict.fromkeys(source.page for source in facts.fetch))
    size = f"about {in_bytes(about)}" if about else "of a size that is not known here"
    sources: list[dict[str, Any]] = [{"from": page, "revision": None, "licence": None, "files": {}} for page in pages]
    document = _document(facts, about, home(facts, root), sources)
    return document, f"{_sentence(facts, size, pages)}\ngoes to {home(facts, root)}"


def _sentence(facts: DatasetFacts, size: str, pages: Sequence[str]) -> str:
    return f"{facts.title}: {size}, from {', '.join(dict.fromkeys(pages))}; licence: {facts.licence}"


def _document(facts: DatasetFacts, size: int | None, place: Path, sources: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "dataset": facts.name,
        "bytes": size,
        "licence": facts.licence,
        "folder": str(place),
        "sources": list(sources),
    }


@contextmanager
def fetch_line() -> Iterator[Callable[[FetchProgress], None]]:
    """One line on stderr, rewritten, while something is fetched; nothing where nobody watches."""
    shown = False

    def show(progress: FetchProgress) -> None:
        nonlocal shown
        if sys.stderr.isatty():
            shown = True
            of = f" of {in_bytes(progress.of)}" if progress.of is not None else ""
            said = printable(f"{progress.doing}: {in_bytes(progress.bytes)}{of}")
            print(f"\r{said}\033[K", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
