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


def read_papers(published: Path) -> tuple[Paper, ...]:
    """Every entry of the BibTeX files beside the published figures; entries start with `@` at the start of a line."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(published.glob("*/paper.bib"))]
    entries = [entry for text in texts for entry in re.split(r"^(?=@)", text, flags=re.MULTILINE)]
    return tuple(
        Paper(tuple(re.findall(r"https?://[^\s,{}]+", entry)), entry.strip()) for entry in entries if entry[:1] == "@"
    )
