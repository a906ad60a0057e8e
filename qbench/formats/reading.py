"""What a file of raw results holds, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from qbench.records import Presented, Response, Sample


@dataclass(frozen=True)
class Reading:
    """One file, read and checked on its own; nothing is scored yet."""

    path: Path
    kind: str
    task: str
    samples: Mapping[str, Sample]
    """What was asked, by sample id, with the truth as far as the file holds it."""
    responses: Mapping[str, Response]
    presented: tuple[Presented, ...]
    """Comparisons in asking order; empty for every other kind."""
    status: Mapping[str, int]
    sha256: str
    dataset: str = ""
    """The dataset that the file says it is about; empty where it does not."""
