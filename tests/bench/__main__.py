"""All figures about speed and size beside their targets, as one table: `python -m tests.bench`.

Each group has a command of its own with a description of what is measured: `python -m tests.bench.visitors`, `.boards`,
`.statistics`, `.servers`, `.study`.
"""

from __future__ import annotations

from tests.bench import boards, servers, statistics, study, visitors
from tests.bench.figure import machine, print_table


def main() -> None:
    print(machine())
    for group in (boards, statistics, visitors, servers, study):
        print_table(group.figures())


if __name__ == "__main__":
    main()
