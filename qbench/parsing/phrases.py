"""Phrases and their classes: the notation of the word tables, and the longest phrase that a text has at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import product
from typing import Generic, TypeVar

from qbench.parsing.qualities import QUALITIES
from qbench.parsing.vocabulary import ANSWERING

T = TypeVar("T")
Phrase = tuple[str, ...]

_PART = re.compile(r"\[([^\]]*)\]|([^\s\[\]]+)")


def expand(pattern: str) -> Iterator[Phrase]:
    """Every phrase that a pattern such as "of/between [the] two" stands for."""
    choices: list[list[Phrase]] = []
    for optional, word in _PART.findall(pattern):
        if word:
            choices.append([(alternative,) for alternative in word.split("/")])
        else:
            choices.append([(), *expand(optional)])
    for parts in product(*choices):
        yield sum(parts, ())


def set_of(row: str) -> frozenset[str]:
    """The names of a row as a set: of word classes, or of words."""
    return frozenset(row.split())


class PhraseTable(Generic[T]):
    """Phrases with a meaning each, found by their words."""

    def __init__(self, meanings: Mapping[Phrase, T]) -> None:
        self.meanings = meanings
        self._lengths: dict[str, list[int]] = {}
        for phrase in sorted(meanings, key=len, reverse=True):
            lengths = self._lengths.setdefault(phrase[0], [])
            if len(phrase) not in lengths:
                lengths.append(len(phrase))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of all phrases."""
        return frozenset(word for phrase in self.meanings for word in phrase)

    def longest(self, words: Sequence[str], start: int) -> tuple[int, T] | None:
        """The number of words and the meaning of the longest phrase that begins at `start`."""
        for length in self._lengths.get(words[start], ()):
            phrase = tuple(words[start : start + length])
            meaning = self.meanings.get(phrase)
            if meaning is not None and len(phrase) == length:
                return length, meaning
        return None


@cache
def class_table() -> PhraseTable[str]:
    """The classes of both vocabularies."""
    meanings: dict[Phrase, str] = {}
    for table in (ANSWERING, QUALITIES):
        for name, patterns in table.items():
            for pattern in re.sub(r"/\s+", "/", patterns).split(","):
                meanings.update((phrase, name) for phrase in expand(pattern) if phrase)
    return PhraseTable(meanings)
