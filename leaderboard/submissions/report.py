"""What is said about an upload: every problem with its place, or what was computed and how much it covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from qbench.records import Result


@dataclass(frozen=True)
class UploadProblem:
    """What is wrong with one file."""

    file: str
    sentence: str
    """The problem and the fix."""
    places: tuple[str, ...] = ()
    """Records that are wrong, each with its number and line, as far as they are listed."""
    more: int = 0
    """How many are not listed."""
    expected: str = ""
    """What records of this kind look like."""
    example: str = ""


@dataclass(frozen=True)
class Coverage:
    """How much of a dataset the results are about."""

    dataset: str
    scored: int
    missing: int
    part: str = ""
    """How much of the dataset it is, in words; empty for all of it."""


@dataclass(frozen=True)
class Report:
    """What is said about an upload."""

    kinds: tuple[str, ...] = ()
    """What was recognised."""
    problems: tuple[UploadProblem, ...] = ()
    results: tuple[Result, ...] = ()
    """As they would stand in the store; kept to the server where `private`."""
    coverage: tuple[Coverage, ...] = ()
    remarks: tuple[str, ...] = ()
    by_load: bool = False
    """Time or memory ran out, so that it says nothing lasting of the file."""
    private: bool = False
    """Some of it was scored against private answers: its figures are told on the board alone."""
    said: Mapping[str, str] = field(default_factory=dict)
    """Field of the form -> what the file says there."""

    @property
    def accepted(self) -> bool:
        """Whether it can be handed in as it is."""
        return bool(self.results) and not self.problems

    def to_json(self) -> dict[str, Any]:
        """For scripts; without figures where the answers are private."""
        return {
            "accepted": self.accepted,
            "kinds": list(self.kinds),
            "problems": [
                {("problem" if name == "sentence" else name): told for name, told in vars(problem).items()}
                for problem in self.problems
            ],
            "coverage": [{**vars(part), "part": part.part or None} for part in self.coverage],
            "remarks": list(self.remarks),
            "private": self.private,
            "results": [] if self.private else [result.to_json() for result in self.results],
        }
