"""What can be chosen for every training run of an embedded model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qbench.models.builtin import WEIGHTS_FOLDER

NANO_IQA, NANO_VLM = WEIGHTS_FOLDER / "nano-iqa", WEIGHTS_FOLDER / "nano-vlm"
"""The scorer that comes with the project, which teaches the others, and the model through whose tower it looks."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What every training has."""

    photos: Path
    """Undamaged photos of 480 pixels or more."""
    out: Path
    """Where the checkpoint goes."""
    seed: int = 0
    device: str = "cpu"

    @property
    def work(self) -> Path:
        """Where the state to resume from lies."""
        return self.out.with_name(f"{self.out.name}.training")
