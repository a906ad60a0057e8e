"""All figures about speed and size beside their targets, as one table: `python -m tests.bench [--quick]`.

Each group has a command of its own with a description of what is measured: `python -m tests.bench.visitors`, `.boards`,
`.statistics`, `.servers`, `.study`. `--quick` is a tenth of the sizes and one round of the first three, to try it: the
targets are for the whole.
"""

from __future__ import annotations

import argparse
import traceback
from functools import partial

from tests.bench import boards, servers, statistics, study, visitors
from tests.bench.figure import machine, print_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes; not servers and study")
    quick = parser.parse_args().quick
    print(machine())
    if quick:
        print("a tenth of the sizes, one round: the targets are for the whole")
        groups = [
            partial(boards.figures, submissions=2000, models=200),
            partial(statistics.figures, rows=10_000, draws=100, comparisons=100_000),
            partial(visitors.figures, seconds=1, rounds=1, requests=1000),
        ]
    else:
        groups = [partial(group.figures) for group in (boards, statistics, visitors, servers, study)]
    for group in groups:
        try:
            print_table(group())
        except Exception:  # noqa: BLE001  # one group that fails hides no other
            traceback.print_exc()


if __name__ == "__main__":
    main()
