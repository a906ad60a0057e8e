"""Standard errors of MAP scores where votes come in clusters: all votes of one person go together.

A bootstrap that draws whole clusters anew (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, Sec. 8.3).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qbench.stats.likelihood import fit_map

RESAMPLES = 200
"""Enough for a standard error: its own is then 5 % of it."""


def cluster_errors(
    wins: Sequence[sparse.csr_array], rng: np.random.Generator, resamples: int = RESAMPLES
) -> NDArray[np.float64]:
    """How far each item's MAP score varies when as many clusters are drawn anew with replacement.

    Args:
        wins: For each cluster, entry [i, j] is how often i was preferred to j.
        rng: Draws the clusters.
        resamples: How often.
    """
    size = wins[0].shape[0]
    each = np.stack([matrix.toarray().ravel() for matrix in wins])
    drawn = rng.multinomial(len(wins), np.full(len(wins), 1 / len(wins)), size=resamples)
    scores = [fit_map(sparse.csr_array((times @ each).reshape(size, size))).scores for times in drawn]
    errors: NDArray[np.float64] = np.std(scores, axis=0, ddof=1)
    return errors
