"""The metric beside the progress bar: what the answers so far come to, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qbench.records import Estimate, Presented, Response, Sample, Score
from qbench.results.means import summarise_accuracy
from qbench.results.pair_figures import consistency
from qbench.results.quality import running_srcc
from qbench.stats.pairwise import Comparisons
from qbench.tasks import Ask, Chosen, Task, find_task

Preview = Callable[[Sequence[tuple[Ask, Response]]], "Estimate | None"]
"""Takes in new answers and returns the metric so far, or None while there is none."""
_GROWTH = 1.01
"""The metric is computed anew once there are so many times the answers, for it looks at all of them."""


def running_metric(task: Task, samples: Sequence[Sample], chosen: Chosen) -> Preview:
    """What follows a task's metric while it runs; of a task without one, what never returns a number."""
    if task.running is None or task.reader is None:
        return lambda _answers: None
    read, metric, by_id = task.reader, task.running, {sample.id: sample for sample in samples}
    part = "part" if all("part" in sample.groups for sample in samples) else None
    known: list[Score] = []
    presented: list[Presented] = []
    told: list[tuple[int, Estimate | None]] = [(0, None)]

    def measured() -> Estimate | None:
        if metric == "srcc":
            return running_srcc(known, part)
        found = summarise_accuracy(known) if metric == "accuracy" else consistency(Comparisons.of_presented(presented))
        return found if found.n else None

    def preview(answers: Sequence[tuple[Ask, Response]]) -> Estimate | None:
        for ask, response in answers:
            found = read(by_id.get(ask.sample), ask, response, chosen)
            if isinstance(found, Presented):
                presented.append(found)
            elif found is not None and found.is_known:
                known.append(found)
        answered = len(known) + len(presented)
        if answered > _GROWTH * told[-1][0]:
            told[:] = [(answered, measured())]
        return told[-1][1]

    return preview


def metric_name(task: str) -> str:
    """What the running metric of a task is called; empty where it has none."""
    running = find_task(task).running or ""
    return "SRCC" if running == "srcc" else running
