"""The words of `qbench.parsing.attributes`, found in texts by the tokeniser of replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from qbench.parsing import attributes
from qbench.parsing.choices import Choices
from qbench.parsing.phrases import Phrase, PhraseTable, expand
from qbench.parsing.tokens import Token, tokenise

Part = tuple[str, str]
"""An attribute and one of its kinds of words; for words of amounts, needs and degrees the attribute is empty."""

TABLE_SIZE = 1000
"""More than the rows of the table; further numbers are free for other names."""


@cache
def attribute_choices() -> Choices:
    """All words of attributes, levels, needs and degrees, to be found by the tokeniser."""
    names: dict[Phrase, frozenset[int]] = {}
    for place, (_, _, row) in enumerate(_rows()):
        for pattern in re.sub(r"/\s+", "/", row).split(","):
            for phrase in expand(pattern):
                if phrase:
                    names[phrase] = names.get(phrase, frozenset()) | {place}
    return Choices(len(_rows()), 0, PhraseTable(names), {}, {}, False, {})


@cache
def _rows() -> tuple[tuple[str, str, str], ...]:
    rows = [(name, part, row) for name, parts in attributes.ATTRIBUTES.items() for part, row in parts.items()]
    for name, (up, down) in attributes.COMPARATIVES.items():
        rows += [(name, "up", up), (name, "down", down)]
    rows += [("", level, row) for level, row in attributes.LEVELS.items()]
    others = {
        "need": attributes.NEEDS,
        "hint": attributes.HINTS,
        "ended": attributes.ENDED,
        "mended": attributes.MENDED,
        "intense": attributes.INTENSE,
        "mild": attributes.MILD,
    }
    return (*rows, *(("", part, row) for part, row in others.items()))


@cache
def whole_words() -> frozenset[str]:
    return frozenset(word for part in attributes.WHOLE.split(",") for word in part.split())


def tokens_of(text: str) -> list[Token]:
    return tokenise(text, attribute_choices())


@lru_cache(maxsize=4096)
def named_parts(choices: frozenset[int]) -> tuple[Part, ...]:
    """The rows of the table that the numbers of a token stand for."""
    return tuple(_rows()[place][:2] for place in sorted(choices) if place < TABLE_SIZE)


def parts_of(token: Token) -> tuple[Part, ...]:
    """The attributes that a word speaks of, each with the kind of word it is there."""
    return named_parts(token.choices) if token.kind == "ITEM" else ()


def all_parts(tokens: Sequence[Token]) -> list[Part]:
    return [part for token in tokens for part in parts_of(token)]


def all_words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(word for token in tokens for word in token.words.split())
