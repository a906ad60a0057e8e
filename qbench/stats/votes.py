"""Which answers a ranking counts, and how many it leaves out and why: one rule for all who rank comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qbench.stats.pairwise import Comparisons, PairOutcome, consistent_only, paired_orders

USUAL_RULE = "consistent, or shown in one order"


@dataclass(frozen=True, eq=False)
class Votes:
    """Comparisons that are counted, and presentations that are not."""

    counted: Comparisons
    rule: str
    """In the words that records use."""
    left_out: Mapping[str, int]
    """Reason -> presentations; a reason that holds for none is not there."""


def count_votes(comparisons: Comparisons, rule: str | None = None) -> Votes:
    """What a ranking is made from.

    Args:
        comparisons: Every presentation.
        rule: "consistent" counts one vote for each pair answered alike in both orders and nothing else, as the 2AFC
            paper does; "all" counts every answer; by default a pair that was only ever shown in one order counts its
            answers beside the consistent pairs.
    """
    unanswered = comparisons.outcome == PairOutcome.UNSCORED
    if rule == "all":
        return Votes(comparisons, rule, _named({"without a usable answer": int(unanswered.sum())}))
    orders = paired_orders(comparisons)
    mirrored = shown_in_both_orders(comparisons)
    consistent, scored = orders.consistent, orders.scored
    single = ~mirrored & ~unanswered
    left_out = {
        "not answered alike in both orders": 2 * int((scored & ~consistent).sum()),
        "without a usable answer in one of the orders": 2 * int((~scored).sum()),
        "repeated without their other order": int(mirrored.sum()) - 2 * len(scored),
        "without a usable answer": int((~mirrored & unanswered).sum()),
    }
    both = consistent_only(comparisons)
    if rule == "consistent":
        return Votes(both, rule, _named({**left_out, "shown in one order only": int(single.sum())}))
    if rule is not None:
        raise ValueError(f"unknown rule {rule!r}")
    if not single.any():
        return Votes(both, "consistent", _named(left_out))
    counted = Comparisons(
        comparisons.items,
        np.concatenate([both.first, comparisons.first[single]]),
        np.concatenate([both.second, comparisons.second[single]]),
        np.concatenate([both.outcome, comparisons.outcome[single]]),
    )
    return Votes(counted, USUAL_RULE if mirrored.any() else "all", _named(left_out))


def shown_in_both_orders(comparisons: Comparisons) -> NDArray[np.bool_]:
    """Presentations whose pair was shown in the other order too."""
    n = len(comparisons.items)
    shown = comparisons.first * n + comparisons.second
    mirrored: NDArray[np.bool_] = np.isin(comparisons.second * n + comparisons.first, shown)
    return mirrored


def _named(counts: Mapping[str, int]) -> dict[str, int]:
    return {reason: count for reason, count in counts.items() if count}
