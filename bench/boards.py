"""Measure large stores and boards: `python -m bench.boards [--submissions 20000] [--models 2000]`.

A folder of submissions is read by a process that starts; one more is handed in. A board of made-up models, shares of
2,990 items with rank intervals in 50 columns, is built from records. Seconds are those of the processor, which other
programs disturb less than those that pass.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench import table
from bench.figure import Figure, machine, print_table
from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, records_of
from leaderboard.store.folders import Reader, place
from leaderboard.store.submission import Submission, record_bytes
from qbench.records import Result
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result


def seconds(work: Callable[[], object]) -> float:
    """Of the processor."""
    start = time.process_time()
    work()
    return time.process_time() - start


def write(folder: Path, made: Submission) -> None:
    path = folder / place("submissions", made.digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(record_bytes(made))


def store(submissions: int) -> list[Figure]:
    """Reading a folder of submissions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(submissions):
            figures = (result(f"model-{number}", dataset, srcc=number / submissions) for dataset in "ab")
            write(folder, submission(f"model-{number}", results=tuple(figures)))
        reader = Reader(folder)
        whole = seconds(reader.load)
        write(folder, submission("one more"))
        more = seconds(reader.load)
    return [
        Figure(f"{submissions:,} stored submissions are read", whole, 6, unit="s"),
        Figure("the same after one more", more, 0.5, unit="s", note="each file is looked at for changes"),
    ]


def board(models: int, columns: int = 50) -> list[Figure]:
    """A board from records."""
    table.COLUMNS = columns
    made = table.make_board()
    shares = tuple(
        replace(column, metric=replace(column.metric, direction="higher", proportion=True)) for column in made.columns
    )
    made = replace(made, columns=shares)
    results = [_share(result) for result in table.make_results(models, np.random.default_rng(0))]
    spent = seconds(
        lambda: Snapshot(Loaded(records_of(results), (), "bench"), (made,), table.make_model).payload(made.key)
    )
    return [Figure(f"a board of {models:,} models x {columns} columns from records", spent, 4, unit="s")]


def _share(result: Result) -> Result:
    """Its figure as a share of so many items."""
    figure = result.metrics["srcc"]
    n, value = (None, None) if figure.value is None else (2990, abs(figure.value))
    return replace(result, metrics={"srcc": replace(figure, value=value, n=n)})


def figures(submissions: int = 20_000, models: int = 2000) -> list[Figure]:
    """All of them."""
    return [*store(submissions), *board(models)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=20_000)
    parser.add_argument("--models", type=int, default=2000)
    options = parser.parse_args()
    print(machine())
    print_table(figures(options.submissions, options.models))


if __name__ == "__main__":
    main()
