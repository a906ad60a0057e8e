"""The papers whose figures stand on the boards, as BibTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Paper:
    """One entry of a bibliography."""

    urls: tuple[str, ...]
    """Addresses that sources of its figures give."""
    bibtex: str


def read_papers(path: Path) -> tuple[Paper, ...]:
    """Every entry of a BibTeX file; entries start with `@` at the beginning of a line."""
    entries = re.split(r"^(?=@)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return tuple(
        Paper(tuple(re.findall(r"https?://[^\s,{}]+", entry)), entry.strip()) for entry in entries if entry[:1] == "@"
    )
