"""Measure how many replies a second are read: `python -m tests.bench.parsing`.

The replies are those of the table of readings (`tests/data/replies.json`), taken in turn, with their options and
questions. Each kind is timed on its own in seconds of the processor, best of several rounds; the share that took more
than 10 ms is printed too, for what is slow is long.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from qbench.parsing import parse_option, parse_preference

REPLIES = json.loads((Path(__file__).parents[1] / "data" / "replies.json").read_text(encoding="utf-8"))
READERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "option": lambda row: parse_option(row["reply"], row["options"], row.get("question", "")),
    "preference": lambda row: parse_preference(row["reply"], row.get("question", "")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Replies read a second.")
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    print("kind          replies  seconds  replies a second  over 10 ms")
    for kind, read in READERS.items():
        rows = [row for row in REPLIES if row["kind"] == kind]
        asked = list(islice(cycle(rows), options.replies))
        best, slow = float("inf"), 0
        for _ in range(options.rounds):
            times = []
            for row in asked:
                began = time.process_time()
                read(row)
                times.append(time.process_time() - began)
            if sum(times) < best:
                best, slow = sum(times), sum(each > 0.01 for each in times)
        print(f"{kind:<12} {len(asked):8,} {best:8.1f} {len(asked) / best:17,.0f} {slow / len(asked):11.2%}")


if __name__ == "__main__":
    main()
