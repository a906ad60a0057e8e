"""Tables that compare items column by column, as what they say of each item in turn.

"| Aspect | Image 1 | Image 2 |" over "| Noise | Low | High |" says "Image 1: Low Noise." and "Image 2: High Noise.".
"""

from __future__ import annotations

import re

_TABLE = re.compile(r"(?m)(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){3,}")
_RULE = re.compile(r"[\s:|-]+\Z")
_PLACES = frozenset(["first", "second", "left", "right"])
_COLUMNS = 3
_TOTAL = frozenset(["total", "overall", "average", "mean", "sum", "overall score", "total score", "final score"])
"""A column of aspects and one for each of two items."""


def by_columns(reply: str) -> str:
    """The reply with its tables of an aspect and two items in each row as sentences about the items."""
    return _TABLE.sub(_sentences, reply) if "|" in reply else reply


def _sentences(table: re.Match[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table[0].splitlines()]
    head, *body = [row for row in rows if not _RULE.match("|".join(row))]
    if len(head) != _COLUMNS or any(len(row) != _COLUMNS for row in body):
        return table[0]
    head = [f"{item} image" if item.casefold() in _PLACES else item for item in head]
    if total := [row for row in body if row[0].strip("* ").casefold() in _TOTAL]:
        return "\n" + "\n".join(f"{item} scores {total[-1][place]}." for place, item in enumerate(head) if place) + "\n"
    told = [f"{item}: {row[place]} {row[0]}." for place, item in enumerate(head) if place for row in body]
    return "\n" + "\n".join(told) + "\n"
