"""What may be chosen, and the words that name each choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import marks_for
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.phrases import Phrase, PhraseTable

Indices = frozenset[int]

_WORD = re.compile(r"\d+(?:[.,/]\d+)*|'s\b|[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)*")
_ARTICLE = re.compile(r"\A\W*(?:[Tt]he|[Aa]n|a|A(?= [a-z]))\s+(?=\w)")
_PLAIN = re.compile(r"[A-Za-z ]{1,40}\.?\Z")
LONGEST_KEPT = 200
"""Characters of a wording whose words are kept in mind; few are longer."""


@dataclass(frozen=True)
class Choices:
    """How each choice may be called."""

    count: int
    letters: int
    """How many option letters there are, from A; 0 where letters mean nothing."""
    names: PhraseTable[Indices]
    """Wordings that count wherever they stand."""
    short: Mapping[str, int]
    """Single words that name a choice only where nothing else can be meant, such as "2" after "Answer:"."""
    joined: Mapping[str, Indices]
    """Every wording, its words run together, for replies that are nothing else."""
    texts: bool
    """Whether the wordings are texts of options, whose words may come in other forms, and not names of places."""
    foreign: Mapping[str, str]
    """Wordings in Chinese or Japanese, and the marks that stand for them once the words around them are translated."""


def choices_of(
    wordings: Sequence[Iterable[str]],
    *,
    letters: int = 0,
    short: Sequence[Iterable[str]] = (),
    alone: Sequence[Iterable[str]] = (),
    texts: bool = False,
) -> Choices:
    """Index every wording of each choice; wordings that two choices share point to both.

    Single letters are no names: in running text "a" and "I" are words. What stands `alone` names a choice where it is
    all of a reply.
    """
    foreign = marks_for(wording for group in wordings for wording in group)
    names: dict[Phrase, Indices] = {}
    joined: dict[str, Indices] = {}
    for index, group in enumerate(wordings):
        for wording in group:
            phrase = _words_of_wording(wording)
            joined["".join(phrase)] = joined.get("".join(phrase), frozenset()) | {index}
            if wording in foreign:
                phrase = (foreign[wording],)
            if len("".join(phrase)) > 1 or "".join(phrase).isdigit() or wording in foreign:
                names[phrase] = names.get(phrase, frozenset()) | {index}
    brief = {word: index for index, group in enumerate(short) for word in group}
    joined.update((word, frozenset([index])) for word, index in brief.items())
    joined.update(("".join(words_of(said)), frozenset([index])) for index, group in enumerate(alone) for said in group)
    joined.pop("", None)
    names.pop((), None)
    return Choices(len(wordings), letters, PhraseTable(names), brief, joined, texts, foreign)


def whole(text: str, choices: Choices) -> Parsed[int] | None:
    """`text` is the wording of a choice and nothing else, but for case, punctuation, spacing and an article."""
    indices = choices.joined.get("".join(words_of(text)), frozenset())
    return agree(Parsed(index, how="text") for index in indices)


def named_plainly(reply: str, choices: Choices) -> Parsed[int] | None:
    """The choice of a raw reply that is its wording in plain letters, as most short replies are."""
    return whole(reply, choices) if _PLAIN.match(reply) else None


def words_of(text: str) -> Phrase:
    """The words of a text without a leading article, which the letter in "A. Low" and "A Low" is not."""
    return tuple(_WORD.findall(_ARTICLE.sub("", text).casefold()))


def _words_of_wording(wording: str) -> Phrase:
    """The words of a choice as its author wrote it; the same wordings come again with question after question."""
    return _words_kept(wording) if len(wording) <= LONGEST_KEPT else words_of(clean(wording))


@lru_cache(maxsize=4096)
def _words_kept(wording: str) -> Phrase:
    return words_of(clean(wording))
