"""What a task leaves behind -> `Result` records, one builder for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qbench.records import Result, Sample
from qbench.results import accuracy, comparison_records, descriptions, quality
from qbench.tasks import TASKS, Outcome
from qbench.tasks.task import ResultKind

Builder = Callable[[Outcome, Result, Sequence[Sample]], list[Result]]

BUILDERS: Mapping[ResultKind, Builder] = {
    "questions": accuracy.build_questions,
    "descriptions": descriptions.build,
    "quality": quality.build,
    "comparisons": comparison_records.build,
    "choices": accuracy.build_choices,
    "searches": accuracy.build_retrieval,
}


def build_results(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> list[Result]:
    """Records of an outcome, with what they have in common: one, or for comparisons one for each set of images."""
    return BUILDERS[TASKS[base.task].result](outcome, base, samples)
