"""`python -m tests.soak [--kills 200] [--seed 0]`: minutes, in a temporary folder, without the network."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.soak import commands, faults, kills

SHARES = {
    "writers": (kills.kill_writers, 0.5, "two writers and a reviewer of one folder"),
    "trainings": (commands.kill_trainings, 0.2, "a training; its weights and log are those of no kill"),
    "runs": (kills.kill_runs, 0.1, "a run; its answers are there once, and its record is that of no kill"),
    "apps": (commands.kill_apps, 0.1, "two served apps over one folder, each with an author"),
    "reviews": (commands.kill_reviews, 0.05, "`review decline --source`"),
}
"""What is killed, its share of the kills, and in words."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="in all (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[*SHARES, "faults"], help="one of the parts")
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        for part, (soak, share, said) in SHARES.items():
            if asked.only in (None, part):
                started = time.monotonic()
                told = soak(Path(name, part, "soaked"), max(1, round(asked.kills * share)), asked.seed)
                seconds = time.monotonic() - started
                print(
                    f"{told.kills} kills of {said}: {told.acknowledged} kept, each once ({seconds:.0f} s)", flush=True
                )
    if asked.only in (None, "faults"):
        for line in faults.meet_faults():
            print(line, flush=True)


if __name__ == "__main__":
    main()
