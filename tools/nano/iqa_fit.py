"""Ridge regression of nano-iqa's heads, each fold of the photos left out by one member of the ensemble.

What a member says of photos that it never saw tells how far scores are off and what the odds of damage are worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize
from scipy.stats import rankdata, spearmanr

from qbench.models.iqa.heads import FAULTS, Basis, Heads, PartsHead
from tools.nano.iqa_basis import Design
from tools.nano.iqa_rows import KINDS, TEACHER_SIGNS
from tools.nano.people import Kept, what_is_left

Floats = NDArray[np.float32]

FOLDS = 5
PENALTY = 0.7
"""Of squared weights."""
_SPREAD_PENALTY = 10.0
"""Of the head that says how far off a score may be: squared errors are noisy."""
_SHOWN = 1.2
"""From this level on a damage counts as seen."""
_NORMAL_LOG = -0.635
"""Mean of the logarithm of the absolute value of a standard normal variable."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What training knows of every crop, a row each."""

    features: Floats
    photos: NDArray[np.int64]
    levels: Floats
    teachers: Floats
    kept: Kept
    """How much people mind each damage."""

    @cached_property
    def quality(self) -> NDArray[np.float64]:
        """From 0 (worst) to 100: half the rank by what people leave of the damages, a third the mean rank by all
        full-reference measures, a sixth the rank by the levels of damage."""
        by_people = rankdata([what_is_left(self.kept, levels) for levels in self.levels])
        by_measures = np.mean(
            [rankdata(self.teachers[:, place] * sign) for place, sign in enumerate(TEACHER_SIGNS)], axis=0
        )
        by_level = rankdata(-np.sqrt((self.levels**2).sum(axis=1)))
        quality: NDArray[np.float64] = 100 * (by_people / 2 + by_measures / 3 + by_level / 6) / len(self.teachers)
        return quality

    @property
    def level_cost(self) -> float:
        """Points of quality that a level of damage costs, by a line through the rows with one damage."""
        one = (self.levels > 0).sum(axis=1) == 1
        return -float(np.polyfit(self.levels[one].sum(axis=1), self.quality[one], 1)[0])

    @property
    def faults(self) -> NDArray[np.float64]:
        """1 where a kind of damage is plain to see, 0 where it is absent."""
        shown = [self.levels[:, [KINDS.index(kind) for kind in kinds]].max(axis=1) for kinds in FAULTS.values()]
        return (np.stack(shown, axis=1) >= _SHOWN).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Fit:
    """The heads, and how good they are on photos that a member did not learn from."""

    heads: Heads
    figures: dict[str, float]


def fit_heads(rows: Rows, basis: Basis, parts: PartsHead) -> Fit:
    """Fit all heads but the one of parts, which is given."""
    design = Design.of(basis, rows.features)
    folds = np.searchsorted(np.quantile(np.unique(rows.photos), np.arange(1, FOLDS) / FOLDS), rows.photos)
    targets = np.column_stack([rows.quality, rows.faults])
    ridge = _Ridge(design.rows, folds)
    chosen = ridge.solve(targets, PENALTY)
    said, residual = chosen.left_out, targets[:, 0] - chosen.left_out[:, 0]
    spread = ridge.solve(np.log(np.abs(residual) + 0.1)[:, None], _SPREAD_PENALTY)
    deviation = np.exp(spread.left_out[:, 0] - _NORMAL_LOG)
    shift = 0.5 * np.log(np.mean((residual / deviation) ** 2))  # on average an error is as large as it is said to be
    fault_fits = [_calibrate(said[:, 1 + place], rows.faults[:, place]) for place in range(len(FAULTS))]
    slopes, starts = np.array(fault_fits).T

    def head(members: NDArray[np.float64], biases: NDArray[np.float64]) -> tuple[Floats, Floats]:
        return design.weights(members).astype(np.float32), biases.astype(np.float32)

    quality = head(chosen.members[:, :, 0], chosen.biases[:, 0])
    spreads = head(spread.members.mean(axis=0).T, spread.biases.mean(axis=0) - _NORMAL_LOG + shift)
    faults = chosen.members[:, :, 1:].mean(axis=0).T
    fault_heads = head(faults * slopes[:, None], chosen.biases[:, 1:].mean(axis=0) * slopes + starts)
    ratio = np.abs(residual) / (deviation * np.exp(shift))
    odds = said[:, 1:] * slopes + starts
    figures = {
        "rows": float(len(residual)),
        "srcc": float(spearmanr(said[:, 0], targets[:, 0])[0]),
        "rmse": float(np.sqrt(np.mean(residual**2))),
        "within_one_error": float(np.mean(ratio < 1)),
        "within_two_errors": float(np.mean(ratio < 2)),
        **{f"auc {name}": _auc(odds[:, place], rows.faults[:, place]) for place, name in enumerate(FAULTS)},
    }
    return Fit(Heads(basis, *quality, *spreads, *fault_heads, parts), figures)


@dataclass(frozen=True, eq=False)
class _Solved:
    members: NDArray[np.float64]
    """Fold × feature × target."""
    biases: NDArray[np.float64]
    """Fold × target."""
    left_out: NDArray[np.float64]
    """What each row is said to be by the member that did not learn from its photo."""


class _Ridge:
    """Ridge regressions on one matrix of products of rows: one for each fold, without its photos."""

    def __init__(self, rows: Floats, folds: NDArray[np.int64]) -> None:
        self._rows, self._folds = rows, folds
        self._products = rows @ rows.T

    def solve(self, targets: NDArray[np.float64], penalty: float) -> _Solved:
        members, biases, left_out = [], [], np.empty_like(targets)
        for fold in range(FOLDS):
            seen, out = np.flatnonzero(self._folds != fold), np.flatnonzero(self._folds == fold)
            mean = targets[seen].mean(axis=0)
            product = self._products[np.ix_(seen, seen)].astype(np.float64)
            product[np.diag_indices_from(product)] += penalty
            weights = linalg.solve(product, targets[seen] - mean, assume_a="pos", overwrite_a=True, check_finite=False)
            members.append(self._rows[seen].T @ weights)
            biases.append(mean)
            left_out[out] = self._products[np.ix_(out, seen)] @ weights + mean
        return _Solved(np.array(members), np.array(biases), left_out)


def _calibrate(said: NDArray[np.float64], truth: NDArray[np.float64]) -> tuple[float, float]:
    """Slope and intercept that make a head's values log odds (Platt scaling), by maximum likelihood."""

    def loss(line: NDArray[np.float64]) -> float:
        odds = line[0] * said + line[1]
        return float(np.mean(np.logaddexp(0, odds) - truth * odds))

    found = optimize.minimize(loss, np.array([8.0, -3.0]), method="Nelder-Mead")
    return float(found.x[0]), float(found.x[1])


def _auc(odds: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """Probability that a damaged crop has higher odds than one without this damage."""
    count = int(truth.sum())
    if not 0 < count < len(truth):
        return float("nan")
    ranks = rankdata(odds)[truth > 0]
    return float((ranks.sum() - count * (count + 1) / 2) / (count * (len(truth) - count)))
