"""What the clauses of a reply say of the choices, and the one choice that follows: explicit answers first.

A bare name answers only where nothing else in its sentence is left unread: "The second image, hands down" does, "The
first image, which is blurry, is not good" does not. After a correction only what follows it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from qbench.parsing.clauses import Clause
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.patterns import StatementKind
from qbench.parsing.phrases import set_of
from qbench.parsing.tokens import BEYOND

FindingKind: TypeAlias = StatementKind | Literal["lead", "blamed", "doubted", "unclear", "retracted"]
"""A statement of the grammar, or: a name before a colon that may be the answer; something bad, or a denial, said of
one; something that is not understood; a correction."""
INTRODUCING = set_of("OPENER DEGREE CONCLUDE SAY I WHICH IT IS EVIDENT WOULD AND COLON NOT LIKE TO THE ANSWER TICK")
"""Classes of clauses that only lead to an answer."""
SAID_FIRST = set_of("yes yeah yep no nope")
"""Answers that an explanation follows without more ado: "Yes, there is blur"."""
DECISIONS = frozenset(["answer", "verdict", "bare"])
AMBIGUOUS: Parsed[int] = Parsed(reason="ambiguous", how="phrase")


@dataclass(frozen=True)
class Finding:
    """What one clause says."""

    kind: FindingKind
    choices: frozenset[int] = frozenset()
    """Of a decision the one choice decided for; several, or none, where it names more than one."""
    letter: bool = False
    conclusive: bool = False
    """Announced as final: "Therefore", "Final answer"."""
    conceded: bool = False
    """Granted to the other side: "although ..."."""
    contrasted: bool = False
    """After "but" or "however"."""
    praising: bool = False
    """Of what is not understood, whether it holds words of praise."""
    sentence: int = 0


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
    lenient = (
        not any(before.tokens for before, _ in said[:place])
        and named is not None
        and (named.source == "letter" or named.words in SAID_FIRST)
    )
    reasoning = False
    end = clause.tokens[-1]
    if place and named is not None and end.kind == "DEGREE" and clause.tokens[-2] is named and "by " not in end.words:
        return False  # "image 1 is noisy, image 2 moderately"
    for other, (neighbour, found) in enumerate(said):
        turned = neighbour.link == "CONTRAST" and any(token.kind == "ITEM" for token in neighbour.tokens)
        reasoning = other > place and not turned and (reasoning or neighbour.link in {"BECAUSE", "CONCEDE"})
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


def after_corrections(findings: Sequence[Finding]) -> list[Finding]:
    """What is said after the last correction that decides anew; a retraction without a new decision leaves doubt."""
    marks = [place for place, finding in enumerate(findings) if finding.kind == "retracted"]
    for place in reversed(marks):
        if any(finding.kind in {*DECISIONS, "tie"} for finding in findings[place:]):
            return [finding for finding in findings[place:] if finding.kind != "retracted"]
    if marks and any(finding.kind in DECISIONS for finding in findings[: marks[-1]]):
        return [Finding("answer")]
    return [finding for finding in findings if finding.kind != "retracted"]


def decide_option(findings: Sequence[Finding]) -> Parsed[int] | None:
    """The choice that explicit answers agree on; ambiguous where they differ, None where there are none."""
    decisions = [finding for finding in findings if finding.kind in DECISIONS] or _single_lead(findings)
    standing = [finding for finding in decisions if not finding.conceded] or decisions
    final = [finding for finding in standing if finding.conclusive]
    found = agree(map(_as_parsed, final[-1:] or standing))
    if found is None or found.value is None:
        return found
    last = max(place for place, finding in enumerate(findings) if finding in decisions)
    after = [
        finding
        for place, finding in enumerate(findings)
        if place > last or finding.kind != "rejected" or finding.sentence == findings[last].sentence
    ]
    rejected = frozenset[int]().union(*(finding.choices for finding in after if finding.kind == "rejected"))
    doubted = any(
        finding.kind == "unclear" and finding.contrasted and found.value not in finding.choices and not finding.letter
        for finding in findings[last:]
    )
    blamed = any(_is_blamed(finding, after) for finding, after in pairwise(findings) if finding in decisions)
    return AMBIGUOUS if found.value in rejected or doubted or blamed else found


def _is_blamed(decision: Finding, after: Finding) -> bool:
    """Whether a name is no decision but the head of what is wrong with it: "In short: image 1 - heavy noise"."""
    same = after.choices == decision.choices and after.sentence == decision.sentence
    return same and after.kind == "blamed" and decision.conclusive and not after.conceded


def _single_lead(findings: Sequence[Finding]) -> list[Finding]:
    """A name before a colon that begins the reply ("B: the edges are soft"), where it is the only one."""
    leads = [finding for finding in findings if finding.kind == "lead"]
    return leads if len(leads) == 1 and leads[0].sentence == 0 else []


def _as_parsed(finding: Finding) -> Parsed[int]:
    if len(finding.choices) != 1:
        return AMBIGUOUS
    (choice,) = finding.choices
    how = "phrase" if finding.kind != "bare" else "letter" if finding.letter else "text"
    return Parsed(reason="out of range", how=how) if choice == BEYOND else Parsed(choice, how=how)
