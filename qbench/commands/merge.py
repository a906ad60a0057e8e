"""`merge`: the answers of several folders in one, from which the same run goes on without asking again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from qbench.cache import ANSWERS, Cache
from qbench.errors import UserError


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The arguments of `merge`."""
    parser.description = (
        "Join the answers of a run's parts (run --shard i/n) in one folder. The same run without --shard, --out there, "
        "then makes the records and asks what is missing alone."
    )
    parser.add_argument("shards", nargs="+", type=Path, metavar="FOLDER", help="that run --shard wrote into")
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    parser.set_defaults(run=_merge)
    return [parser]


def _merge(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    for folder in options.shards:
        if not (folder / ANSWERS).is_file():
            raise UserError(f"{folder} holds no {ANSWERS}; give the folders that run --shard wrote into")
    joined = Cache(options.out / ANSWERS)
    for folder in options.shards:
        joined.add_all(Cache(folder / ANSWERS))
    said = f"{len(joined):,} answers are in {options.out}; the run without --shard, --out {options.out}, goes on there"
    return {"answers": len(joined), "out": str(options.out)}, said
