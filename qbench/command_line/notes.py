"""What stands on stderr beside the records that a command prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from qbench.commands.run import why_in_full
from qbench.commands.text import printable
from qbench.models import Model
from qbench.records import Result, Sample


def tell_notes(results: Sequence[Result]) -> None:
    """What the reader of a record must know stands on stderr too, each sentence once."""
    for note in dict.fromkeys(str(result.protocol["note"]) for result in results if "note" in result.protocol):
        print(f"qbench: {printable(note)}", file=sys.stderr)


def tell_slow_reading(task: str, samples: Sequence[Sample], model: Model) -> None:
    """Where prompts show several images and the model reads each prompt in full, say so and why, once."""
    if why := why_in_full(task, samples, model):
        said = f"{model.name} reads every pair in full: {why}; answers are the same, and take longer (docs/cluster.md)"
        print(f"qbench: {printable(said)}", file=sys.stderr)
