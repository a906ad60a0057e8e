"""Write the lists of the demo sets anew: `python -m tools.demo`. Figures on a list that changes are not comparable."""

from __future__ import annotations

import json
from dataclasses import asdict

from qbench.datasets.demo import LISTS
from tools.demo.sets import DEMO_SETS


def list_of(name: str) -> str:
    """The list of a set as it is stored: its SHA-256 stands in every record."""
    rows = [asdict(sample) for sample in DEMO_SETS[name]()]
    for row in rows:  # lists name a reference image as they name a description
        row["reference"] = row["images"][0] if row.pop("has_reference") else row["reference"]
    return json.dumps(rows, sort_keys=True, ensure_ascii=False)


def main() -> None:
    """Write every list."""
    for name in DEMO_SETS:
        (LISTS / f"{name}.json").write_text(list_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
