"""Sentences of a reply and their clauses, each with the word that links it to what is before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qbench.parsing.phrases import set_of
from qbench.parsing.tokens import Token

_LINKS = set_of("COMMA AND BECAUSE CONTRAST WHILE CONCEDE RETRACT DASH OPEN CLOSE")
_SO = set_of("so therefore hence thus consequently")
_STRONG = set_of("BECAUSE CONTRAST WHILE CONCEDE RETRACT")
"""Links that say how a clause bears on the one before; they outlast a comma."""

_UNFINISHED = set_of("AND OR OF THE IS HAS WITH PREP CONTRAST WHILE BECAUSE CONCEDE WHICH TO COLON CONCLUDE")
"""Classes that no reply ends with that was not cut off."""
_EMPTY = set_of("CONCLUDE ANSWER SAY THE THING I IT WOULD WHICH COLON")
_BREAKS = set_of("STOP ASK WHILE CONTRAST BECAUSE")


@dataclass(frozen=True)
class Clause:
    """Tokens between two links."""

    tokens: tuple[Token, ...]
    link: str
    """The class of the link before it; empty at the start of a sentence."""
    aside: bool
    """Whether it is in brackets."""

    @property
    def concludes(self) -> bool:
        """Whether it speaks of what is, after a supposition: "but ...", "so ..."."""
        return self.link == "CONTRAST" or self.tokens[0].words in _SO

    @property
    def supposes(self) -> bool:
        """Whether it sets a condition: "if", "unless"."""
        return any(token.kind == "IF" for token in self.tokens)


@dataclass(frozen=True)
class Sentence:
    """Clauses between two full stops."""

    clauses: tuple[Clause, ...]
    asked: bool
    """A question asserts nothing, above all one the model only repeats."""
    closed: bool
    """Whether a full stop ends it, so that it was not cut off."""

    @property
    def tokens(self) -> Iterator[Token]:
        return (token for clause in self.clauses for token in clause.tokens)


def split_sentences(tokens: Sequence[Token]) -> list[Sentence]:
    """The sentences of a reply; one that breaks off at "and" is as open as a question.

    What is only supposed reaches to a contrast: "If it were brighter I'd take A, but as it is B" makes two sentences.
    """
    sentences: list[Sentence] = []
    start = 0
    cut = bool(tokens) and (tokens[-1].kind in {"AND", "OR", "OF", "THE"} or tokens[-1].words in {"where", "when"})
    for place, token in enumerate([*tokens, Token("ASK" if cut else "STOP", "")]):
        if token.kind in {"STOP", "ASK"}:
            clauses = tuple(_split_clauses(tokens[start:place]))
            asked, closed = token.kind == "ASK", token.words in {".", "!"}
            sentences += [Sentence(part, asked, closed) for part in _after_supposing(clauses)]
            start = place + 1
    return sentences


def cut_off(tokens: Sequence[Token]) -> int | None:
    """Where the end of a reply begins that breaks off or only announces: "... The second image", "Conclude."."""
    end = len(tokens)
    closed = end == 0 or tokens[-1].kind in {"STOP", "ASK"}
    while end and tokens[end - 1].kind in {"STOP", *(set() if closed else _BREAKS)}:
        end -= 1
    start = max((place + 1 for place in range(end) if tokens[place].kind in _BREAKS), default=0)
    last = [token for token in tokens[start:end] if token.kind != "COMMA"]
    if any(token.kind == "RETRACT" for token in last):
        return None
    said = last[max((place for place, token in enumerate(last) if token.kind == "COLON"), default=-1) + 1 :]
    named = [token.source for token in last] == ["text"] and start > 0 and tokens[start - 1].words != "\n"
    unfinished = not closed and (named or tokens[-1].kind in _UNFINISHED)
    return start if start and (unfinished or (bool(said) and all(token.kind in _EMPTY for token in said))) else None


def _after_supposing(clauses: tuple[Clause, ...]) -> Iterator[tuple[Clause, ...]]:
    last = max((place for place, clause in enumerate(clauses) if clause.supposes), default=len(clauses))
    ends = (place for place, clause in enumerate(clauses) if place > last and clause.concludes)
    end = next(ends, len(clauses))
    yield from (part for part in (clauses[:end], clauses[end:]) if part)


def _split_clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    link, depth, start = "", 0, 0
    for place, token in enumerate([*tokens, Token("COMMA", "")]):
        if token.kind == "COLON" and place == start:
            start = place + 1
        if token.kind == "DASH" and start == 0 and [named.kind for named in tokens[:place]] == ["ITEM"]:
            judged = [*tokens[:place], Token("COLON", ":"), *tokens[place + 1 :]]  # "A - incorrect"
            yield from _split_clauses(judged)
            return
        if token.kind in {"TICK", "CROSS"} and any(named.kind == "ITEM" for named in tokens[start:place]):
            yield Clause(tuple(tokens[start : place + 1]), link, aside=depth > 0)
            link, start = "COMMA", place + 1
        granted = token.kind == "COLON" and link == "CONCEDE"  # "though not identical: the second is cleaner"
        if token.kind not in _LINKS and not granted:
            continue
        if place > start or link == "RETRACT":
            yield Clause(tuple(tokens[start:place]), link, aside=depth > 0)
            link = ""
        depth = max(depth + {"OPEN": 1, "CLOSE": -1}.get(token.kind, 0), 0)
        if token.kind in _STRONG or link not in _STRONG or granted:
            adverb = token.kind == "CONCEDE" and tokens[place + 1 : place + 2] and tokens[place + 1].kind == "COMMA"
            link = "CONTRAST" if adverb or granted else token.kind  # "overall, though, ..."
        start = place + 1
