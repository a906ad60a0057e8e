"""Spaces with ZeroGPU, which lends its GPU to one call at a time; elsewhere none of this changes anything."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from qbench.errors import UserError

FIRST_SECONDS = 60
"""Asked for the first batch of a model, whose weights may have to be moved first."""
SECONDS = (10, 120)
"""The least and the most that are asked for; who asks for less is served sooner."""

Given = ParamSpec("Given")
ResultT = TypeVar("ResultT")


def is_here() -> bool:
    """Whether this is a Space with ZeroGPU, as its package tells it."""
    there = importlib.util.find_spec("spaces") is not None
    return there and bool(importlib.import_module("spaces.config").Config.zero_gpu)


def on_gpu(answer: Callable[Given, ResultT], duration: Callable[Given, int]) -> Callable[Given, ResultT]:
    """A function that runs where the GPU is, in another process; `duration` gives the seconds that it may take."""
    if importlib.util.find_spec("spaces") is None:
        return answer
    decorated: Callable[Given, ResultT] = importlib.import_module("spaces").GPU(answer, duration=duration)
    return decorated


def seconds_to_ask_for(prompts: int, pace: float | None, left: float | None) -> int:
    """How long a batch may take: three times what it would at the slowest pace so far, and no more than is left.

    Args:
        prompts: How many the batch has.
        pace: Seconds a prompt, as far as known.
        left: Seconds that whoever asks may still use; None where they are not limited.
    """
    least, most = SECONDS
    wanted = FIRST_SECONDS if pace is None else min(max(math.ceil(3 * pace * prompts), least), most)
    return wanted if left is None else max(min(wanted, math.ceil(left)), 1)


@contextmanager
def refusals_told() -> Iterator[None]:
    """Say what ZeroGPU says, such as that the visitor's quota is used up, as a person's mistake is said."""
    try:
        yield
    except Exception as fault:
        if not str(getattr(fault, "title", "")).startswith("ZeroGPU"):
            raise
        raise UserError(f"{fault.title}: {getattr(fault, 'message', fault)}") from None  # type: ignore[attr-defined]
