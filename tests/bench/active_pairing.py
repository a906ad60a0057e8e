"""How many comparisons active pairing needs for what 12 random rounds reach, on the 2AFC study's image lists.

    python -m tests.bench.active_pairing [--data FOLDER] [--seeds N] [--sets koniq10k,spaq]

The judge sees each image's human score with Thurstone noise, drawn anew each time an image is shown; the noise is given
in standard deviations of the human scores. A biased judge answers "second" without looking in some of the cases.
Correlation is the study's (MAP scores against human scores after the logistic fit), averaged over seeds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from qbench.pairing import ROUNDS, both_orders, coarse_rounds
from qbench.stats.pairwise import Comparisons, paired_orders
from qbench.summary import comparison as comparison_summary
from qbench.tasks.active import ActivePairs

JUDGES = {
    "no noise": (0.0, 0.0),
    "noise 0.2": (0.2, 0.0),
    "noise 0.4": (0.4, 0.0),
    "noise 0.6": (0.6, 0.0),
    "noise 0.2, 30 % second": (0.2, 0.3),
}
SHARES = np.linspace(0.1, 0.7, 61)
Rows = list[tuple[int, int, str]]
Judge = Callable[[Sequence[tuple[int, int]]], list[str]]


def make_judge(human: np.ndarray, noise: float, bias: float, rng: np.random.Generator) -> Judge:
    spread = noise * human.std()

    def answer(first: int, second: int) -> str:
        if rng.random() < bias:
            return "second"
        seen = human[[first, second]] + spread * rng.standard_normal(2)
        return "first" if seen[0] > seen[1] else "second"

    return lambda pairs: [answer(first, second) for first, second in pairs]


def agreement(rows: Rows, human: np.ndarray) -> tuple[float, float, float]:
    """Correlation, SRCC and consistency of what was answered so far."""
    names = [str(item) for item in range(len(human))]
    answers = ((str(first), str(second), choice) for first, second, choice in rows)
    comparisons = Comparisons.of(answers, items=names)
    metrics = comparison_summary.ranking_points(comparisons, dict(zip(names, human.tolist(), strict=True)))
    consistency = float(paired_orders(comparisons).consistent.mean())
    return metrics["correlation"].value or 0.0, metrics["srcc"].value or 0.0, consistency


def random_rounds(human: np.ndarray, judge: Judge, seed: int) -> Rows:
    pairs = [(int(first), int(second)) for first, second in both_orders(coarse_rounds(len(human), ROUNDS, 1000 * seed))]
    return [(*pair, choice) for pair, choice in zip(pairs, judge(pairs), strict=True)]


def active_curve(human: np.ndarray, judge: Judge, seed: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlation and SRCC at each share of what 12 random rounds ask."""
    schedule, rows, shares, curve = ActivePairs(len(human), seed), [], [0.0], [(0.0, 0.0)]
    while len(rows) < most * SHARES[-1]:
        pairs = schedule.propose()
        choices = judge(pairs)
        schedule.learn(pairs, choices)
        rows += [(*pair, choice) for pair, choice in zip(pairs, choices, strict=True)]
        shares.append(len(rows) / most)
        curve.append(agreement(rows, human)[:2])
    return tuple(np.interp(SHARES, shares, column) for column in zip(*curve, strict=True))


def needed(curves: np.ndarray, target: float) -> str:
    reached = np.flatnonzero(curves.mean(axis=0) >= target)
    return f"{SHARES[reached[0]]:.2f}" if len(reached) else f">{SHARES[-1]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sets", default="koniq10k,spaq,MM21,LIVEC,kadis700k,SQAD")
    options = parser.parse_args()
    lists = json.loads((options.data / "twoafc" / "Coarse_grained_mixed.json").read_text())
    print("ratio: comparisons that active pairing needs / those of 12 random rounds")
    print(f"{'set':<10} {'judge':<24} {'kappa':>5} {'rho, 12 rounds':>15} {'ratio':>6} {'srcc':>6} {'ratio':>6}")
    for name in options.sets.split(","):
        human = np.array([float(row["gt_score"]) for row in lists[name]])
        for label, (noise, bias) in JUDGES.items():
            most = 2 * (len(human) // 2) * ROUNDS
            random, active = [], []
            for seed in range(options.seeds):
                judge = make_judge(human, noise, bias, np.random.default_rng(seed))
                random.append(agreement(random_rounds(human, judge, seed), human))
                judge = make_judge(human, noise, bias, np.random.default_rng(1000 + seed))
                active.append(active_curve(human, judge, seed, most))
            rho, srcc, kappa = np.mean(random, axis=0)
            curves = np.array(active).swapaxes(0, 1)
            print(
                f"{name:<10} {label:<24} {kappa:>5.2f} {rho:>15.3f} {needed(curves[0], rho):>6}"
                f" {srcc:>6.3f} {needed(curves[1], srcc):>6}",
                flush=True,
            )


if __name__ == "__main__":
    main()
