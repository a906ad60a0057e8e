"""What judging without looking scores in the 2AFC protocol, by simulated coin flips.

It takes a minute, so the levels are kept in `assets/recomputed/chance_2afc.json`, written by

    python -m tools.coin_flips assets/recomputed/chance_2afc.json
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leaderboard.boards import comparing
from leaderboard.tables.chance import JUDGES, Simulated
from qbench.errors import UndefinedError
from qbench.pairing import coarse_rounds
from qbench.records import Estimate
from qbench.stats.chance import flip_coins, levels
from qbench.stats.correlation import plcc
from qbench.stats.logistic import fit_as_published

COIN_FLIP_SEED = 2402


def simulate(judges: int = JUDGES, seed: int = COIN_FLIP_SEED) -> Simulated:
    """Simulate every correlation column of the 2AFC boards, each number of images once."""
    sets = {
        f"{image_set.dataset}/correlation": (image_set.images, 1)
        for image_set in (*comparing.RATED_SETS, *comparing.NEWLY_RATED_SETS)
    }
    for rule in comparing.FINE_RULES:
        sets |= {f"{rule.split}/{group}/correlation": rule.sizes for group in rule.groups}
    levels = {size: coin_flips(*size, judges=judges, seed=seed) for size in sorted(set(sets.values()))}
    return {key: levels[size] for key, size in sets.items()}


def coin_flips(images: int, rankings: int, *, judges: int = JUDGES, seed: int = COIN_FLIP_SEED) -> Estimate:
    """Mean correlation over some rankings of some images by a judge who flips coins, as the 2AFC paper computes it.

    The pairs are the paper's twelve rounds; the human scores are evenly spread, as the paper chose its images to be.
    """
    rng = np.random.default_rng(seed)
    pairs, human = coarse_rounds(images).reshape(-1, 2), np.linspace(0, 100, images)

    def level(replicates: int) -> Estimate:
        drawn = flip_coins(pairs, human, {"correlation": _correlation}, rng, replicates=replicates)
        return replace(levels({"": drawn})["correlation"], n=images)

    if rankings == 1:
        return level(judges)
    means = [level(rankings).value for _ in range(judges)]
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
    return plcc(fit_as_published(stretched, human)(stretched), human)


def main(path: str) -> None:
    """Write the simulated levels to a file."""
    document = {
        "what": "Correlation with human scores that judges flipping coins reach in the 2AFC protocol: "
        "mean and 95 % range over the judges",
        "command": f"python -m tools.coin_flips {path}",
        "judges": JUDGES,
        "seed": COIN_FLIP_SEED,
        "levels": {key: _rounded(level).to_json() for key, level in simulate().items()},
    }
    Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _rounded(level: Estimate) -> Estimate:
    value, low, high = (None if number is None else round(number, 4) for number in (level.value, level.low, level.high))
    return Estimate(value, low, high, level=level.level, n=level.n, method=level.method, note=level.note)


if __name__ == "__main__":
    main(sys.argv[1])
