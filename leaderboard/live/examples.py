"""Photos to begin with: those of the demo sets, whose licences are listed beside them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import qbench

EXAMPLES = tuple(sorted((Path(qbench.__file__).parent / "datasets" / "demo" / "photos").glob("*.jpg")))


@cache
def example_digests() -> frozenset[str]:
    """SHA-256 of each; an upload of the same bytes shares its file with the page's own."""
    return frozenset(hashlib.sha256(path.read_bytes()).hexdigest() for path in EXAMPLES)
