"""What a dataset's folder holds: found by any name that its publisher or the bundle uses, or said to be missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qbench.datasets.manifest import read_sample
from qbench.datasets.similarity.random_pairs import LIST_SEED, ManifestRows
from qbench.errors import DataError, UserError
from qbench.records import Sample
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
    unpack: Callable[[Path], None] = lambda _folder: None
    """Makes files of images that are published as one array."""

    def open(self, given: Path | None, root: Path, title: str, get: str) -> Path:
        """The folder of a dataset of this title, its images unpacked; UserError says how to get what is not there."""
        folder = self.location.find(given, root)
        if folder is None:
            wanted = given or root / self.location.folders[0]
            raise UserError(f"{title} is not at {wanted}: {self.location.marker} is missing; {get}")
        with _explained(title, folder, get):
            self.unpack(folder)
        return folder

    def draw(self, folder: Path, title: str, get: str) -> ManifestRows:
        """The rows of its list, drawn with the seed of all lists.

        Raises:
            UserError: A file is missing.
            DataError: Files are not as their publisher ships them.
        """
        with _explained(title, folder, get):
            rows = self.make(folder, np.random.default_rng(LIST_SEED))
        if not rows:
            raise DataError(f"{title} at {folder} makes no comparison; {get}")
        return rows


@contextmanager
def _explained(title: str, folder: Path, get: str) -> Iterator[None]:
    try:
        yield
    except MissingError as missing:
        raise UserError(f"{title} is not whole at {folder}: {missing} is missing; {get}") from None
    except (LookupError, TypeError, ValueError, AttributeError, SyntaxError) as fault:
        raise DataError(f"{title} at {folder} is not as its publisher ships it ({fault!r}); {get}") from fault


def samples_of(rows: ManifestRows) -> list[Sample]:
    """The samples of a list's rows."""
    return [read_sample(Row(row, f"sample {number}"), str(number)) for number, row in enumerate(rows)]


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


def folder_of(root: Path, image: str, folders: Sequence[str]) -> str:
    """The folder, of those that images have been put in, that holds this one; the first where none does."""
    return next((folder for folder in folders if (root / folder / image).is_file()), folders[0])


def read_code(row: Row, column: str, *values: float) -> int:
    """A code that stands in a column, such as a vote of 0 or 1."""
    number = row.number(column)
    if number not in values:
        raise DataError(f"{row.place}: {column} is {shorten(row.data[column])}, none of {shorten(values)}")
    return int(number)
