"""Tasks: what to ask a model about samples, and what its responses are worth.

A task is a plan: a generator that yields batches of `Ask`, is sent the responses in the same order, and returns an
`Outcome`. It does not know which model answers, how answers are cached, or how many are asked at once; a task that
needs earlier answers to choose later questions (rounds of comparisons, a judge) simply yields again.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from qbench.records import Presented, Prompt, Response, Score


@dataclass(frozen=True)
class Ask:
    """One prompt about one sample."""

    sample: str
    prompt: Prompt
    of: Literal["model", "judge"] = "model"


@dataclass(frozen=True)
class Outcome:
    """What a task leaves behind for `summary` to turn into estimates."""

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
    absent: Mapping[str, str] = field(default_factory=dict)
    """Metric name -> why it was not measured."""
    protocol: Mapping[str, Any] = field(default_factory=dict)


Plan = Generator[Sequence[Ask], Sequence[Response], Outcome]
