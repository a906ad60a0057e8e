"""`merge`: its arguments, and its records as text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from qbench.command_line.notes import tell_notes
from qbench.commands.text import result_text


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add `merge` and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "merge",
        help="make the records of a run from its shards",
        description="Make the records of a run from its parts (run --shard i/n): what running it whole would have "
        "made. No model is asked; the dataset must be here.",
    )
    parser.add_argument("shards", nargs="+", type=Path, metavar="SHARD", help="folders that run --shard wrote into")
    parser.add_argument("--dataset", metavar="NAME|PATH", help="where the dataset is here, if elsewhere")
    parser.add_argument("--images", type=Path, metavar="DIR", help="the same of its images")
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    parser.set_defaults(run=_merge)
    return parser


def _merge(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    from qbench.commands.merge import merge

    results = merge(options.shards, options.out, dataset=options.dataset, images=options.images)
    tell_notes(results)
    text = "\n\n".join(map(result_text, results))
    return [result.to_json() for result in results], f"{text}\n\nkept in {options.out}"
