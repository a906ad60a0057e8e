"""What one clause of a reply says of the choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from qbench.parsing.patterns import StatementKind

FindingKind: TypeAlias = StatementKind | Literal["lead", "blamed", "doubted", "unclear", "retracted"]
"""A statement of the grammar, or: a name before a colon that may be the answer; something bad, or a denial, said of
one; something that is not understood; a correction."""


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
