"""`rank`: its arguments, and a ranking as text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from qbench.command_line.bad_records import add_skip_bad, suggesting_skip_bad
from qbench.commands.text import printable
from qbench.commands.waiting import telling

PAIR_RULES = ("consistent", "all")
RANKING_METHODS = ("map", "mle", "mle-bounded", "perron", "trueskill", "bt", "bt-bounded")


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add `rank` and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "rank", help="turn comparisons into one ranking", description="Rank the items of a file of comparisons."
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--method", choices=RANKING_METHODS, default="map")
    parser.add_argument("--dataset", help="which dataset's comparisons, where the file holds several")
    parser.add_argument(
        "--pairs",
        choices=PAIR_RULES,
        help="count pairs answered alike in both orders, or every presentation "
        "(default: the former, and answers about pairs that the file only shows in one order)",
    )
    add_skip_bad(parser)
    parser.set_defaults(run=_rank)
    return parser


def _rank(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.commands.rank import describe_groups, describe_left_out, rank_file

    with telling(f"ranking {printable(str(options.file))}"), suggesting_skip_bad():
        document = rank_file(
            options.file,
            method=options.method,
            dataset=options.dataset,
            pairs=options.pairs,
            skip_bad=options.skip_bad,
        )
    intervals, at_bound = document["intervals"] or {}, set(document["at_bound"])
    lines = [f"{'rank':>4}  {'score':>8}  {'95 % interval':>18}  item"]
    for item, score in document["scores"].items():
        low, high = intervals.get(item, (None, None))
        span = "–" if low is None else f"{low:.3f} to {high:.3f}"
        mark = " (at the bound)" if item in at_bound else ""
        lines.append(f"{document['ranks'][item]:>4}  {score:>8.3f}  {span:>18}  {printable(item)}{mark}")
    if document["left_out"]:
        lines.append(f"note: {describe_left_out(document['comparisons'], document['left_out_because'])}")
    if document["unusable"]:
        lines.append(f"note: {printable(document['unusable'])}")
    if document["note"]:
        lines.append(f"note: {document['note']}")
    if document["groups"]:
        lines.append(f"note: {describe_groups(document['groups'])}")
    return document, "\n".join(lines)
