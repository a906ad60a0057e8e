"""Answers that people give to a study: one file a person, never changed, kept and sent as submissions are.

answers/ab/<digest of study and person>.json
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Strict

from leaderboard.store.submission import Versioned

ANSWERS = "answers"
STUDY_NAME = re.compile(r"[a-z0-9]{12}")
PERSON = re.compile(r"[0-9a-f]{32}")

Choice = tuple[str, str, Literal["first", "second", "tie"]]
"""The photo on the left, the one on the right, and which was chosen."""


@dataclass(frozen=True)
class StudyAnswers(Versioned):
    """What one person answered in one study; nothing says who it was."""

    study: str
    person: str
    """A number that the person's browser drew."""
    answered_at: str
    """ISO time with its zone."""
    seconds: Annotated[float, Strict()]
    choices: tuple[Choice, ...]
    """In the order they were asked."""

    def __post_init__(self) -> None:
        if not STUDY_NAME.fullmatch(self.study) or not PERSON.fullmatch(self.person):
            raise ValueError("study or person is no name of one")

    @property
    def digest(self) -> str:
        """Names study and person, so that nobody answers twice."""
        return hashlib.sha256(f"{self.study} {self.person}".encode()).hexdigest()


AllowAnswers = Callable[[tuple[StudyAnswers, ...]], None]
"""Told every answer to the study that there is, while nobody else can add one; raises UserError to refuse one more."""
