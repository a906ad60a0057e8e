"""The basis of nano-iqa's heads, from the features of training's rows: what counts how much, and where the bumps are.

All numbers here were chosen on photos of sources that were held out; the model's card lists what was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from qbench.models.iqa.features import SCENE_STATISTICS
from qbench.models.iqa.heads import TONES, Basis

Floats = NDArray[np.float32]

_NETWORK, _STATISTICS, _TONES = 0.675, 0.225, 0.1
"""How much the groups of features count."""
_FULL_SIZE, _DEVIATIONS = 1.5, 1.5
"""How much more the network's features at full size count than those at half, and deviations than means."""
_FLOOR = 0.1
"""What is added to a deviation before its logarithm is taken, in medians of it."""
_DIRECTIONS, _BUMPS = 256, 512
_WIDTH = 2.0
"""Of the bumps, in the median square of the distance between rows."""
_LINEAR, _BENT = 0.5, 2.0
"""How freely the sum of features and the sum of bumps are fitted."""
_JITTER = 1e-4


@dataclass(frozen=True)
class _Group:
    """Features that stand together: one stage's means or deviations, at one scale."""

    places: range
    weight: float
    is_deviation: bool


def _groups(stage_sizes: Sequence[int]) -> Iterator[_Group]:
    """All that the network says but its last layer, which knows what a photo shows and adds nothing here."""
    start = 0
    for scale in (_FULL_SIZE, 1.0):
        for is_deviation in (False, True):
            for size in stage_sizes[:-1]:
                weight = scale * (_DEVIATIONS if is_deviation else 1)
                yield _Group(range(start, start + size), weight, is_deviation)
                start += size
            start += stage_sizes[-1]


def make_basis(features: Floats, stage_sizes: Sequence[int]) -> Basis:
    """A basis for rows of `Looked.features`."""
    groups = list(_groups(stage_sizes))
    count = features.shape[1]
    kept = np.array([*(place for group in groups for place in group.places), *range(count - SCENE_STATISTICS, count)])
    floors = [
        _FLOOR * np.median(features[:, group.places], axis=0) + 1e-4
        if group.is_deviation
        else np.zeros(len(group.places))
        for group in groups
    ]
    floor = np.concatenate([*floors, np.zeros(SCENE_STATISTICS)])
    total = sum(group.weight for group in groups)
    shares = [np.full(len(group.places), _NETWORK * group.weight / total / len(group.places)) for group in groups]
    shares += [np.full(SCENE_STATISTICS, _STATISTICS / SCENE_STATISTICS), np.full(TONES, _TONES / TONES)]
    weight = np.sqrt(np.concatenate(shares))
    nothing: NDArray[np.float16] = np.zeros((0, len(weight)), np.float16)
    plain = (kept.astype(np.int32), floor.astype(np.float32))
    ones = np.ones(len(weight), np.float32)
    measured = Basis(*plain, 0 * ones, ones, ones, nothing, nothing[:, :0], ones[:1])
    values = measured.logged(features)
    mean, deviation = values.mean(axis=0), values.std(axis=0) + np.float32(1e-6)
    basis = Basis(*plain, mean, deviation, weight.astype(np.float32), nothing, nothing[:, :0], ones[:1])
    return _with_bumps(basis, features)


def _with_bumps(basis: Basis, features: Floats) -> Basis:
    """Bumps around rows spread over all of them, along the directions in which rows differ most."""
    standardised = basis.standardised(features)
    size = np.float32(np.sqrt((standardised**2).sum(axis=1).mean()))
    standardised, weight = standardised / size, basis.weight / size
    products = standardised.T @ standardised
    _, vectors = linalg.eigh(products, subset_by_index=[max(0, len(products) - _DIRECTIONS), len(products) - 1])
    directions = vectors.T.astype(np.float16)
    along = standardised @ directions.T.astype(np.float32)
    chosen = np.unique(np.linspace(0, len(along) - 1, min(_BUMPS, len(along))).astype(int))
    centres = along[chosen].astype(np.float16)
    squares = ((along[:: max(1, len(along) // 500), None] - centres.astype(np.float32)) ** 2).sum(axis=2)
    width = np.array([_WIDTH * np.median(squares)], np.float32)
    return Basis(basis.kept, basis.floor, basis.mean, basis.deviation, weight, directions, centres, width)


@dataclass(frozen=True, eq=False)
class Design:
    """Rows such that ridge regression on them penalises what the heads weigh as it should."""

    rows: Floats
    features: int
    factor: NDArray[np.float64]
    """Of the products of bumps with one another (Nyström's method): its inverse turns weights back."""

    @classmethod
    def of(cls, basis: Basis, features: Floats) -> Design:
        """The rows of these features."""
        standardised = basis.standardised(features)
        centres = basis.centres.astype(np.float64)
        squares = (centres**2).sum(axis=1)
        near = np.exp(-np.maximum(squares[:, None] + squares - 2 * centres @ centres.T, 0) / basis.width)
        near[np.diag_indices_from(near)] += _JITTER
        factor = np.linalg.cholesky(near)
        bumps = linalg.solve_triangular(factor, basis.bumps(standardised).T, lower=True).T
        rows = np.concatenate([np.sqrt(_LINEAR) * standardised, np.sqrt(_BENT) * bumps], axis=1)
        return cls(rows.astype(np.float32), standardised.shape[1], factor)

    def weights(self, heads: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights on what the basis gives, of heads fitted to the rows; head × weight."""
        linear, bent = heads[:, : self.features], heads[:, self.features :]
        turned = linalg.solve_triangular(self.factor, bent.T, lower=True, trans="T").T
        return np.concatenate([np.sqrt(_LINEAR) * linear, np.sqrt(_BENT) * turned], axis=1)
