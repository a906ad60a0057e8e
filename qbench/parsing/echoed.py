"""Replies to a question of two that answer in its own words: "The first image shows heavier compression.".

Whatever is asked for, the item that is put in the place of "which image" is the answer. Nothing has to be known of the
words themselves, so this reads what no table has.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from qbench.parsing.choices import choices_of
from qbench.parsing.clauses import Clause, Sentence, split_sentences
from qbench.parsing.cleaning import clean
from qbench.parsing.east_asian import in_english
from qbench.parsing.european import from_european
from qbench.parsing.phrases import set_of
from qbench.parsing.tokens import Token, tokenise

_ASKING = set_of("WHICH THE THING BOTH IS DO HAS WOULD CAN TO OF OR I IT DEGREE SAY SEE WITH AND PREP COLON COMMA")
"""Classes of words that a question and its answer need not share."""
_OPEN = set_of(
    "NOT NEITHER IF DOUBT OTHERS OTHER GROUP CLASH LISTING BOTH EACH NEED WOULD WRONG ELIMINATE CONFIDENCE LESS"
)
_NO_CHOICES = choices_of([])
_FEWEST = 2
"""Words that a question's predicate has at least: "sharper" alone is read elsewhere."""


def echoed(sentences: Sequence[Sentence], question: str) -> int | None:
    """The item that a reply puts in the place of "which image"; None where it is none, or more than one."""
    asked = _predicate(question)
    if asked is None:
        return None
    found = {
        side
        for sentence in sentences
        if not sentence.asked
        for place, clause in enumerate(sentence.clauses)
        if (side := _answering(clause, asked, granted=place == 0 and clause.link == "WHILE")) is not None
    }
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=1024)
def _predicate(question: str) -> frozenset[str] | None:
    """The words that say what is asked for; None where a question does not ask which of two has it."""
    tokens = tokenise(from_european(in_english(clean(question), {})), _NO_CHOICES)
    sentences = [sentence for sentence in split_sentences(tokens) if sentence.asked]
    if len(sentences) != 1 or not any(token.kind == "WHICH" for token in sentences[0].tokens):
        return None
    kinds = {token.kind for token in sentences[0].tokens}
    if kinds & (_OPEN - {"BOTH", "WOULD", "LESS"}):
        return None
    words = _words(sentences[0].clauses[0].tokens)
    return words if len(words) >= _FEWEST else None


def _words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(word for token in tokens if token.kind not in _ASKING for word in token.words.split())


def _answering(clause: Clause, asked: frozenset[str], *, granted: bool) -> int | None:
    tokens = clause.tokens
    end = next((place for place, token in enumerate(tokens) if token.kind in {"THAN", "OVER"}), len(tokens))
    open_ = any(token.kind in _OPEN and not set(token.words.split()) <= asked for token in tokens[:end])
    sides = {choice for token in tokens[:end] if token.kind == "ITEM" for choice in token.choices}
    if granted or open_ or clause.link in {"CONCEDE", "RETRACT"} or len(sides) != 1:
        return None
    return sides.pop() if asked <= _words(tokens[:end]) else None
