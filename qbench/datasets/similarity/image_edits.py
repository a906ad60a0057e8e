"""Image edits as UniSim's authors list them: a source, a target and words, of MagicBrush and HQ-Edit.

Their lists (`test.json` and `train.json`, in the bundle alone) have the layout of M4-Instruct. Image paths begin with
the dataset's folder; those of MagicBrush then name a folder that has had several names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from qbench.datasets.similarity.files import Location, folder_of, require
from qbench.errors import DataError
from qbench.rows import Row, read_rows, shorten

MAGICBRUSH = Location(("magicbrush", "MagicBrush"), "test.json")
HQ_EDIT = Location(("hq-edit", "HQ-Edit"), "test.json")
_FOLDERS = {"test": ("test", "images_val", "images"), "train": ("train", "images_train", "images")}
"""Split -> names that the folder of MagicBrush's images has had."""


@dataclass(frozen=True)
class Edit:
    """Two images, by their paths below the dataset's folder, and words about them."""

    source: str
    target: str
    texts: tuple[str, ...]


def magicbrush_edits(root: Path, split: str) -> Iterator[Edit]:
    """MagicBrush (Zhang et al. 2023): edits with their instruction; what asks for a difference is left out."""
    folder = None
    for row in _records(root, split, "MagicBrush-Diff"):
        images, talk = row.data.get("image"), row.data.get("conversations")
        if isinstance(images, list) and len(images) > 2:
            continue
        source, target = (PurePosixPath(image).name for image in _two_images(row))
        folder = folder or folder_of(root, source, _FOLDERS[split])
        try:
            instruction = str(talk[1]["value"])  # type: ignore[index]
        except (TypeError, LookupError):
            raise DataError(f"{row.place}: conversations is {shorten(talk)}, without an instruction") from None
        yield Edit(f"{folder}/{source}", f"{folder}/{target}", (instruction,))


def hq_edits(root: Path, split: str) -> Iterator[Edit]:
    """HQ-Edit (Hui et al. 2024): edits with a description of each image; what asks for a difference is left out."""
    for row in _records(root, split, "HQ-Edit-Diff"):
        source, target = (str(PurePosixPath(*PurePosixPath(image).parts[1:])) for image in _two_images(row))
        texts = tuple(row.text(key) or "" for key in ("input", "output"))
        if not all(texts):
            raise DataError(f"{row.place}: lacks a text in input or output")
        yield Edit(source, target, texts)


def _records(root: Path, split: str, left_out: str) -> Iterator[Row]:
    for row in read_rows(require(root, f"{split}.json")):
        metadata = row.data.get("metadata")
        if not isinstance(metadata, dict) or metadata.get("dataset") != left_out:
            yield Row(row.data, f"{split}.json, {row.place}")


def _two_images(row: Row) -> tuple[str, str]:
    images = row.data.get("image")
    if not isinstance(images, list) or len(images) != 2 or not all(isinstance(image, str) for image in images):
        raise DataError(f"{row.place}: image is {shorten(images)}, not a list of a source and a target")
    return images[0], images[1]
