"""TrueSkill for two players (Herbrich, Minka and Graepel, NIPS 2006): each item's quality is a normal belief.

Beliefs are updated one comparison after the other, so the result depends on their order; it is not the posterior of
all comparisons at once.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr, ndtri

from qbench.stats.correlation import Array
from qbench.stats.pairwise import Comparisons, PairOutcome

MEAN, SD = 25.0, 25.0 / 3
"""Belief about an item before its first comparison (the paper's defaults, as are the next two)."""
BETA = SD / 2
"""Spread of one performance around the item's quality."""
TAU = SD / 100
"""Spread added to a belief before each comparison."""
DRAW_PROBABILITY = 0.1
"""The default of the Python package trueskill."""


def update_beliefs(comparisons: Comparisons, draw_probability: float = DRAW_PROBABILITY) -> tuple[Array, Array]:
    """Mean and standard deviation of what is believed about each item after all comparisons in asking order.

    Unscored ones change nothing.
    """
    margin = float(ndtri((1 + draw_probability) / 2)) * math.sqrt(2) * BETA
    n = len(comparisons.items)
    mean, variance = [MEAN] * n, [SD**2] * n
    rows = zip(comparisons.first.tolist(), comparisons.second.tolist(), comparisons.outcome.tolist(), strict=True)
    for winner, loser, outcome in rows:
        if outcome == PairOutcome.UNSCORED:
            continue
        if outcome == PairOutcome.SECOND:
            winner, loser = loser, winner
        before_winner, before_loser = variance[winner] + TAU**2, variance[loser] + TAU**2
        spread = math.sqrt(2 * BETA**2 + before_winner + before_loser)
        lead = (mean[winner] - mean[loser]) / spread
        shift, shrink = (_drawn if outcome == PairOutcome.TIE else _won)(lead, margin / spread)
        mean[winner] += before_winner / spread * shift
        mean[loser] -= before_loser / spread * shift
        variance[winner] = before_winner * (1 - before_winner / spread**2 * shrink)
        variance[loser] = before_loser * (1 - before_loser / spread**2 * shrink)
    return np.array(mean), np.sqrt(variance)


def _won(lead: float, margin: float) -> tuple[float, float]:
    """Mean (v) and variance (w) corrections after a win by the item that leads by `lead`."""
    x = lead - margin
    v = math.sqrt(2 / math.pi) / float(erfcx(-x / math.sqrt(2)))  # density over distribution, exact in both tails
    return v, v * (v + x)


def _drawn(lead: float, margin: float) -> tuple[float, float]:
    """The same after a tie. They are odd and even in `lead`; its absolute value keeps the tail numbers accurate."""
    low, high = -margin - abs(lead), margin - abs(lead)
    chance = float(ndtr(high) - ndtr(low))
    if chance > 0:
        v = (_pdf(low) - _pdf(high)) / chance
        w = v**2 + (high * _pdf(high) - low * _pdf(low)) / chance
    else:
        v, w = high, 1.0
    return (v if lead > 0 else -v), w


def _pdf(x: float) -> float:
    return math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
