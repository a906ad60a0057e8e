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
    "colourfulness": (35.4, 36.5, 37.7, 38.5, 39.3, 48.5, 51.5, 66.6, 70.7, 77.3, 78.3, 82.4, 88.2, 97.3),
    "contrast": (30.6, 35.3, 37.6, 46.4, 47.1, 53.1, 54.7, 55.1, 58.7, 63.0, 67.4, 68.5, 71.8, 82.1),
    "sharpness": (44.7, 66.0, 79.9, 99.0, 112.2, 112.9, 123.0, 123.6, 125.6, 138.4, 142.0, 147.8, 149.7, 177.7),
}
"""What `qbench.models.classical.MEASURES` make of them, rounded; measuring them anew takes a visitor's time."""


@cache
def example_digests() -> frozenset[str]:
    """SHA-256 of each; an upload of the same bytes shares its file with the page's own."""
    return frozenset(hashlib.sha256(path.read_bytes()).hexdigest() for path in EXAMPLES)
