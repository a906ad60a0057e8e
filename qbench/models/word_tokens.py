"""The tokens of a word in the position where it would be said.

" good", "good", "▁good" and "Ġgood" are different tokens; the right ones are those by which the tokenizer itself would
lengthen the text before the word.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

OPENING_MARKS = '([{<"“‘«'
"""What a word follows without a space."""


@dataclass(frozen=True)
class Continuation:
    """A word after a context."""

    text: str
    """The word with the space before it, where there is one."""
    tokens: tuple[int, ...]
    note: str | None = None


def tokenise_word(tokenizer: Any, context: str, word: str) -> Continuation:
    """Tokenise a word as the continuation of a context.

    Where the tokenizer would join the word's beginning to the context's last token, the context is kept as the model
    sees it and the word is taken by itself, with a note, if that makes it one token; else it has none.
    """
    text = space_between(context, word) + word
    tokens = _added(tokenizer, context, text)
    if tokens is None:
        joined = f"the tokenizer would join {word!r} to the text before it"
        alone = _added(tokenizer, "\n", text) or ()
        if len(alone) != 1:
            return Continuation(text, (), f"{joined} and splits it by itself")
        return Continuation(text, alone, f"{joined}; it was taken by itself")
    if not tokens or getattr(tokenizer, "unk_token_id", None) in tokens:
        return Continuation(text, (), f"the tokenizer has no tokens for {word!r}")
    return Continuation(text, tokens)


def _added(tokenizer: Any, context: str, text: str) -> tuple[int, ...] | None:
    """Tokens that a text adds to a context; None where it changes the context's own."""
    before, whole = _tokens(tokenizer, context), _tokens(tokenizer, context + text)
    return tuple(whole[len(before) :]) if whole[: len(before)] == before else None


def _tokens(tokenizer: Any, text: str) -> list[int]:
    tokens: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return tokens


def space_between(context: str, word: str) -> str:
    if not context or not word or context[-1].isspace() or word[0].isspace() or context[-1] in OPENING_MARKS:
        return ""
    without = any(unicodedata.east_asian_width(letter) in "WF" for letter in (context[-1], word[0]))
    return "" if without else " "
