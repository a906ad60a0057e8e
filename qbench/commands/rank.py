"""`rank`: a file of comparisons -> one score per item."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qbench.archives import unpack
from qbench.commands.arguments import add_skip_bad, suggesting_skip_bad
from qbench.commands.text import printable
from qbench.errors import UndefinedError, UserError
from qbench.formats import read_results
from qbench.records import LEVEL
from qbench.rows import MOST_BAD, read_file, shorten
from qbench.stats.pairwise import Comparisons, count_votes, paired_orders
from qbench.stats.ranking import METHODS, rescale

_LISTED = 10


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    parser.description = "Rank the items of a file of comparisons."
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--method", choices=METHODS, default="map")
    parser.add_argument("--dataset", help="which dataset's comparisons, where the file holds several")
    parser.add_argument(
        "--pairs",
        choices=("consistent", "all"),
        help="count pairs answered alike in both orders, or every presentation "
        "(default: the former, and answers about pairs that the file only shows in one order)",
    )
    add_skip_bad(parser)
    parser.set_defaults(run=_rank)
    return [parser]


def _rank(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    with suggesting_skip_bad():
        document = rank_file(
            options.file, method=options.method, dataset=options.dataset, pairs=options.pairs, skip_bad=options.skip_bad
        )
    intervals, at_bound = document["intervals"] or {}, set(document["at_bound"])
    lines = [f"{'rank':>4}  {'score':>8}  {'95 % interval':>18}  item"]
    for item, score in document["scores"].items():
        low, high = intervals.get(item, (None, None))
        span = "–" if low is None else f"{low:.3f} to {high:.3f}"
        mark = " (at the bound)" if item in at_bound else ""
        lines.append(f"{document['ranks'][item]:>4}  {score:>8.3f}  {span:>18}  {printable(item)}{mark}")
    notes = [
        describe_left_out(document["comparisons"], document["left_out_because"]) if document["left_out"] else "",
        printable(document["unusable"] or ""),
        document["note"],
        describe_groups(document["groups"]) if document["groups"] else "",
    ]
    return document, "\n".join([*lines, *(f"note: {note}" for note in notes if note)])


def rank_file(
    path: Path, *, method: str = "map", dataset: str | None = None, pairs: str | None = None, skip_bad: bool = False
) -> dict[str, Any]:
    """Rank the items of a file of comparisons, or of a zip of one, best first; see the arguments of `rank`."""
    unpacked = unpack(read_file(path))
    if len(unpacked.files) > 1:
        raise UserError(f"{path.name} holds {len(unpacked.files):,} files; rank ranks one")
    [file] = unpacked.files.values()
    reading = read_results(file, allowed=1.0 if skip_bad else MOST_BAD)
    if reading.kind != "comparisons":
        raise UserError(f"{path.name} holds {reading.kind}; rank needs comparisons (first, second, choice)")
    names = {shown.dataset for shown in reading.presented}
    if dataset is None and len(names) > 1:
        listed = ", ".join(shorten(name) for name in sorted(name or "" for name in names)[:_LISTED])
        raise UserError(f"{path.name} compares images of {len(names)} datasets ({listed}); choose one with --dataset")
    rows = [shown for shown in reading.presented if dataset is None or shown.dataset == dataset]
    if not rows:
        raise UserError(f"{path.name} holds no comparisons of {shorten(dataset)}")
    asked = Comparisons.of_presented(rows)
    try:
        ranked = rank_comparisons(asked, method=method, pairs=pairs)
    except UndefinedError as error:
        advice = "; --pairs all counts every presentation" if isinstance(error, NoConsistentPairError) else ""
        raise UserError(f"{path.name} has no {method} ranking: {error.reason}{advice}") from None
    said = reading.complaints.left_out(reading.status["read"]) if reading.complaints else ""
    return {**ranked, "unusable": said or None}


class NoConsistentPairError(UndefinedError):
    """No pair was answered alike in both orders."""


def rank_comparisons(asked: Comparisons, *, method: str = "map", pairs: str | None = None) -> dict[str, Any]:
    """The ranking of all items, best first, with what it rests on; UndefinedError where the method has no scores."""
    if asked.unscored == len(asked):
        raise UndefinedError(
            f"none of its {len(asked):,} presentations has a usable answer, so there is nothing to rank"
        )
    orders = paired_orders(asked)
    votes = count_votes(asked, pairs)
    if not len(votes.counted):
        raise NoConsistentPairError(
            f"in none of its {len(orders.first):,} pairs shown in both orders was one image preferred twice, so there "
            "is nothing to rank"
        )
    ranking = METHODS[method](votes.counted)
    order, ranks = ranking.order, ranking.ranks
    try:
        shown = rescale(ranking.scores)
    except UndefinedError:
        shown = None
    return {
        "method": method,
        "pairs": votes.rule,
        "comparisons": len(asked),
        "pairs_in_both_orders": len(orders.first),
        "consistent_pairs": int(orders.consistent.sum()),
        "unscored": asked.unscored,
        "left_out": sum(votes.left_out.values()),
        "left_out_because": dict(votes.left_out),
        "level": LEVEL,
        "scores": {ranking.items[i]: float(ranking.scores[i]) for i in order},
        "ranks": {ranking.items[i]: ranks[i] for i in order},
        "scores_0_100": None if shown is None else {ranking.items[i]: float(shown[i]) for i in order},
        "intervals": None
        if ranking.low is None or ranking.high is None
        else {ranking.items[i]: [float(ranking.low[i]), float(ranking.high[i])] for i in order},
        "note": ranking.note,
        "at_bound": list(ranking.at_bound),
        "groups": [list(group) for group in ranking.groups],
        "log_likelihood": ranking.log_likelihood,
        "iterations": ranking.iterations,
    }


def describe_groups(groups: Sequence[Sequence[str]]) -> str:
    """One sentence that names groups of items which no comparison links."""
    named = [", ".join(_first(list(map(shorten, group)), _LISTED, "items")) for group in groups]
    return (
        f"the comparisons fall into {len(groups):,} unconnected groups, and scores of different groups cannot be "
        f"compared: {'; '.join(_first(named, _LISTED, 'groups'))}"
    )


def describe_left_out(comparisons: int, reasons: Mapping[str, int]) -> str:
    """One sentence of how many presentations the ranking leaves out, and why."""
    each = "; ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    return f"{sum(reasons.values()):,} of {comparisons:,} presentations do not count: {each}"


def _first(names: list[str], most: int, what: str) -> list[str]:
    return names if len(names) <= most else [*names[:most], f"and {len(names) - most:,} more {what}"]
