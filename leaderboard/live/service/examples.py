"""Photos to begin with: those of the demo sets, whose licences are listed beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import qbench

EXAMPLES = tuple(sorted((Path(qbench.__file__).parent / "datasets" / "demo" / "photos").glob("*.jpg")))

MEASURED: Mapping[str, tuple[float, ...]] = {
    "brightness": (63.2, 68.9, 95.0, 95.0, 101.6, 103.5, 113.8, 124.9, 125.5, 128.5, 129.6, 137.3, 140.6, 145.8),
    "colourfulness": (35.4, 36.4, 37.7, 38.5, 39.1, 48.5, 51.5, 66.6, 70.7, 77.3, 78.3, 82.4, 88.1, 97.3),
    "contrast": (30.5, 35.3, 37.6, 46.4, 47.1, 53.0, 54.5, 55.0, 58.7, 63.0, 67.4, 68.4, 71.8, 81.8),
    "sharpness": (62.8, 67.2, 71.5, 72.0, 74.6, 75.8, 76.7, 76.9, 77.0, 77.8, 78.3, 80.7, 81.6, 82.5),
}
"""What `leaderboard.live.attributes` makes of them, rounded; measuring them anew takes a visitor's time."""


@cache
def example_digests() -> frozenset[str]:
    """SHA-256 of each; an upload of the same bytes shares its file with the page's own."""
    return frozenset(hashlib.sha256(path.read_bytes()).hexdigest() for path in EXAMPLES)
