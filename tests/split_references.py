"""Where published figures come from, as fields: `python -m tests.split_references` splits references written as prose.

A reference was one text of title, table and row. Records keep the three apart; what is split already stays as it is.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from qbench.assets import assets_folder

_ROW = re.compile(r", (?=(?:rows?|columns?|block|first row|second row|unnamed row|section|IQA_outputs)\b)")
_TABLE = re.compile(r", (?=Tables? )")
_COMMA = re.compile(r", (?![^(]*\))")
"""Outside brackets."""
_REFERENCE = re.compile(r""""reference": ("(?:[^"\\]|\\.)*")(,\s*)(?=")(?!"table"|"row")""")


def split_reference(reference: str) -> dict[str, str]:
    """Title, table and row of a reference in prose, those that it has."""
    whole, *rows = _ROW.split(reference, maxsplit=1)
    title, *table = (_TABLE if _TABLE.search(whole) else _COMMA).split(whole, maxsplit=1)
    found = {"reference": title, "table": "".join(table), "row": "".join(rows)}
    return {name: text for name, text in found.items() if text}


def files() -> list[Path]:
    """Every file of records from papers, and of those recomputed from what a paper released."""
    assets = assets_folder()
    return sorted([*(assets / "published").glob("*/table_*.json"), *(assets / "recomputed/results").rglob("*.json")])


def rewritten(text: str) -> str:
    """The text of a file with every reference in fields, laid out as it was."""

    def fields(found: re.Match[str]) -> str:
        split = split_reference(json.loads(found[1]))
        return "".join(f'"{name}": {json.dumps(part, ensure_ascii=False)}{found[2]}' for name, part in split.items())

    return _REFERENCE.sub(fields, text)


def main() -> None:
    """Write every file anew."""
    for path in files():
        path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
