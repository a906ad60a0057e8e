"""All figures about speed and size beside their targets, as one table: `python -m bench [--quick]`.

Each group has a command of its own with a description of what is measured: `python -m bench.visitors`, `.boards`,
`.statistics`, `.client`, `.servers`, `.study`. Lines are printed as they come, and the whole again at the end.
`--quick` is a tenth of the sizes and one round of the first three, to try it: the targets are for the whole.
`--markdown FILE` writes the table for a document. What needs a GPU stands there with the command that measures it.
"""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from bench import boards, client, servers, statistics, study, visitors
from bench.figure import Figure, machine, markdown_table, print_table

Group = Callable[[], Iterable[Figure]]
NO_GPU = "needs a GPU; on one: python -m bench.gpu"
ON_A_GPU = tuple(
    Figure(name, None, target, True, note=NO_GPU)
    for name, target in (
        ("one word-logit question an image, times the loop's rate", 3),
        ("7B in bfloat16: share of the GPU's peak", 0.4),
    )
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes; not client, servers and study")
    parser.add_argument("--photos", type=Path, default=study.PHOTOS, help="of the study: photos and mos.json")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    options = parser.parse_args()
    told = machine()
    print(told)
    found = list(_measured(_quick() if options.quick else _whole(options.photos)))
    told = f"{datetime.now(timezone.utc).date().isoformat()}, {told}"
    print(f"\n{told}\n")
    print_table(found)
    if options.markdown:
        options.markdown.write_text(f"{told}.\n\n{markdown_table(found)}", encoding="utf-8")


def _whole(photos: Path) -> dict[str, Group]:
    return {
        "boards": boards.figures,
        "statistics": statistics.figures,
        "visitors": visitors.figures,
        "client": client.figures,
        "servers": servers.figures,
        "study": partial(study.figures, photos),
    }


def _quick() -> dict[str, Group]:
    print("a tenth of the sizes, one round: the targets are for the whole")
    return {
        "boards": partial(boards.figures, submissions=2000, models=200),
        "statistics": partial(statistics.figures, rows=10_000, draws=100, comparisons=100_000),
        "visitors": partial(visitors.figures, seconds=1, rounds=1, requests=1000),
    }


def _measured(groups: dict[str, Group]) -> Iterator[Figure]:
    """The figures of all groups, each printed as it comes; one group that fails hides no other."""
    for name, group in groups.items():
        try:
            for figure in group():
                print_table([figure])
                yield figure
        except Exception as fault:  # noqa: BLE001
            traceback.print_exc()
            yield Figure(f"{name}: the group broke off", None, 0, note=f"{type(fault).__name__}: {fault}")
    yield from ON_A_GPU


if __name__ == "__main__":
    main()
