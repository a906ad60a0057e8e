"""What a task asks, and what it leaves behind.

A plan is a generator that yields batches of `Ask`, is sent the responses in the same order, and returns an `Outcome`.
It does not know which model answers, how answers are cached, or how many are asked at once; a task that needs earlier
answers to choose later questions (rounds of comparisons, a judge) simply yields again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from qbench.records import Presented, Prompt, Response, Score


@dataclass(frozen=True)
class Ask:
    """One prompt about one sample, or about two that are compared."""

    sample: str
    """Its id, as raw answers name it."""
    prompt: Prompt
    of: Literal["model", "judge"] = "model"
    pair: tuple[str, str] | None = None
    """Ids of the two samples that are compared, in the order they are shown."""

    @classmethod
    def of_pair(cls, first: str, second: str, prompt: Prompt) -> Ask:
        """One prompt that shows two samples in this order."""
        return cls(f"{first}\n{second}", prompt, pair=(first, second))


@dataclass(frozen=True)
class Outcome:
    """What a task leaves behind for `results` to turn into records."""

    scores: Mapping[str, Sequence[Score]] = field(default_factory=dict)
    """Metric name -> scores, e.g. accuracy, completeness, quality."""
    variants: Mapping[str, Mapping[str, Sequence[Score]]] = field(default_factory=dict)
    """Grouping -> group -> the same responses scored another way, e.g. strategy -> argmax."""
    presented: Sequence[Presented] = ()
    """Comparisons in asking order."""
    rounds: Sequence[int] = ()
    """How many comparisons had been presented after each round."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Sample -> what the model wrote, where that is itself a result (descriptions)."""
    presentations: int | None = None
    """How many times alternatives were shown; None where that is not known."""
    simulate_chance: bool = False
    """Whether to ask judges who flip coins the same comparisons, which takes seconds."""
    keep: Callable[[str, Callable[[], Any]], Any] = lambda _name, compute: compute()
    """Gives what they said of the same comparisons before, or has it computed."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sample -> its options in the order they were shown (multiple-choice questions)."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Metric name -> why it was not measured."""
    protocol: Mapping[str, Any] = field(default_factory=dict)


Plan = Generator[Sequence[Ask], Sequence[Response], Outcome]
