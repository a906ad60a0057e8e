"""The one container of paired comparisons, and the views of it that statistics are made from.

A row is one presentation: two items shown in an order, and which of them was chosen. Rows stay in the order they were
asked and are never merged, because position bias needs the order within a row, pairing the two orders across rounds
needs to know which presentation came first, and TrueSkill depends on the sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from qbench.errors import DataError
from qbench.records import Presented

IndexArray = NDArray[np.intp]
OutcomeArray = NDArray[np.int8]
USUAL_RULE = "consistent, or shown in one order"
"""Which answers a ranking counts, unless somebody says otherwise."""


class PairOutcome(IntEnum):
    """What was answered to one presentation. UNSCORED is no usable answer: counted, but it ranks nothing."""

    FIRST = 0
    SECOND = 1
    TIE = 2
    UNSCORED = 3


_CHOICES = {
    "first": PairOutcome.FIRST,
    "second": PairOutcome.SECOND,
    "tie": PairOutcome.TIE,
    None: PairOutcome.UNSCORED,
}


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Presented comparisons in asking order; `first` and `second` index `items`, `outcome` holds `Outcome` values."""

    items: tuple[str, ...]
    first: IndexArray
    second: IndexArray
    outcome: OutcomeArray

    @classmethod
    def of_presented(cls, presented: Iterable[Presented], items: Sequence[str] | None = None) -> Comparisons:
        """Those of records; see `of`."""
        return cls.of(((shown.first, shown.second, shown.choice) for shown in presented), items)

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, str | None]], items: Sequence[str] | None = None) -> Comparisons:
        """Index (first, second, choice) rows, choice being "first", "second", "tie" or None for no usable answer.

        Items are all there are, where some may never have been compared; by default those that occur, as they occur.

        Raises:
            DataError: Naming the first row, counted from 1, with an unknown choice, or an item that is compared with
                itself or is not among the items.
        """
        index = {name: position for position, name in enumerate(items or ())}
        first, second, outcome = [], [], []
        for number, (left, right, choice) in enumerate(rows, start=1):
            for name in (left, right):
                if not isinstance(name, str):
                    raise DataError(f"comparison {number} names the item {name!r}; expected text")
                if name not in index:
                    if items is not None:
                        raise DataError(f"comparison {number} names {name!r}, which is not among the items")
                    index[name] = len(index)
            if left == right:
                raise DataError(f"comparison {number} compares {left!r} with itself; remove it")
            if not isinstance(choice, str | None) or choice not in _CHOICES:
                raise DataError(f"comparison {number} has the choice {choice!r}; expected first, second, tie or null")
            first.append(index[left])
            second.append(index[right])
            outcome.append(_CHOICES[choice])
        one, other = (np.array(each, dtype=np.intp) for each in (first, second))
        return cls(tuple(index), one, other, np.array(outcome, dtype=np.int8))

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def unscored(self) -> int:
        """How many presentations got no usable answer."""
        return int(np.count_nonzero(self.outcome == PairOutcome.UNSCORED))


def win_matrix(comparisons: Comparisons) -> sparse.csr_array:
    """How often each item (row) was preferred to each other (column); a tie is half a win for both.

    This counts every presentation. The 2AFC paper's preference matrix C counts consistent pairs only:
    `win_matrix(count_votes(comparisons, "consistent").counted)`.
    """
    first, second, outcome = comparisons.first, comparisons.second, comparisons.outcome
    counts = np.concatenate([np.choose(outcome, [1.0, 0.0, 0.5, 0.0]), np.choose(outcome, [0.0, 1.0, 0.5, 0.0])])
    n = len(comparisons.items)
    places = np.concatenate([first, second]), np.concatenate([second, first])
    wins = sparse.coo_array((counts, places), shape=(n, n)).tocsr()  # which adds up those of one place
    wins.eliminate_zeros()
    return wins


@dataclass(frozen=True, eq=False)
class PairedOrders:
    """Pairs that were presented in both orders, one entry each, in asking order.

    Shown as (first, second) the answer was `forward`; shown as (second, first) it was `backward`.
    """

    first: IndexArray
    second: IndexArray
    forward: OutcomeArray
    backward: OutcomeArray
    unpaired: int
    """Presentations whose other order was never asked."""

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Both orders got a usable answer."""
        return np.not_equal(self.forward, PairOutcome.UNSCORED) & np.not_equal(self.backward, PairOutcome.UNSCORED)

    @property
    def consistent(self) -> NDArray[np.bool_]:
        """The same item won in both orders (2AFC paper, Eq. 3). "Tie" twice prefers nothing and is not consistent."""
        one = np.equal(self.forward, PairOutcome.FIRST) & np.equal(self.backward, PairOutcome.SECOND)
        other = np.equal(self.forward, PairOutcome.SECOND) & np.equal(self.backward, PairOutcome.FIRST)
        return one | other

    @property
    def winner(self) -> IndexArray:
        """The item a consistent pair prefers; -1 where the pair is not consistent."""
        won = np.where(self.forward == PairOutcome.FIRST, self.first, self.second)
        return np.where(self.consistent, won, -1)


def paired_orders(comparisons: Comparisons) -> PairedOrders:
    """Match the two orders of each pair: the k-th presentation of (A, B) with the k-th of (B, A).

    Unscored presentations take part, so that one missing answer does not shift the pairing of later rounds.
    """
    first, second = comparisons.first, comparisons.second
    pair = np.minimum(first, second) * len(comparisons.items) + np.maximum(first, second)  # whatever their order
    rows = np.arange(len(comparisons))
    repeat = _occurrence(first * len(comparisons.items) + second)
    order = np.lexsort((rows, repeat, pair))
    # At most two rows share (pair, repeat), one for each order, so partners are now neighbours.
    partners = (pair[order][:-1] == pair[order][1:]) & (repeat[order][:-1] == repeat[order][1:])
    earlier, later = order[:-1][partners], order[1:][partners]
    asked = np.argsort(earlier)
    earlier, later = earlier[asked], later[asked]
    return PairedOrders(
        first=first[earlier],
        second=second[earlier],
        forward=comparisons.outcome[earlier],
        backward=comparisons.outcome[later],
        unpaired=len(rows) - 2 * len(earlier),
    )


def _occurrence(keys: IndexArray) -> IndexArray:
    """For each entry, how many equal ones precede it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    group_start = np.searchsorted(ordered, ordered, side="left")
    occurrence = np.empty(len(keys), dtype=np.intp)
    occurrence[order] = np.arange(len(keys)) - group_start
    return occurrence


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

    "consistent" counts one vote for each pair answered alike in both orders and nothing else, as the 2AFC paper does;
    "all" counts every answer; by default a pair that was only ever shown in one order counts its answers beside the
    consistent pairs.
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
    both = Comparisons(
        comparisons.items, orders.first[consistent], orders.second[consistent], orders.forward[consistent]
    )
    if rule == "consistent":
        return Votes(both, rule, _named({**left_out, "shown in one order only": int(single.sum())}))
    if rule is not None:
        raise ValueError(f"unknown rule {rule!r}")
    if not single.any():
        return Votes(both, "consistent", _named(left_out))
    first, second, outcome = (
        np.concatenate([getattr(both, name), getattr(comparisons, name)[single]])
        for name in ("first", "second", "outcome")
    )
    counted = Comparisons(comparisons.items, first, second, outcome)
    return Votes(counted, USUAL_RULE if mirrored.any() else "all", _named(left_out))


def shown_in_both_orders(comparisons: Comparisons) -> NDArray[np.bool_]:
    """Presentations whose pair was shown in the other order too."""
    n = len(comparisons.items)
    shown = comparisons.first * n + comparisons.second
    mirrored: NDArray[np.bool_] = np.isin(comparisons.second * n + comparisons.first, shown)
    return mirrored


def _named(counts: Mapping[str, int]) -> dict[str, int]:
    return {reason: count for reason, count in counts.items() if count}


def unconnected_groups(wins: sparse.csr_array) -> list[IndexArray]:
    """The items of each group that no comparison links to another, the largest group first; one group where all are.

    Scores are comparable only within a group.
    """
    count, group = csgraph.connected_components(wins, directed=True, connection="weak")
    members = [np.flatnonzero(group == number) for number in range(count)]
    return sorted(members, key=len, reverse=True)


def count_strong_components(wins: sparse.csr_array) -> int:
    """Groups of items that no chain of wins links both ways; of one a maximum-likelihood ranking exists (Ford 1957)."""
    count, _ = csgraph.connected_components(wins, directed=True, connection="strong")
    return int(count)
