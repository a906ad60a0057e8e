"""`average`: its arguments, and its records as text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from qbench.commands.text import result_text
from qbench.commands.waiting import telling


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add `average` and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "average",
        help="average records over UniSim-Bench",
        description="Average each model's records over the datasets of every task, and over the tasks. Runs of a part "
        "(--limit) do not count, and where a dataset is missing there is no average.",
    )
    parser.add_argument("records", nargs="+", type=Path, metavar="FILE|FOLDER", help="records of runs, or their folder")
    parser.set_defaults(run=_average)
    return parser


def _average(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    from qbench.commands.average import average, read_records

    with telling("averaging records"):
        results = average(read_records(options.records))
    return [result.to_json() for result in results], "\n\n".join(map(result_text, results))
