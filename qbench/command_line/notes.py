"""What stands on stderr beside the records that a command prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from qbench.commands.run import why_in_full
from qbench.commands.text import printable
from qbench.models import Model
from qbench.records import Result, Sample

_TOLD = ("note", "left_out")
"""Keys of a protocol."""


def tell_notes(results: Sequence[Result]) -> None:
    """What the reader of a record must know stands on stderr too, each sentence once."""
    told = (f"{result.protocol[key]}" for result in results for key in _TOLD if key in result.protocol)
    for note in dict.fromkeys(told):
        print(f"qbench: {printable(note)}", file=sys.stderr)


def tell_slow_reading(task: str, samples: Sequence[Sample], model: Model) -> None:
    """Where prompts show several images and the model reads each prompt in full, say so and why, once."""
    if why := why_in_full(task, samples, model):
        said = f"{model.name} reads every pair in full: {why}; answers are the same, and take longer (docs/cluster.md)"
        print(f"qbench: {printable(said)}", file=sys.stderr)
