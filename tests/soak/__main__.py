"""`python -m tests.soak [--kills 200] [--seed 0]`: minutes, in a temporary folder, without the network."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.soak.kills import kill_runs, kill_writers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="in all; one in ten of them of runs (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    runs = asked.kills // 10
    with TemporaryDirectory() as name:
        told = kill_writers(Path(name, "store"), asked.kills - runs, asked.seed)
        print(
            f"store: {told.kills} kills of two writers and a reviewer; {told.acknowledged} acknowledged, all there once"
        )
        told = kill_runs(Path(name, "runs"), runs, asked.seed)
        print(
            f"run: {told.kills} kills; {told.acknowledged} answers, each there once, and the record is that of no kill"
        )


if __name__ == "__main__":
    main()
