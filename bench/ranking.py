"""Measure the rankings: against the obvious optimiser, at scale, and against packages that do the same job.

Run from the repository root: `python -m bench.ranking`. Ratios compare times of one run on one machine; a time is
the least of several repeats, except where one takes seconds.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import choix
import numpy as np
import trueskill
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import norm

from qbench.pairing import both_orders, coarse_rounds
from qbench.stats.pairwise import Comparisons, PairOutcome, count_votes, win_matrix
from qbench.stats.ranking import BETA, DRAW_PROBABILITY, MEAN, METHODS, SD, TAU, map_scores, trueskill_scores


def judged(n: int, pairs: np.ndarray, rng: np.random.Generator) -> Comparisons:
    """A noisy judge's answers about n items whose quality is standard normal."""
    quality = rng.normal(size=n)
    first, second = pairs.T
    wins = rng.random(len(pairs)) < ndtr(quality[first] - quality[second])
    names = tuple(f"item-{number}" for number in range(n))
    return Comparisons(names, first, second, np.where(wins, PairOutcome.FIRST, PairOutcome.SECOND).astype(np.int8))


def least_seconds(run: Callable[[], object], repeats: int = 10) -> float:
    def once() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return min(once() for _ in range(repeats))


def against_the_obvious_optimiser(rng: np.random.Generator) -> None:
    """160 items, 12 rounds in both orders, the paper's objective as its released code minimises it."""
    comparisons = count_votes(judged(160, both_orders(coarse_rounds(160)), rng), "consistent").counted
    wins = win_matrix(comparisons).toarray()

    def loss(s: np.ndarray) -> float:
        return -np.sum(wins * norm.logcdf(s[:, None] - s)) + np.sum(s**2) / 2

    def slope(s: np.ndarray) -> np.ndarray:
        difference = s[:, None] - s
        pull = wins * np.exp(norm.logpdf(difference) - norm.logcdf(difference))
        return -pull.sum(axis=1) + pull.sum(axis=0) + s

    start = time.perf_counter()
    obvious = minimize(loss, rng.random(160), method="SLSQP", constraints={"type": "eq", "fun": np.sum})
    obvious_seconds = time.perf_counter() - start
    exact = minimize(
        loss, np.zeros(160), jac=slope, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-9, "maxiter": 9999}
    )
    ours = map_scores(comparisons).scores
    seconds = least_seconds(lambda: map_scores(comparisons))
    with_intervals = least_seconds(lambda: map_scores(comparisons).low)
    print(f"MAP, 160 items, 12 rounds, {len(comparisons)} consistent pairs")
    print(f"  ours                     {seconds * 1e3:9.1f} ms   objective {loss(ours):.9f}")
    print(f"  ours with intervals      {with_intervals * 1e3:9.1f} ms")
    print(
        f"  SLSQP, as released       {obvious_seconds * 1e3:9.1f} ms   objective {obvious.fun:.9f}   {obvious.message}"
    )
    print(f"  ratio {obvious_seconds / seconds:.0f}")
    print(f"  largest difference to L-BFGS, tightly converged: {np.abs(ours - exact.x).max():.1e}")
    print(f"  largest difference to SLSQP where it stopped:    {np.abs(ours - obvious.x).max():.1e}")


def at_scale(rng: np.random.Generator) -> None:
    """10,000 items; the cost of more comparisons."""
    print("MAP, 10,000 items")
    for rounds in (6, 12, 24):
        comparisons = judged(10_000, coarse_rounds(10_000, rounds).reshape(-1, 2), rng)
        seconds = least_seconds(lambda given=comparisons: map_scores(given), repeats=3)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        each = seconds / len(comparisons) * 1e6
        print(f"  {len(comparisons):7,} comparisons {seconds:6.2f} s, {each:.1f} us each; peak memory {peak:.0f} MiB")


def against_choix(rng: np.random.Generator) -> None:
    """Bradley-Terry without regularisation."""
    comparisons = judged(200, coarse_rounds(200, 200).reshape(-1, 2), rng)
    won = comparisons.outcome == PairOutcome.FIRST
    winner = np.where(won, comparisons.first, comparisons.second)
    loser = np.where(won, comparisons.second, comparisons.first)
    data = np.column_stack([winner, loser]).tolist()
    ours = METHODS["bt"](comparisons).scores
    seconds = least_seconds(lambda: METHODS["bt"](comparisons))
    print(f"Bradley-Terry, 200 items, {len(comparisons):,} comparisons: ours {seconds * 1e3:.1f} ms")
    for name, run in {
        "choix.ilsr_pairwise": lambda: choix.ilsr_pairwise(200, data, tol=1e-10),
        "choix.opt_pairwise": lambda: choix.opt_pairwise(200, data, tol=1e-10),
    }.items():
        start = time.perf_counter()
        theirs = run()
        taken = time.perf_counter() - start
        difference = np.abs(ours - (theirs - theirs.mean())).max()
        print(f"  {name:20} {taken * 1e3:9.1f} ms   ratio {taken / seconds:6.1f}   largest difference {difference:.1e}")


def against_trueskill(rng: np.random.Generator) -> None:
    """The same sequence of comparisons."""
    comparisons = judged(1_000, coarse_rounds(1_000, 10).reshape(-1, 2), rng)
    game = trueskill.TrueSkill(MEAN, SD, BETA, TAU, DRAW_PROBABILITY, backend="scipy")

    def theirs() -> list[float]:
        ratings = [game.create_rating() for _ in comparisons.items]
        for i, j, outcome in zip(comparisons.first, comparisons.second, comparisons.outcome, strict=True):
            winner, loser = (i, j) if outcome == PairOutcome.FIRST else (j, i)
            ratings[winner], ratings[loser] = trueskill.rate_1vs1(ratings[winner], ratings[loser], env=game)
        return [rating.mu for rating in ratings]

    ours = trueskill_scores(comparisons).scores
    seconds = least_seconds(lambda: trueskill_scores(comparisons), repeats=3)
    start = time.perf_counter()
    reference = theirs()
    taken = time.perf_counter() - start
    print(f"TrueSkill, 1,000 items, {len(comparisons):,} comparisons: ours {seconds * 1e3:.1f} ms")
    print(f"  trueskill package    {taken * 1e3:9.1f} ms   ratio {taken / seconds:6.1f}   largest difference", end=" ")
    print(f"{np.abs(ours - reference).max():.1e}")


def main() -> None:
    rng = np.random.default_rng(0)
    at_scale(rng)
    against_the_obvious_optimiser(rng)
    against_choix(rng)
    against_trueskill(rng)


if __name__ == "__main__":
    main()
