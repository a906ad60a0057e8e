"""What reading a reply gives: a value or a reason, and the rule that decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

T = TypeVar("T")
Reason = Literal["empty", "refused", "ambiguous", "unparseable", "out of range"]


@dataclass(frozen=True)
class Parsed(Generic[T]):
    """A value or a reason, never both and never neither."""

    value: T | None = None
    reason: Reason | None = None
    how: str = ""
    """The rule that decided: letter, text, phrase, mention, statement, tie, number or score."""

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError(f"a parsed reply has a value or a reason, not {self.value!r} and {self.reason!r}")


def agree(found: Iterable[Parsed[T] | None]) -> Parsed[T] | None:
    """What several readings of one reply come to: the same thing, ambiguous, or None where there is none."""
    readings = [reading for reading in found if reading is not None]
    if len({(reading.value, reading.reason) for reading in readings}) > 1:
        return Parsed(reason="ambiguous", how=readings[0].how)
    return readings[0] if readings else None
