"""`rank`: a file of comparisons -> one score per item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qbench.errors import UndefinedError, UserError
from qbench.formats import read_results
from qbench.rows import shorten
from qbench.stats.pairwise import Comparisons, consistent_only, paired_orders
from qbench.stats.ranking import METHODS, rescale

_LISTED = 10


def rank_file(
    path: Path, *, method: str = "map", dataset: str | None = None, pairs: str | None = None
) -> dict[str, Any]:
    """Rank the items of a comparisons file, best first.

    Args:
        path: JSONL of presented comparisons.
        method: One of `METHODS`.
        dataset: Which dataset's comparisons, where the file holds several.
        pairs: "consistent" counts only pairs answered alike in both orders (2AFC paper), "all" every presentation;
            by default "consistent" where any pair was asked in both orders.
    """
    reading = read_results(path)
    if reading.kind != "comparisons":
        raise UserError(f"{path.name} holds {reading.kind}; rank needs comparisons (first, second, choice)")
    names = {one.dataset for one in reading.presented}
    if dataset is None and len(names) > 1:
        listed = ", ".join(shorten(name) for name in sorted(name or "" for name in names)[:_LISTED])
        raise UserError(f"{path.name} compares images of {len(names)} datasets ({listed}); choose one with --dataset")
    rows = [one for one in reading.presented if dataset is None or one.dataset == dataset]
    if not rows:
        raise UserError(f"{path.name} holds no comparisons of {shorten(dataset)}")
    asked = Comparisons.of((one.first, one.second, one.choice) for one in rows)
    orders = paired_orders(asked)
    rule = pairs or ("consistent" if len(orders.first) else "all")
    counted = consistent_only(asked) if rule == "consistent" else asked
    if not len(counted):
        raise UserError(
            f"{path.name} has no {method} ranking: in none of its {len(orders.first):,} pairs shown in both orders was "
            "one image preferred twice, so there is nothing to rank; --pairs all counts every presentation"
        )
    try:
        ranking = METHODS[method](counted)
    except UndefinedError as error:
        raise UserError(f"{path.name} has no {method} ranking: {error.reason}") from None
    order = ranking.scores.argsort(kind="stable")[::-1]
    try:
        shown = rescale(ranking.scores)
    except UndefinedError:
        shown = None
    return {
        "method": method,
        "pairs": rule,
        "comparisons": len(asked),
        "pairs_in_both_orders": len(orders.first),
        "consistent_pairs": int(orders.consistent.sum()),
        "unscored": asked.unscored,
        "level": ranking.level,
        "scores": {ranking.items[i]: float(ranking.scores[i]) for i in order},
        "scores_0_100": None if shown is None else {ranking.items[i]: float(shown[i]) for i in order},
        "intervals": None
        if ranking.low is None or ranking.high is None
        else {ranking.items[i]: [float(ranking.low[i]), float(ranking.high[i])] for i in order},
        "note": ranking.note,
        "log_likelihood": ranking.log_likelihood,
        "iterations": ranking.iterations,
    }
