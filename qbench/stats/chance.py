"""What a judge that flips a coin would score: the level any correlation of a pairwise ranking must be held against.

A 2AFC correlation is far from zero by chance in small sets, most of all after a logistic fit, which may fall as well
as rise. The level depends on how many items there are, which pairs were asked and how many answers were consistent.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping

import numpy as np
from numpy.typing import ArrayLike

from qbench.errors import UndefinedError
from qbench.records import Estimate
from qbench.stats.bootstrap import percentile
from qbench.stats.correlation import Array
from qbench.stats.likelihood import fit_map
from qbench.stats.pairwise import Comparisons, PairOutcome, win_matrix

Statistic = Callable[[Array, Array], float]
Drawn = Mapping[str, Mapping[str, Array]]
"""Set of items -> statistic -> its value for each judge; NaN where it has none."""


def levels(drawn: Drawn, sets: Collection[str] | None = None) -> dict[str, Estimate]:
    """Statistic -> mean and quantiles over the judges of its average over some of the sets, or all.

    A judge's average is over the sets that it has a value for: flips that happen to agree on nothing in one of them
    say nothing about it.
    """
    chosen = [values for name, values in drawn.items() if sets is None or name in sets]
    out: dict[str, Estimate] = {}
    for name in chosen[0]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # no value in any set is NaN, and said so
            means = np.nanmean([values[name] for values in chosen], axis=0)
        method, defined = f"coin-flip-{len(means)}", means[np.isfinite(means)]
        nothing = Estimate(None, n=len(chosen), method=method, note="no coin-flip judge has a ranking to correlate")
        mean = float(defined.mean()) if len(defined) else None
        out[name] = nothing if mean is None else percentile(mean, means, len(chosen), method=method)
    return out


def flip_coins(
    pairs: ArrayLike,
    human: ArrayLike,
    statistics: Mapping[str, Statistic],
    rng: np.random.Generator,
    *,
    replicates: int,
    in_one_order: ArrayLike = (),
) -> dict[str, Array]:
    """Statistics of (MAP scores, human scores) for each of some coin-flip judges of the pairs really asked.

    Pairs are rows of indices into `human`, repeats included. Of those that were asked in both orders two flips agree in
    half; those that were asked in one order alone all count. A value is NaN where a judge has none.
    """
    human = np.asarray(human, dtype=float)
    pairs, single = (np.asarray(rows, dtype=np.intp).reshape(-1, 2) for rows in (pairs, in_one_order))
    items = tuple(str(index) for index in range(len(human)))
    values = {name: np.full(replicates, np.nan) for name in statistics}
    for replicate in range(replicates):
        asked = np.concatenate([pairs[rng.random(len(pairs)) < 0.5], single])
        flips = rng.choice(np.array([PairOutcome.FIRST, PairOutcome.SECOND], dtype=np.int8), size=len(asked))
        wins = win_matrix(Comparisons(items, asked[:, 0], asked[:, 1], flips))
        if wins.nnz == 0:
            continue
        scores = fit_map(wins).scores
        for name, statistic in statistics.items():
            try:
                values[name][replicate] = statistic(scores, human)
            except UndefinedError:
                continue
    return values
