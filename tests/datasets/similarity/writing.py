"""Files as publishers write them, tiny."""

from __future__ import annotations

import csv
import io
import json
import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image


def images(root: Path, names: Iterable[str]) -> None:
    """Image files of one pixel."""
    buffer = io.BytesIO()
    Image.new("RGB", (1, 1)).save(buffer, "PNG")
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(buffer.getvalue())


def table(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    """A CSV; the header is written as it stands, with whatever blanks it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(header + "\n")
        csv.writer(file).writerows(rows)


def listed(path: Path, rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")


def pickled(path: Path, content: object) -> None:
    """As Python 2 wrote them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol=2))
