"""Table V of the 2AFC paper by simulation: which method of ranking agrees best with people, on studies of its size.

    python -m tests.bench.rank_aggregation [--data FOLDER] [--studies N]

The answers behind the table are not public. A simulated judge sees the study's own human scores with an error of its
own, which stays, and noise, drawn anew for every presentation; both are set so that its consistency and accuracy come
to those that Table II prints for GPT-4V. Its 12 rounds are ranked by every method, and correlated as the paper does it
(scores stretched to 0-100, four-parameter logistic, Pearson). Printed: the mean correlation over the studies that the
method can rank, how many it cannot, and what the paper prints.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import rankdata, zscore

from qbench.datasets.known import find_dataset
from qbench.errors import UndefinedError
from qbench.pairing import coarse_rounds
from qbench.stats.pairwise import Comparisons, PairOutcome
from qbench.stats.ranking import METHODS
from qbench.summary.comparison import RANKING_AGREEMENT

ROOT = Path(__file__).resolve().parents[2]
PRINTED = ROOT / "assets" / "published" / "twoafc"
JUDGE = "gpt-4v"


def answers(quality: np.ndarray, noise: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of 12 rounds; whether the first won as shown, and as shown the other way round."""
    pairs = coarse_rounds(len(quality)).reshape(-1, 2)
    seen = quality[pairs] + noise * rng.standard_normal((2, len(pairs), 2))
    forward, backward = seen[..., 0] > seen[..., 1]
    return pairs, forward, backward


def shares(human: np.ndarray, own: float, noise: float, judges: int = 40) -> tuple[float, float]:
    """Mean consistency and joint accuracy of judges with so much error of their own and so much noise."""
    found = []
    for seed in range(judges):
        rng = np.random.default_rng(seed)
        pairs, forward, backward = answers(judged(human, own, rng), noise, rng)
        truth = human[pairs[:, 0]] > human[pairs[:, 1]]
        decided = human[pairs[:, 0]] != human[pairs[:, 1]]
        consistent = forward == backward
        found.append((consistent.mean(), (consistent & (forward == truth))[decided].mean()))
    return tuple(np.mean(found, axis=0).tolist())


def judged(human: np.ndarray, own: float, rng: np.random.Generator) -> np.ndarray:
    """The quality that a judge believes in: people's scores and an error of its own, of unit variance together."""
    return np.cos(own) * zscore(human) + np.sin(own) * rng.standard_normal(len(human))


def calibrated(human: np.ndarray, consistency: float, accuracy: float) -> tuple[float, float]:
    """Error and noise of a judge with this consistency and joint accuracy."""

    def noise_for(own: float) -> float:
        return float(brentq(lambda noise: shares(human, own, noise)[0] - consistency, 0.01, 5, xtol=1e-3))

    own = brentq(lambda own: shares(human, own, noise_for(own))[1] - accuracy, 0.0, np.pi / 2, xtol=1e-3)
    return float(own), noise_for(own)


def correlations(human: np.ndarray, own: float, noise: float, studies: int) -> dict[str, np.ndarray]:
    """Method -> correlation in each study; NaN where it ranks nothing."""
    agreement: Callable[[np.ndarray, np.ndarray], float] = RANKING_AGREEMENT["correlation"]
    names = tuple(map(str, range(len(human))))
    found = {name: np.full(studies, np.nan) for name in METHODS}
    for study in range(studies):
        rng = np.random.default_rng(1000 + study)
        pairs, forward, backward = answers(judged(human, own, rng), noise, rng)
        kept = forward == backward
        outcome = np.where(forward[kept], PairOutcome.FIRST, PairOutcome.SECOND).astype(np.int8)
        comparisons = Comparisons(names, pairs[kept, 0], pairs[kept, 1], outcome)
        for name, method in METHODS.items():
            try:
                found[name][study] = agreement(method(comparisons).scores, human)
            except UndefinedError:
                continue
    return found


def printed(table: str) -> dict[tuple[str, str], dict[str, float]]:
    rows = json.loads((PRINTED / table).read_text())
    return {
        (row["dataset"], row["protocol"].get("ranking", "map")): {
            name: estimate["value"] for name, estimate in row["metrics"].items()
        }
        for row in rows
        if row["model"] == JUDGE
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--studies", type=int, default=60)
    options = parser.parse_args()
    lists = json.loads((options.data / "twoafc" / "Coarse_grained_mixed.json").read_text())
    coarse, table_v = printed("table_02_coarse.json"), printed("table_05_rank_aggregation.json")
    heads = "".join(f"{name:>24}" for name in METHODS)
    print(
        f"mean correlation (studies without a ranking, of {options.studies}) | the paper's Table V\n{'set':<11}{heads}"
    )
    places: list[dict[str, float]] = []
    for listed, rows in lists.items():
        facts = find_dataset(listed)
        assert facts is not None
        human = np.array([float(row["gt_score"]) for row in rows])
        target = next(figures for (dataset, _), figures in coarse.items() if dataset == facts.name)
        judge = calibrated(human, target["consistency"], target["accuracy_joint"])
        found = correlations(human, *judge, options.studies)
        cells = []
        for name, values in found.items():
            lost = int(np.isnan(values).sum())
            mean = "    –" if lost == len(values) else f"{np.nanmean(values):.3f}"
            paper = table_v.get((facts.name, name.removesuffix("-bounded")), {}).get("correlation")
            cells.append(f"{mean} ({lost:2})" + (" |      " if paper is None else f" | {paper:.3f}"))
        print(f"{facts.name:<11}" + "".join(f"{cell:>24}" for cell in cells), flush=True)
        means = {name: float(np.nanmean(values)) for name, values in found.items() if np.isfinite(values).any()}
        places.append(dict(zip(means, rankdata([-mean for mean in means.values()]).tolist(), strict=True)))
    everywhere = set.intersection(*map(set, places))
    mean_place = {name: np.mean([place[name] for place in places]) for name in METHODS if name in everywhere}
    print("mean place " + "".join(f"{mean_place.get(name, np.nan):>24.1f}" for name in METHODS))


if __name__ == "__main__":
    main()
