"""Run a plan against a function, without cache or batching."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from qbench.records import Response, Sample
from qbench.tasks import Ask, Outcome, Plan

TEXT = frozenset({"text"})


def drive(plan: Plan, answer: Callable[[Ask], Response]) -> Outcome:
    """Send every ask to the function until the plan is done."""
    try:
        asks = next(plan)
        while True:
            asks = plan.send([replace(answer(ask), sample=ask.sample) for ask in asks])
    except StopIteration as stop:
        return stop.value


def photos(folder: Path, greys: Sequence[int], **fields) -> list[Sample]:
    """One flat grey image for each level, rated by that level."""
    samples = []
    for number, grey in enumerate(greys):
        path = folder / f"{number}.png"
        Image.new("RGB", (8, 8), (grey, grey, grey)).save(path)
        samples.append(Sample(id=f"{number}", images=(str(path),), human=float(grey), **fields))
    return samples
