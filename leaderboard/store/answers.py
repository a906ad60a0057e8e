"""Answers that people give to a study: one file a person, never changed, kept and sent as submissions are.

answers/ab/<digest of study and person>.json
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Strict

from leaderboard.store.files import parse_json, read_limited
from qbench.stored_json import Stored

ANSWERS = "answers"
ANSWERS_SCHEMA = 1
STUDY_NAME = re.compile(r"[a-z0-9]{12}")
PERSON = re.compile(r"[0-9a-f]{32}")
_MOST_READ = 50_000

Choice = tuple[str, str, Literal["first", "second", "tie"]]
"""The photo on the left, the one on the right, and which was chosen."""


@dataclass(frozen=True)
class StudyAnswers(Stored):
    """What one person answered in one study; nothing says who it was."""

    study: str
    person: str
    """A number that the person's browser drew."""
    answered_at: str
    """ISO time with its zone."""
    seconds: Annotated[float, Strict()]
    choices: tuple[Choice, ...]
    """In the order they were asked."""
    schema: Annotated[int, Strict()] = ANSWERS_SCHEMA

    def __post_init__(self) -> None:
        if self.schema != ANSWERS_SCHEMA:
            raise ValueError(f"schema is {self.schema}; this version reads {ANSWERS_SCHEMA}")
        if not STUDY_NAME.fullmatch(self.study) or not PERSON.fullmatch(self.person):
            raise ValueError("study or person is no name of one")

    @property
    def digest(self) -> str:
        """Names study and person, so that nobody answers twice."""
        return hashlib.sha256(f"{self.study} {self.person}".encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "choices": [list(choice) for choice in self.choices]}


AllowAnswers = Callable[[tuple[StudyAnswers, ...]], None]
"""Told every answer to the study that there is, while nobody else can add one; raises UserError to refuse one more."""


def read_answers(roots: Iterable[Path], study: str) -> tuple[StudyAnswers, ...]:
    """Every person's answers to a study, the earliest first; a file that cannot be read is left out."""
    found: dict[str, StudyAnswers] = {}
    for root in roots:
        for path in sorted(root.glob(f"{ANSWERS}/*/*.json")):
            try:
                facts = path.stat()
                answers = _read(path, facts.st_mtime_ns, facts.st_ino)
            except (OSError, ValueError):
                continue
            if answers.study == study:
                found[answers.digest] = answers
    return tuple(sorted(found.values(), key=lambda answers: (answers.answered_at, answers.digest)))


@lru_cache(maxsize=_MOST_READ)
def _read(path: Path, _changed: int, _node: int) -> StudyAnswers:
    answers = StudyAnswers.from_json(parse_json(read_limited(path)))
    if path.stem != answers.digest:
        raise ValueError("holds other answers than its name says")
    return answers
