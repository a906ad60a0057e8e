"""`datasets` lists them with how much of each is here; `datasets get` fetches one.

`datasets check` says everything that is wrong with one at once, before a run stops at the first of it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from qbench.commands.text import printable, progress_line, tell
from qbench.datasets import Dataset, coverage_sentence, data_root, open_dataset
from qbench.datasets.get import FetchPlan, FetchProgress, fetch, home, hub_facts, plan_fetch
from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.datasets.places import Presence, look_for
from qbench.datasets.remote import in_bytes
from qbench.errors import DataError, UserError
from qbench.images import load_pixels, open_picture
from qbench.records import Sample
from qbench.tasks import TASKS

_SHOWN = 20
"""Faults that the text lists; `--json` has all."""


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The arguments of `datasets`, its `get` and its `check`."""
    parser.description = "List the datasets, and how much of each is here."
    parser.set_defaults(run=_list)
    commands = parser.add_subparsers(metavar="COMMAND")
    get: argparse.ArgumentParser = commands.add_parser(
        "get",
        help="fetch a dataset from where its publisher put it",
        description="Fetch a dataset from where its publisher put it, check it, and put it where it is looked for. "
        "Its size is told first. Stop at any time: the same command goes on where it stopped.",
    )
    get.add_argument("name", metavar="NAME", help="see: python -m qbench datasets; or owner/name on the Hub")
    get.add_argument("--out", type=Path, metavar="DIR", help="instead of $QBENCH_DATA")
    get.add_argument("--dry-run", action="store_true", help="only tell size, source and licence")
    get.set_defaults(run=_get)
    told = "say everything that is wrong with a dataset: its list, images and scores"
    check: argparse.ArgumentParser = commands.add_parser("check", help=told, description=told.capitalize() + ".")
    check.add_argument("name", metavar="NAME|MANIFEST|FOLDER", help="as for: python -m qbench run --dataset")
    check.add_argument("--images", type=Path, metavar="DIR", help="folder that image paths start from")
    check.set_defaults(run=_check)
    return [parser, get, check]


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
    facts = find_dataset(options.name) or hub_facts(options.name)
    if facts is None:
        raise UserError(
            f"no dataset is called {options.name!r}; see: python -m qbench datasets, or give owner/name on the Hub"
        )
    planned = plan_fetch(facts, root)
    document, sentence, lines = _describe(planned)
    if options.dry_run:
        return document, "\n".join([sentence, *lines, f"goes to {document['folder']}"])
    tell(sentence)
    with progress_line(fetch_text) as watch:
        fetch(planned, watch)
    found = look_for(facts, root)
    document |= {"state": found.state, "missing": found.detail or None, "items": found.items}
    where = f"{facts.title} is at {document['folder']}"
    if found.state == "yes" or not facts.task:
        return document, where
    fix = "--allow-missing runs on what is here" if found.state == "partly" else f"put there: {facts.get}"
    return document, printable(f"{where}, but a part of it is not: {found.detail}; {fix}")


def _describe(plan: FetchPlan) -> tuple[dict[str, Any], str, list[str]]:
    """Size, source and licence of what is to be fetched: as a document, in a sentence, and file by file."""
    facts, sources, lines = plan.facts, list[dict[str, Any]](), list[str]()
    for listing in plan.listings:
        files = {file.name: file.size for file in listing.files}
        page, revision, licence = listing.source.page, listing.revision, listing.source.licence
        sources.append({"from": page, "revision": revision or None, "licence": licence or None, "files": files})
        lines.append(f"  {page}{f' at {revision}' if revision else ''}")
        lines += [f"    {name}  {in_bytes(count) if count is not None else ''}" for name, count in files.items()]
        lines += [f"    ({licence})"] if licence else []
    count = sum(len(source["files"]) for source in sources)
    size = in_bytes(plan.size) if plan.size is not None else "of a size that its host does not tell"
    from_where = ", ".join(dict.fromkeys(source["from"] for source in sources))
    told = f"{count:,} file{'s' * (count != 1)}, {size}, from {from_where}"
    place = str(home(facts, plan.root))
    document = {"dataset": facts.name, "bytes": plan.size, "licence": facts.licence, "folder": place}
    return {**document, "sources": sources}, f"{facts.title}: {told}; licence: {facts.licence}", lines


def fetch_text(progress: FetchProgress) -> str:
    """How far a fetch is, in one line."""
    of = f" of {in_bytes(progress.of)}" if progress.of is not None else ""
    return printable(f"{progress.doing}: {in_bytes(progress.bytes)}{of}")


def _check(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """What a dataset holds and what is wrong with it; sets exit code 2 where there is anything wrong."""
    faults: list[str] = []
    dataset: Dataset | None = None
    for allow_missing in (False, True):
        of_rows: list[str] = []
        try:
            dataset = open_dataset(options.name, images=options.images, allow_missing=allow_missing, faults=of_rows)
        except UserError as error:
            of_rows += list(error.places) if isinstance(error, DataError) and error.places else [str(error)]
        faults += [fault for fault in of_rows if fault not in faults]
        if dataset:
            break
    samples = dataset.samples if dataset else ()
    if dataset and (part := coverage_sentence(dataset)):
        faults.append(part)
    faults += [*_faults_of_images(samples), *_faults_of_scores(samples)]
    tasks: list[str] = []
    for task in TASKS.values() if samples else ():
        with suppress(UserError):
            task.check(samples)
            tasks.append(task.name)
    document = {
        "dataset": dataset.name if dataset else options.name,
        "samples": len(samples),
        "tasks": tasks,
        "faults": faults,
    }
    if faults:
        options.exit_code = 2
    head = f"{document['dataset']}: {len(samples):,} samples can be used" + (
        f", for {', '.join(tasks)}" if tasks else ""
    )
    lines = [f"{len(faults):,} fault{'s' * (len(faults) != 1)}:" if faults else "no fault was found"]
    lines += [f"  {fault}" for fault in faults[:_SHOWN]]
    lines += [f"  and {len(faults) - _SHOWN:,} more; --json lists all"] if len(faults) > _SHOWN else []
    return document, "\n".join(printable(line) for line in (head, *lines))


def _faults_of_images(samples: Sequence[Sample]) -> Iterator[str]:
    """Files that cannot be decoded, and images that are rated differently under two names."""
    rated: dict[str, dict[str, float]] = defaultdict(dict)
    for sample in samples:
        for image in sample.images:
            rated[image] |= {sample.id: sample.human} if sample.human is not None else {}
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for path, scored in rated.items():
        try:
            picture = open_picture(Path(path))
            load_pixels(picture)
        except DataError as error:
            yield str(error)
            continue
        scores[picture.sha256] |= scored
    for same in scores.values():
        if len(set(same.values())) > 1:
            told = ", ".join(f"{name} ({score:g})" for name, score in same.items())
            yield f"one image under several names has different scores: {told}; keep one of them"


def _faults_of_scores(samples: Sequence[Sample]) -> Iterator[str]:
    rated = [sample.human for sample in samples if sample.human is not None]
    unrated = [sample.id for sample in samples if sample.human is None and not sample.question]
    if rated and unrated:
        yield f"{len(unrated):,} of {len(samples):,} images have no gt_score, the first of them {unrated[0]}"
    if len(rated) > 1 and len(set(rated)) == 1:
        yield f"all gt_scores are {rated[0]:g}, so nothing can correlate with them"
