"""Environment -> one frozen Settings; read once, by `app.py` and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """Everything about this installation that is not code."""

    assets: Path
    results: Path
    """Folder of results beside the published ones; need not exist."""
    space: str | None = None
    """`owner/name` of the Hugging Face Space this runs in."""

    @property
    def link(self) -> str | None:
        """Where links to a view start; None for the address the page was opened at."""
        return f"https://huggingface.co/spaces/{self.space}" if self.space else None


def read_settings(environment: Mapping[str, str], root: Path) -> Settings:
    """Settings of an installation whose files lie under `root`."""
    return Settings(
        assets=root / "assets",
        results=Path(environment.get("QBENCH_RESULTS") or root / "results"),
        space=environment.get("SPACE_ID") or None,
    )
