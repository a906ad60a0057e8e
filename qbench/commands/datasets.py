"""`datasets` and `datasets get`: what is known, what of it is here, and getting the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qbench.commands.text import printable
from qbench.datasets.download import in_bytes
from qbench.datasets.get import FetchPlan, FetchProgress, Watch, fetch, home, plan_fetch, repository_facts
from qbench.datasets.here import Presence, look_for
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.errors import UserError

_ON_HUB = re.compile(r"([\w.-]+/[\w.-]+?)(?:@([\w./-]+))?", re.ASCII)
_SHOWN = {"yes": "here", "partly": "partly here", "no": "not here"}


def dataset_rows(root: Path) -> list[dict[str, Any]]:
    """What is known of every dataset that can be run, and how much of it is below the data root."""
    return [_row(facts, look_for(facts, root)) for facts in known_datasets() if facts.opens]


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
    sizes = [source.bytes for source in facts.fetch if source.bytes is not None]
    return sum(sizes) or None


def dataset_table(rows: list[dict[str, Any]]) -> str:
    """The rows for a terminal: what can be run now first, then what can be fetched, then what is got by hand."""
    width = max(len(row["name"]) for row in rows)
    groups = {
        "here": [row for row in rows if row["state"] != "no"],
        "fetched by: python -m qbench datasets get NAME": [
            row for row in rows if row["state"] == "no" and row["fetched"]
        ],
        "put in place by hand (get NAME says how)": [
            row for row in rows if row["state"] == "no" and not row["fetched"]
        ],
    }
    lines = []
    for title, group in groups.items():
        if group:
            lines += ["", title, *(f"  {row['name']:<{width}}  {row['what']}" for row in group)]
    return "\n".join(lines[1:])


def _words(row: dict[str, Any]) -> str:
    said = f"{row['title']}, {row['task']}" + ("" if row["items"] is None else f", {row['items']:,} items")
    said += f"; a part: {row['missing']}" if row["state"] == "partly" else ""
    said += f"; {in_bytes(row['bytes'])}" if row["state"] == "no" and row["bytes"] else ""
    said += "; synthetic, truth by construction" if row["truth"] == "construction" else f"; licence: {row['licence']}"
    return said + (f"; form: {row['form']}" if row["form"] and row["state"] == "no" else "")


def plan(name: str, root: Path) -> FetchPlan:
    """Ask what getting a dataset takes.

    Args:
        name: Of a known dataset, or `owner/name` of one on the Hub, perhaps with `@revision`.
        root: Where it goes.

    Raises:
        UserError: It is not known, cannot be fetched, or its host does not answer.
    """
    facts = find_dataset(name)
    if facts is None and (on_hub := _ON_HUB.fullmatch(name)):
        facts = repository_facts(on_hub[1], on_hub[2] or "")
    if facts is None:
        raise UserError(f"no dataset is called {name!r}; see: python -m qbench datasets, or give owner/name on the Hub")
    return plan_fetch(facts, root)


@dataclass(frozen=True)
class PlanText:
    """What a plan says before anything is fetched."""

    document: dict[str, Any]
    sentence: str
    text: str


def describe_plan(planned: FetchPlan) -> PlanText:
    """Size, source and licence of what is to be fetched."""
    facts = planned.facts
    files = sum(len(listing.files) for listing in planned.listings)
    size = in_bytes(planned.size) if planned.size is not None else "of a size that its host does not tell"
    pages = ", ".join(dict.fromkeys(listing.source.page for listing in planned.listings))
    sentence = f"{facts.title}: {files:,} file{'s' * (files != 1)}, {size}, from {pages}; licence: {facts.licence}"
    lines = [sentence]
    for listing in planned.listings:
        at = f" at {listing.revision}" if listing.revision else ""
        lines.append(f"  {listing.source.page}{at}")
        lines += [f"    {file.name}  {in_bytes(file.size) if file.size is not None else ''}" for file in listing.files]
        lines += [f"    ({listing.source.licence})"] if listing.source.licence else []
    lines.append(f"goes to {home(facts, planned.root)}")
    document = {
        "dataset": facts.name,
        "bytes": planned.size,
        "licence": facts.licence,
        "folder": str(home(facts, planned.root)),
        "sources": [
            {
                "from": listing.source.page,
                "revision": listing.revision or None,
                "licence": listing.source.licence or None,
                "files": {file.name: file.size for file in listing.files},
            }
            for listing in planned.listings
        ],
    }
    return PlanText(document, sentence, "\n".join(lines))


def describe_known(name: str, root: Path) -> PlanText | None:
    """What is known of a fetch without asking its hosts; None of a dataset that is not known."""
    facts = find_dataset(name)
    if facts is None:
        return None
    about = about_size(facts)
    size = f"about {in_bytes(about)}" if about else "of a size that is not known here"
    pages = list(dict.fromkeys(source.page for source in facts.fetch))
    sentence = f"{facts.title}: {size}, from {', '.join(pages)}; licence: {facts.licence}"
    folder = str(home(facts, root))
    sources: list[dict[str, Any]] = [{"from": page, "revision": None, "licence": None, "files": {}} for page in pages]
    document = {
        "dataset": facts.name,
        "bytes": about,
        "licence": facts.licence,
        "folder": folder,
        "sources": sources,
    }
    return PlanText(document, sentence, f"{sentence}\ngoes to {folder}")


def get_dataset(planned: FetchPlan, watch: Watch) -> Presence:
    """Fetch what was planned, and count what is there then."""
    fetch(planned, watch)
    return look_for(planned.facts, planned.root)


def describe_fetched(planned: FetchPlan, found: Presence, about: PlanText) -> tuple[dict[str, Any], str]:
    """What is there after all was fetched: whole, or what is missing."""
    document = {**about.document, "state": found.state, "missing": found.detail or None, "items": found.items}
    facts = planned.facts
    where = home(facts, planned.root)
    if found.state == "yes" or not facts.task:
        return document, f"{facts.title} is at {where}"
    fix = "--allow-missing runs on what is here" if found.state == "partly" else f"put there: {facts.get}"
    return document, printable(f"{facts.title} is at {where}, but a part of it is not: {found.detail}; {fix}")


def progress_line(progress: FetchProgress) -> str:
    """How far it is, in one line."""
    of = f" of {in_bytes(progress.of)}" if progress.of is not None else ""
    return f"{progress.doing}: {in_bytes(progress.bytes)}{of}"
