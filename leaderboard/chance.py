"""What judging without looking scores: the level that any figure must be held against.

Some levels follow from how a question is asked. That of a 2AFC correlation does not: it is simulated with coin flips,
and because that takes a minute it is kept in `assets/recomputed/chance_2afc.json`, written by

    python -m leaderboard.chance assets/recomputed/chance_2afc.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leaderboard.boards import twoafc
from leaderboard.columns import Column
from leaderboard.table import Table
from qbench.errors import UndefinedError
from qbench.pairing import coarse_rounds
from qbench.records import Estimate
from qbench.stats.chance import chance_levels
from qbench.stats.correlation import fit_logistic, plcc

RANDOM_GUESS = "random-guess"
OF_TASK = {
    ("comparison", "consistency"): 1 / 2,
    ("comparison", "accuracy_joint"): 1 / 4,
    ("img-2afc", "accuracy"): 1 / 2,
    ("it-2afc", "accuracy"): 1 / 2,
    ("text-2afc", "accuracy"): 1 / 2,
    ("iqa-2afc", "accuracy"): 1 / 2,
    ("attributes", "accuracy"): 1 / 2,
    ("odd-one-out", "accuracy"): 1 / 3,
}
"""(task, metric) -> level by construction. Two coin flips agree in half of the pairs and are right in half of those."""

SEED = 2402
JUDGES = 400
GROUPS = {"fine-levels": (5, 4), "fine-types": (5, 4), "fine-intervals": (25, 1)}
"""Fine pairs: images ranked together, and rankings averaged in one cell (four scenes of CSIQ)."""

Simulated = Mapping[str, Estimate]
"""Column key -> mean and 95 % range of what coin-flip judges reach."""


def chance_level(column: Column, tables: Iterable[Table], simulated: Simulated) -> float | None:
    """The chance level of a column: printed, by construction, or simulated; None where there is none."""
    for table in tables:
        if column.key in table.reference.value and RANDOM_GUESS in table.reference.value.index:
            printed = table.reference.value[column.key].to_dict()[RANDOM_GUESS]
            return None if np.isnan(printed) else float(printed)
    if column.key in simulated:
        return simulated[column.key].value
    if column.alternatives is not None:
        return 1 / column.alternatives
    return OF_TASK.get((column.find.task, column.metric.key)) if column.find else None


def read_simulated(path: Path) -> Simulated:
    """The levels kept in a file."""
    levels = json.loads(path.read_text(encoding="utf-8"))["levels"]
    return {key: Estimate.from_json(one, key) for key, one in levels.items()}


def simulate(judges: int = JUDGES, seed: int = SEED) -> Simulated:
    """Simulate every correlation column of the 2AFC boards, each number of images once."""
    sets = {f"{one.dataset}/correlation": (one.images, 1) for one in (*twoafc.PUBLIC, *twoafc.FRESH)}
    for rule in twoafc.RULES:
        sets |= {f"{rule.split}/{group}/correlation": GROUPS[rule.split] for group in rule.groups}
    levels = {size: coin_flips(*size, judges=judges, seed=seed) for size in sorted(set(sets.values()))}
    return {key: levels[size] for key, size in sets.items()}


def coin_flips(images: int, rankings: int, *, judges: int = JUDGES, seed: int = SEED) -> Estimate:
    """Mean correlation over some rankings of some images by a judge who flips coins, as the 2AFC paper computes it.

    The pairs are the paper's twelve rounds; the human scores are evenly spread, as the paper chose its images to be.
    """
    rng = np.random.default_rng(seed)
    pairs, human = coarse_rounds(images).reshape(-1, 2), np.linspace(0, 100, images)
    single = {"correlation": _correlation}
    if rankings == 1:
        return chance_levels(pairs, human, single, rng, replicates=judges)["correlation"]
    means = [chance_levels(pairs, human, single, rng, replicates=rankings)["correlation"].value for _ in range(judges)]
    values = np.array([mean for mean in means if mean is not None])
    low, high = np.quantile(values, [0.025, 0.975])
    method = f"coin-flip-{judges}, mean of {rankings} rankings"
    return Estimate(float(values.mean()), float(low), float(high), n=images, method=method)


def _correlation(scores: NDArray[np.float64], human: NDArray[np.float64]) -> float:
    """Eq. 5 after the logistic fit, on scores stretched to 0-100 first, as the paper does."""
    spread = np.ptp(scores)
    if spread == 0:
        raise UndefinedError("all scores are equal")
    stretched = 100 * (scores - scores.min()) / spread
    return plcc(fit_logistic(stretched, human)(stretched), human)


def main(path: str) -> None:
    """Write the simulated levels to a file."""
    document = {
        "what": "Correlation with human scores that judges flipping coins reach in the 2AFC protocol: "
        "mean and 95 % range over the judges",
        "command": f"python -m leaderboard.chance {path}",
        "judges": JUDGES,
        "seed": SEED,
        "levels": {key: _rounded(level).to_json() for key, level in simulate().items()},
    }
    Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _rounded(level: Estimate) -> Estimate:
    value, low, high = (None if one is None else round(one, 4) for one in (level.value, level.low, level.high))
    return Estimate(value, low, high, level=level.level, n=level.n, method=level.method, note=level.note)


if __name__ == "__main__":
    main(sys.argv[1])
