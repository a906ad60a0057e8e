"""Whether a bare name answers: only where nothing else in its sentence is left unread.

"The second image, hands down" answers; "The first image, which is blurry, is not good" does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qbench.parsing.clauses import Clause
from qbench.parsing.finding import Finding
from qbench.parsing.phrases import set_of

INTRODUCING = set_of("OPENER DEGREE CONCLUDE SAY I WHICH IT IS EVIDENT WOULD AND COLON NOT LIKE TO THE ANSWER")
"""Classes of clauses that only lead to an answer."""
SAID_FIRST = set_of("yes yeah yep no nope")
"""Answers that an explanation follows without more ado: "Yes, there is blur"."""


def settle(said: Sequence[tuple[Clause, list[Finding]]], count: int) -> list[Finding]:
    """The findings of a sentence; a bare name is one only where nothing else in the sentence is left unread."""
    findings = [finding for _, found in said for finding in found]
    for place, (_, found) in enumerate(said):
        if found and found[0].kind == "bare" and not _stands(place, said, count):
            findings = [replace(finding, kind="unclear") if finding is found[0] else finding for finding in findings]
    return findings


def _stands(place: int, said: Sequence[tuple[Clause, list[Finding]]], count: int) -> bool:
    clause, (bare, *_) = said[place]
    named = next((token for token in clause.tokens if token.kind == "ITEM"), None)
    lenient = place == 0 and named is not None and (named.source == "letter" or named.words in SAID_FIRST)
    reasoning = False
    for other, (neighbour, found) in enumerate(said):
        if other == place:
            continue
        reasoning = other > place and (reasoning or neighbour.link in {"BECAUSE", "CONCEDE"})
        contrasted = clause.link == "CONTRAST"
        if not (reasoning or _leaves_standing(neighbour, found, bare, count, lenient=lenient, contrasted=contrasted)):
            return False
    return True


def _leaves_standing(
    clause: Clause, found: Sequence[Finding], bare: Finding, count: int, *, lenient: bool, contrasted: bool
) -> bool:
    """Whether a clause beside a bare name says nothing against it."""
    if not found:
        quiet = all(token.kind in INTRODUCING for token in clause.tokens) or clause.aside
        named = any(token.kind in {"ITEM", "GROUP"} for token in clause.tokens)
        return (
            quiet
            or lenient
            or (contrasted and not named)
            or clause.link == "BECAUSE"
            or clause.tokens[0].kind in {"WITH", "PREP"}
        )
    kind, same = found[0].kind, found[0].choices == bare.choices
    if kind in {"rejected", "blamed", "doubted"}:
        return not same and bool(found[0].choices) and (count == 2 or contrasted or clause.link != "" or lenient)
    if kind in {"unclear", "bare"}:
        return same
    return kind not in {"verdict", "answer", "aspect"} or same
