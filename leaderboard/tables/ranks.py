"""Ranks by one column: ties share a rank, and where the evidence allows it, the ranks a model can claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from leaderboard.tables.columns import COMPARED_DECIMALS, Column
from qbench.stats.significance import RankRange, rank_intervals, two_proportions

LARGEST_COMPARED = 300
"""Beyond this many models the pairwise tests take longer than a page may."""


@dataclass(frozen=True)
class ColumnRanks:
    """How the models rank by one column."""

    rank: pd.Series
    """Model -> rank, 1 is best, ties share the better rank; missing where the figure is."""
    ranges: Mapping[str, RankRange]
    """Model -> ranks it can claim at 95 %; empty where the figures come without evidence."""


def rank_column(column: Column, value: pd.Series, count: pd.Series) -> ColumnRanks:
    """Rank models by their figures; `count` is the number of independent items behind each."""
    if column.metric.direction == "neither" or column.in_training:
        return ColumnRanks(pd.Series(pd.NA, index=value.index, dtype="Int64"), {})
    value = value.round(COMPARED_DECIMALS)
    rank = value.rank(method="min", ascending=column.metric.direction == "lower").astype("Int64")
    return ColumnRanks(rank, _ranges(column, value.dropna(), count))


def _ranges(column: Column, value: pd.Series, count: pd.Series) -> dict[str, RankRange]:
    """Rank ranges from pairwise tests of proportions, Holm-corrected.

    A figure that does not say how many items it rests on cannot be tested: it widens the others' ranges and has none.
    """
    if not column.metric.proportion or not 0 < len(value) <= LARGEST_COMPARED:
        return {}
    models = list(value.index)
    shares = [float(share) for share in value]
    counts = [0 if pd.isna(n) else int(n) for n in count[models]]
    p = np.full((len(models), len(models)), np.nan)
    for i in range(len(models)):
        for j in range(i):
            if counts[i] and counts[j]:
                p[i, j] = p[j, i] = two_proportions(shares[i] * counts[i], counts[i], shares[j] * counts[j], counts[j])
    ranges = rank_intervals(shares, p, higher_is_better=column.metric.direction == "higher")
    return {
        model: claimed for model, n, claimed in zip(models, counts, ranges, strict=True) if n and claimed is not None
    }
