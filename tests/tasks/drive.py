"""Run a plan against a function, without cache or batching."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from qbench.records import Response, Result, Sample, Source, Want
from qbench.results import build_results
from qbench.tasks import TASKS, Ask, Chosen, Outcome, Plan, RunOptions

TEXT = frozenset({"text"})


def drive(plan: Plan, answer: Callable[[Ask], Response]) -> Outcome:
    """Send every ask to the function until the plan is done."""
    try:
        asks = next(plan)
        while True:
            asks = plan.send([replace(answer(ask), sample=ask.sample) for ask in asks])
    except StopIteration as stop:
        return stop.value


def chosen(task: str, wants: frozenset[Want], *, judge: bool = False, **options: Any) -> Chosen:
    """How a task asks a model that offers this."""
    return TASKS[task].choose(wants, RunOptions(**options), judged=judge)


def record_of(task: str, outcome: Outcome, samples: Sequence[Sample]) -> Result:
    """The record that a task's outcome makes."""
    [result] = build_results(outcome, Result(task, "set", "model", {}, Source("live"), outcome.protocol), samples)
    return result


def photos(folder: Path, greys: Sequence[int], **fields) -> list[Sample]:
    """One flat grey image for each level, rated by that level."""
    samples = []
    for number, grey in enumerate(greys):
        path = folder / f"{number}.png"
        Image.new("RGB", (8, 8), (grey, grey, grey)).save(path)
        samples.append(Sample(id=f"{number}", images=(str(path),), human=float(grey), **fields))
    return samples
