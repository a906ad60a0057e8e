"""The grammar of a clause: patterns over word classes, and what a clause that fits one of them says.

A pattern is matched against the whole clause, so every word of it is understood; a clause with a word too many fits
nothing and says nothing. Class names are those of the word tables; `ITEM` is a choice that is named, `@ITEM` the one
that the clause decides for. `?`, `*`, `+`, `|` and brackets mean what they mean in regular expressions, over classes
instead of characters; `{NAME}` is a fragment; `ANY` is any class that leaves a statement standing, `GOOD_ANY`
one that moreover says nothing bad.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from qbench.parsing.patterns import BLAMING, FRAGMENTS, LEADING_NOT, LOOSE_STATEMENTS, PATTERNS, SPOILING, StatementKind
from qbench.parsing.phrases import set_of
from qbench.parsing.qualities import QUALITIES
from qbench.parsing.tokens import Token
from qbench.parsing.vocabulary import ANSWERING

_MARK_CLASSES = sorted(
    set_of("TICK CROSS ITEM GROUP CLASH LISTING COLON ASK POSSESSIVE NUMBER WORD OPEN CLOSE COMMA STOP DASH")
)
_CODES = {name: chr(ord("Ā") + place) for place, name in enumerate([*_MARK_CLASSES, *ANSWERING, *QUALITIES])}
"""One letter for each class, so that a clause is a string and a pattern a regular expression over it."""
_NAME = re.compile(r"@?[A-Z_]+")
_ENTRY = re.compile(r"(?m)^ {4}(\S[^:\n]*): (.*(?:\n {8}.*)*)")
_LONGEST = 60
"""Tokens of a clause that is still read."""


@dataclass(frozen=True)
class Match:
    """A pattern that fits a clause."""

    statement: StatementKind
    pattern: str
    item: Token | None


def match_clause(tokens: Sequence[Token], *, loose: bool = False) -> Match | None:
    """What the first pattern that fits says, or None; a `loose` one may begin with words that are not known."""
    if len(tokens) > _LONGEST:
        return None
    found = _first_that_fits("".join(_CODES[token.kind] for token in tokens), loose)
    if found is None:
        return None
    statement, name, place = found
    return Match(statement, name, None if place is None else tokens[place])


@lru_cache(maxsize=2**16)
def _first_that_fits(shape: str, loose: bool) -> tuple[StatementKind, str, int | None] | None:
    """Statement and name of the first pattern that fits, and the place of its choice; the same shapes come again."""
    for name, statement, pattern in _compiled(loose):
        if found := pattern.fullmatch(shape):
            return statement, name, found.start("item") if "item" in pattern.groupindex else None
    return None


@cache
def _compiled(loose: bool) -> tuple[tuple[str, StatementKind, re.Pattern[str]], ...]:
    return tuple(
        (name, statement, re.compile(_translate(pattern.replace("{LEAD}", "LEADING*") if loose else pattern)))
        for statement, table in PATTERNS.items()
        if not loose or statement in LOOSE_STATEMENTS
        for name, pattern in _ENTRY.findall(table)
    )


def _translate(pattern: str) -> str:
    while "{" in pattern:
        pattern = re.sub(r"\{([A-Z_]+)\}", lambda m: f"({FRAGMENTS[m[1]]})", pattern)
    spoiling = "".join(_CODES[name] for name in SPOILING.split())
    blaming = "".join(_CODES[name] for name in BLAMING.split())
    codes = {
        **_CODES,
        "ANY": f"[^{spoiling}]",
        "LEADING": f"[^{spoiling}{blaming}{''.join(_CODES[name] for name in LEADING_NOT.split())}]",
        "GOOD_ANY": f"[^{spoiling}{blaming}]",
        "@ITEM": f"(?P<item>{_CODES['ITEM']})",
    }
    classes = _NAME.sub(lambda m: codes[m[0]], pattern)
    return re.sub(r"\((?!\?)", "(?:", re.sub(r"\s+", "", classes))
