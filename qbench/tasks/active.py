"""Active pairing: which two images to compare next, learnt from the answers so far.

The belief is that of the 2AFC paper's ranking (arXiv 2402.01162, Eqs. 1-2): scores with a standard normal prior, and
Thurstone's Case V for each answer. It is kept as one normal distribution, matched to the exact mean and covariance
after every answer. Each round pairs images whose comparison is hardest to foretell, none of them twice.

The first pairs are shown in both orders, as the paper does, to see whether the judge is consistent. Where it is, one
order is enough, each image coming first about as often as second: this saves more than any choice of pairs can.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from qbench.errors import UserError

MOST_ITEMS = 2000
"""The covariance of this many scores takes 32 MB, and every answer changes all of it."""
CONSISTENT = 0.6
"""Share of pairs a judge must answer alike in both orders to be asked in one; a coin reaches one half."""
ENOUGH = 20
"""Pairs in both orders before that share is believed."""

Pair = tuple[int, int]
Array = NDArray[np.float64]


class ActivePairs:
    """One set of items: the belief about their scores, and what has been asked."""

    def __init__(self, n: int, seed: int) -> None:
        if not 2 <= n <= MOST_ITEMS:
            raise UserError(f"active pairing takes 2 to {MOST_ITEMS:,} images at once, not {n:,}; take random pairs")
        self._mean = np.zeros(n)
        self._covariance = np.eye(n)
        self._asked = np.eye(n, dtype=bool)
        self._lead = np.zeros(n, dtype=int)
        """How much more often each item came first than second."""
        self._rng = np.random.default_rng(seed)
        self._consistent: list[bool] = []

    @property
    def both_orders(self) -> bool:
        """Whether pairs are still shown in both orders."""
        return len(self._consistent) < ENOUGH or float(np.mean(self._consistent)) < CONSISTENT

    def propose(self) -> list[Pair]:
        """What to present next, (first, second): a round of disjoint pairs; nothing once every pair has been asked."""
        presented: list[Pair] = []
        for number, (first, second) in enumerate(self._hardest()):
            if self._lead[first] + self._rng.random() > self._lead[second] + 0.5:
                first, second = second, first
            presented.append((first, second))
            # While nothing is known of the judge, no more pairs than tell it.
            if self.both_orders and (self._consistent or number < ENOUGH):
                presented.append((second, first))
            else:
                self._lead[[first, second]] += (1, -1)
        return presented

    def learn(self, presented: Sequence[Pair], choices: Iterable[str | None]) -> None:
        """Take in the answers to what was proposed; ties and missing answers teach nothing."""
        winners: dict[Pair, list[int | None]] = {}
        for (first, second), choice in zip(presented, choices, strict=True):
            winner = {"first": first, "second": second}.get(choice or "")
            winners.setdefault((min(first, second), max(first, second)), []).append(winner)
        for pair, won in winners.items():
            agreed = won[0] if len(set(won)) == 1 else None
            if len(won) == 2 and None not in won:
                self._consistent.append(agreed is not None)
            if agreed is not None:
                self._mean, self._covariance = updated(self._mean, self._covariance, agreed, sum(pair) - agreed)

    def _hardest(self) -> list[Pair]:
        """Disjoint new pairs, greedily by how evenly matched they are for what is known of them; ties by lot."""
        one, other = np.nonzero(np.triu(~self._asked))
        variance = np.diag(self._covariance)
        gap = np.abs(self._mean[one] - self._mean[other])
        doubt = variance[one] + variance[other] - 2 * self._covariance[one, other]
        order = np.lexsort((self._rng.random(len(one)), gap / np.sqrt(1 + doubt)))
        free = np.ones(len(self._mean), dtype=bool)
        pairs: list[Pair] = []
        for first, second in zip(one[order].tolist(), other[order].tolist(), strict=True):
            if free[first] and free[second]:
                free[[first, second]] = False
                self._asked[first, second] = True
                pairs.append((first, second))
        return pairs


def updated(mean: Array, covariance: Array, winner: int, loser: int) -> tuple[Array, Array]:
    """Mean and covariance of normal scores after one comparison of unit noise: exact, though no longer normal."""
    column = covariance[:, winner] - covariance[:, loser]
    total = 1 + column[winner] - column[loser]
    z = (mean[winner] - mean[loser]) / np.sqrt(total)
    pull = np.exp(-(z**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(z))
    shift = column * pull / np.sqrt(total)
    return mean + shift, covariance - np.outer(column, column) * pull * (pull + z) / total
