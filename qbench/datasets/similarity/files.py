"""What lists are made of: files, found by any name that their publisher or the bundle uses; and seeded draws.

What is drawn from is always sorted beforehand, so that no listing order of a disk can matter.
"""

from __future__ import annotations

import codecs
import io
import pickle
import pickletools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from qbench.datasets.manifest import read_sample
from qbench.errors import DataError, UserError
from qbench.records import Sample
from qbench.rows import Row, read_rows, shorten

LIST_SEED = 0
"""The authors' own; their pairs were drawn anew in every run and never stored."""
ManifestRows = list[dict[str, Any]]
"""Rows of a manifest, such as docs/evaluate.md has."""
_ItemT = TypeVar("_ItemT")
_PLAIN: Mapping[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    # How an array and a number of an array are made anew; their module has had two names.
    ("multiarray", "_reconstruct"): np.zeros(1).__reduce__()[0],
    ("multiarray", "scalar"): np.float64(0).__reduce__()[0],
    ("_codecs", "encode"): codecs.encode,
    ("__builtin__", "bytes"): bytes,
}


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


def read_pickle(path: Path) -> dict[str, Any]:
    """A dictionary of plain values and arrays, those of Python 2 too; DataError for a pickle that asks for more."""
    try:
        written = path.read_bytes()
        _check_places(written)
        content = _Plain(io.BytesIO(written), encoding="latin1").load()
    except Exception as error:  # noqa: BLE001  # whatever stumbles over bytes that are no pickle
        raise DataError(f"{path.name} is not the pickled list that its publisher ships ({error})") from None
    if not isinstance(content, dict):
        raise DataError(f"{path.name} holds a {type(content).__name__}, not the dictionary that its publisher ships")
    return content


def _check_places(written: bytes) -> None:
    """Refuse a pickle that keeps a value at a place far beyond its own length: the reader takes memory up to there."""
    for operation, place, _ in pickletools.genops(written):
        if operation.name.endswith("PUT") and place is not None and place > len(written):
            raise pickle.UnpicklingError(f"it keeps a value at place {place}")


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        parts = module.split(".")
        found = _PLAIN.get((parts[-1], name)) if parts[0] in ("numpy", "_codecs", "__builtin__") else None
        if found is None:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return found


def sample_at_most(items: Sequence[_ItemT], most: int, generator: np.random.Generator) -> list[_ItemT]:
    """So many of the items at random, in their order; all where there are no more."""
    if len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(generator.choice(len(items), most, replace=False))]


def two_different(items: Sequence[_ItemT], generator: np.random.Generator) -> tuple[_ItemT, _ItemT]:
    """Two different items in random order."""
    first, second = generator.choice(len(items), 2, replace=False)
    return items[first], items[second]


def in_random_order(right: _ItemT, wrong: _ItemT, generator: np.random.Generator) -> tuple[list[_ItemT], int]:
    """Two alternatives in random order, and the place of the right one."""
    label = int(generator.integers(2))
    return [wrong, right] if label else [right, wrong], label


def row_of(
    pair: tuple[str, str],
    generator: np.random.Generator,
    *,
    key: str = "images",
    of: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A row whose two alternatives, of which the first is right, stand in random order under `key`, after what they
    are compared `of`."""
    alternatives, label = in_random_order(*pair, generator)
    return {**(of or {}), key: alternatives, "label": label, **more}


def cycled(items: Sequence[_ItemT], total: int) -> Iterator[_ItemT]:
    """The items in order, again and again, until there are so many."""
    return (items[number % len(items)] for number in range(total if items else 0))


def pairs_by_score(
    scores: Mapping[str, float], total: int, generator: np.random.Generator
) -> Iterator[tuple[str, str, str]]:
    """Each item in turn against a random other one: the item, then the higher and the lower of both.

    Of equal scores neither is right, so another is drawn; the authors' code calls the first one right.
    """
    names = sorted(scores)
    if len(set(scores.values())) < 2:
        return
    for name in cycled(names, total):
        other = name
        while scores[other] == scores[name]:
            other = names[generator.integers(len(names))]
        yield (name, name, other) if scores[name] > scores[other] else (name, other, name)
