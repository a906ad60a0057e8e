"""What a dataset's folder holds: found by any name that its publisher or the bundle uses, or said to be missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qbench.datasets.similarity.random_pairs import ManifestRows
from qbench.errors import DataError
from qbench.rows import Row, read_rows, shorten


@dataclass(frozen=True)
class Location:
    """Where a publisher's files lie."""

    folders: tuple[str, ...]
    """What the folder is called by the publisher, by the bundle at hf.co/datasets/saraghznfri/unisim_data, and here."""
    marker: str
    """A file or folder that tells the dataset's own folder from others."""
    inner: tuple[str, ...] = ("",)
    """Folders in it that the marker may lie in, by the archive that was unpacked."""

    def find(self, given: Path | None, root: Path) -> Path | None:
        """The folder that holds the marker: the one given, or one of the dataset's names in it; or in `root`."""
        below = [(given or root) / name for name in self.folders]
        for base in [given, *below] if given else below:
            for inner in self.inner:
                if (base / inner / self.marker).exists():
                    return base / inner
        return None


@dataclass(frozen=True)
class Loader:
    """How one dataset's comparisons are made from its folder."""

    location: Location
    make: Callable[[Path, np.random.Generator], ManifestRows]
    unpack: Callable[[Path], None] | None = None
    """Makes files of images that are published as one array."""


class MissingError(Exception):
    """A file that the layout asks for is not there; the message names it."""


def require(root: Path, name: str) -> Path:
    """The path of a file or folder that must be there."""
    path = root / name
    if not path.exists():
        raise MissingError(name)
    return path


def read_table(root: Path, name: str, *columns: str) -> list[Row]:
    """Rows of a list, by the names of their columns without the blanks that some publishers put around them."""
    rows = [
        Row({key.strip(): value.strip() if isinstance(value, str) else value for key, value in row.data.items()}, place)
        for row in read_rows(require(root, name))
        for place in [f"{name}, {row.place}"]
    ]
    for column in columns:
        without = next((row for row in rows if column not in row.data), None)
        if without is not None:
            raise DataError(f"{without.place}: has no {column!r}; its fields are {shorten(sorted(without.data))}")
    return rows


def read_document(root: Path, name: str) -> dict[str, Any]:
    """A JSON file that is one object, however large."""
    try:
        document = json.loads(require(root, name).read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{name} is not valid JSON ({error})") from None
    if not isinstance(document, dict):
        raise DataError(f"{name} is {shorten(document)}, not an object")
    return document


def folder_of(root: Path, image: str, folders: Sequence[str]) -> str:
    """The folder, of those that images have been put in, that holds this one; the first where none does."""
    return next((folder for folder in folders if (root / folder / image).is_file()), folders[0])


def read_code(row: Row, column: str, *values: float) -> int:
    """A code that stands in a column, such as a vote of 0 or 1."""
    number = row.number(column)
    if number not in values:
        raise DataError(f"{row.place}: {column} is {shorten(row.data[column])}, none of {shorten(values)}")
    return int(number)
