"""Measure statistics at scale: the bootstrap of correlations against a plain loop, and a ranking of a million answers.

Run from the repository root: `python -m bench.statistics`. The plain loop calls SciPy's `spearmanr` for each
resample. Both draw the same items, which counts for both, and the largest difference of their values is printed. The
ranking is of 10,000 items by 1,000,000 comparisons, by MAP, in a process of its own, whose peak memory is that of all
it did: reading the file, matching both orders and the solver. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
from scipy.special import ndtr
from scipy.stats import spearmanr

from bench.figure import Figure, machine, print_table
from qbench.formats import read_results
from qbench.stats.bootstrap import bootstrap, srcc_kernel
from qbench.stats.pairwise import Comparisons, count_votes
from qbench.stats.ranking import map_scores


def resampled_correlations(items: int, draws: int) -> list[Figure]:
    """SRCC of resamples of so many items, with and without ties, beside a loop of `spearmanr`."""
    found = []
    rng = np.random.default_rng(0)
    x = rng.normal(size=items)
    for name, y in (("no ties", x + rng.normal(size=items)), ("ratings of 1 to 100", _ratings(x, rng))):
        start = time.process_time()
        ours = bootstrap(srcc_kernel(x, y), items, np.random.default_rng(3), resamples=draws)
        seconds = time.process_time() - start
        again = np.random.default_rng(3)
        start = time.process_time()
        plain = np.array([spearmanr(x[row], y[row]).statistic for row in again.integers(items, size=(draws, items))])
        plain_seconds = time.process_time() - start
        each = f"{seconds / draws * 1e3:.1f} ms each, spearmanr {plain_seconds / draws * 1e3:.1f}"
        found += [
            Figure(
                f"SRCC of {items:,} items resampled, {name}: times quicker",
                plain_seconds / seconds,
                10,
                True,
                note=each,
            ),
            Figure("the same: largest difference", float(np.abs(ours - plain).max()), 1e-12),
        ]
    return found


def _ratings(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.clip(np.round(50 + 15 * (x + rng.normal(size=len(x)))), 1, 100)


def write_comparisons(path: Path, items: int, pairs: int) -> None:
    """Random pairs in both orders, judged with a preference for the better image."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=items)
    first = rng.integers(items, size=pairs)
    second = (first + rng.integers(1, items, size=pairs)) % items
    with path.open("w") as file:
        for left, right in zip(first.tolist(), second.tolist(), strict=True):
            for one, other in ((left, right), (right, left)):
                choice = "first" if rng.random() < ndtr(quality[one] - quality[other]) else "second"
                file.write(json.dumps({"first": f"{one}.jpg", "second": f"{other}.jpg", "choice": choice}) + "\n")


def rank_file(path: Path) -> None:
    """What `python -m qbench rank` does with a file, by its steps."""
    clock = [time.process_time()]
    reading = read_results(path)
    clock.append(time.process_time())
    votes = count_votes(Comparisons.of_presented(reading.presented))
    clock.append(time.process_time())
    ranking = map_scores(votes.counted)
    clock.append(time.process_time())
    read, matched, solved = np.diff(clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # kB on Linux
    name = f"MAP of {len(ranking.items):,} items by {len(reading.presented):,} comparisons"
    note = f"{ranking.iterations} Newton steps; reading {read:.1f} s, matching both orders {matched:.1f} s"
    print(
        json.dumps(
            [
                asdict(Figure(name, float(solved), 10, unit="s", note=note)),
                asdict(Figure("the same: peak memory", peak, 1, unit="GB")),
            ]
        )
    )


def figures(rows: int = 100_000, draws: int = 200, comparisons: int = 1_000_000) -> list[Figure]:
    """All of them."""
    found = resampled_correlations(rows, draws)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "comparisons.jsonl"
        write_comparisons(path, 10_000, comparisons // 2)
        command = [sys.executable, "-m", "bench.statistics", "--rank", str(path)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return found + [Figure(**figure) for figure in json.loads(said)]


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="items of the correlations")
    parser.add_argument("--draws", type=int, default=200, help="resamples")
    parser.add_argument("--comparisons", type=int, default=1_000_000)
    parser.add_argument("--rank", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank:
        rank_file(options.rank)
        return
    print(machine())
    print_table(figures(options.rows, options.draws, options.comparisons))


if __name__ == "__main__":
    main()
