"""From what the clauses say to one choice: explicit answers first, and the last word after a correction."""

from __future__ import annotations

from collections.abc import Sequence

from qbench.parsing.finding import Finding
from qbench.parsing.outcome import Parsed, agree
from qbench.parsing.tokens import BEYOND

_DECISIONS = frozenset(["answer", "verdict", "bare"])
AMBIGUOUS: Parsed[int] = Parsed(reason="ambiguous", how="phrase")


def after_corrections(findings: Sequence[Finding]) -> list[Finding]:
    """What is said after the last correction that decides anew; a retraction without a new decision leaves doubt."""
    marks = [place for place, finding in enumerate(findings) if finding.kind == "retracted"]
    for place in reversed(marks):
        if any(finding.kind in _DECISIONS for finding in findings[place:]):
            return [finding for finding in findings[place:] if finding.kind != "retracted"]
    if marks and any(finding.kind in _DECISIONS for finding in findings[: marks[-1]]):
        return [Finding("answer")]
    return [finding for finding in findings if finding.kind != "retracted"]


def decide_option(findings: Sequence[Finding]) -> Parsed[int] | None:
    """The choice that explicit answers agree on; ambiguous where they differ, None where there are none."""
    decisions = [finding for finding in findings if finding.kind in _DECISIONS] or _single_lead(findings)
    standing = [finding for finding in decisions if not finding.conceded] or decisions
    final = [finding for finding in standing if finding.conclusive]
    found = agree(map(_as_parsed, final[-1:] or standing))
    if found is None or found.value is None:
        return found
    rejected = frozenset[int]().union(*(finding.choices for finding in findings if finding.kind == "rejected"))
    last = max(place for place, finding in enumerate(findings) if finding in decisions)
    doubted = any(
        finding.kind == "unclear" and finding.contrasted and found.value not in finding.choices and not finding.letter
        for finding in findings[last:]
    )
    return AMBIGUOUS if found.value in rejected or doubted else found


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
