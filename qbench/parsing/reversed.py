"""Replies to "which is noisier?" in the words of "which is better?", so that one grammar reads both.

What is asked for becomes what is better, its opposite what is worse, and what is said of other attributes says nothing.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from qbench.parsing.attribute_words import attribute_choices, named_parts, parts_of, tokens_of
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.meaning import plain
from qbench.parsing.phrases import set_of
from qbench.parsing.standouts import asked_end

_COMPARING = set_of("better nicer superior preferable")
_PARTS = set_of("up down high low amount sign flaw")

_BAD_AT = {
    "sharpness": -1,
    "detail": -1,
    "contrast": -1,
    "saturation": -1,
    "light": -1,
    "naturalness": -1,
    "quality": -1,
}
"""The end of an attribute at which an image is worse; of others the high one."""
_WORDS = {
    ("up", True): "better",
    ("up", False): "worse",
    ("high", True): "sharp",
    ("high", False): "blurry",
    ("amount", True): "detail",
    ("amount", False): "noise",
}
"""Words of quality for a comparative, for what something is, and for what it has, where that is asked for or not."""


@lru_cache(maxsize=1024)
def asks_for_worse(question: str) -> tuple[str, int] | None:
    """The attribute and the end that a question asks for, where that is the worse end."""
    asked = asked_end(question)
    return asked if asked and asked[1] == _BAD_AT.get(asked[0], 1) else None


@lru_cache(maxsize=1024)
def asks_for_worst(question: str) -> bool:
    """Whether a question asks which is worse as a whole, or less of what is good: "less natural", "more degraded"."""
    tokens = tokens_of(in_english(clean(question), {}))
    kinds = {token.kind for token in tokens}
    good = any(_BAD_AT.get(attribute) == -1 for token in tokens for attribute, _ in parts_of(token))
    return "WORSE" in kinds or ("LESS" in kinds and good) or {"MORE", "BAD"} <= kinds


def as_quality(reply: str, attribute: str, end: int) -> str:
    """A reply with what is asked for as praise and its opposite as blame."""

    def put(phrase: re.Match[str]) -> str:
        part = _phrases().get(phrase[0].casefold(), {}).get(attribute)
        if part is None:
            return "otherwise"
        kind = "up" if part in {"up", "down"} else "high" if part in {"high", "low"} else "amount"
        return _WORDS[kind, (part not in {"down", "low", "flaw"}) == (end > 0)]

    return _pattern().sub(put, plain(reply))


@cache
def _phrases() -> dict[str, dict[str, str]]:
    """The phrases of the table, each with the attributes that it speaks of."""
    phrases: dict[str, dict[str, str]] = {word: {} for word in _COMPARING}
    for phrase, places in attribute_choices().names.meanings.items():
        speaking = {about: part for about, part in named_parts(places) if about and part in _PARTS}
        if speaking:
            phrases[" ".join(phrase)] = speaking
    return phrases


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, _phrases()), key=len, reverse=True)
    return re.compile(rf"(?i)(?<![^\W_])(?:{'|'.join(longest_first)})(?![^\W_])")
