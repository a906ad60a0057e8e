"""The images that a visitor hands in, loose or in a zip, with at most one list of scores; within limits."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.uploads import Uploads
from qbench.errors import DataError
from qbench.formats.archives import UPLOAD_LIMITS, FileLimits, unpack
from qbench.rows import shorten

LISTS = (".csv", ".tsv", ".json", ".jsonl")


@dataclass(frozen=True)
class ImageFiles:
    """What was handed in."""

    images: Mapping[str, Path]
    """Name, with its folders where it came in a zip -> the file, of this visitor's."""
    scores: Path | None = None


def collect(paths: Sequence[str] | None, visitor: Visitor, uploads: Uploads, most: int) -> ImageFiles:
    """The images of uploaded files, each decoded once to be sure that it can be.

    Args:
        paths: Images, zips of images, and perhaps a list of scores.
        visitor: Who handed them in: when they leave, all of it is deleted.
        uploads: Where it is kept until then.
        most: How many images are taken.

    Raises:
        DataError: One sentence: too many, too large, no image, a hostile archive, or one name for two files.
    """
    limits = FileLimits(UPLOAD_LIMITS.size, 8 * UPLOAD_LIMITS.size, most + 50)
    found: dict[str, Path] = {}
    for path in map(Path, paths or ()):
        uploads.keep_for(path, visitor)
        for name, file in _files(path, visitor, uploads, limits).items():
            if name in found:
                raise DataError(f"two files are called {shorten(name)}; give one of them another name")
            found[name] = file
    lists = [name for name in found if PurePosixPath(name).suffix.lower() in LISTS]
    if len(lists) > 1:
        raise DataError(f"there are {len(lists)} lists of scores, {' and '.join(sorted(lists)[:2])}; hand in one")
    images = {name: file for name, file in found.items() if name not in lists}
    if len(images) > most:
        raise DataError(f"there are {len(images)} images; at most {most} are taken here, and more on your own computer")
    if not images:
        raise DataError("there are no images yet; choose some, or a zip of them")
    for file in images.values():
        uploads.take_in(file, visitor)
    return ImageFiles(images, found[lists[0]] if lists else None)


def unpacked_images(paths: Sequence[str] | None, visitor: Visitor, uploads: Uploads, most: int) -> list[Path]:
    """Uploaded files, with those of each zip in its place; what is no image is told when it is taken in.

    Raises:
        DataError: A zip that is hostile, holds too many files, or a list of scores, which changes nothing here.
    """
    limits = FileLimits(UPLOAD_LIMITS.size, 8 * UPLOAD_LIMITS.size, most + 50)
    files: list[Path] = []
    for path in map(Path, paths or ()):
        if path.suffix.lower() != ".zip":
            files.append(path)
            continue
        uploads.keep_for(path, visitor)
        found = _files(path, visitor, uploads, limits)
        lists = [name for name in found if PurePosixPath(name).suffix.lower() in LISTS]
        if lists:
            raise DataError(f"{path.name} holds a list, {shorten(lists[0])}; scores are compared on Run, leave it out")
        files += found.values()
    return files


def _files(path: Path, visitor: Visitor, uploads: Uploads, limits: FileLimits) -> dict[str, Path]:
    """Name -> file: the upload itself, or what a zip holds, in the visitor's folder."""
    if path.suffix.lower() != ".zip":
        return {path.name: path}
    folder = uploads.folder_of(visitor) / hashlib.sha256(str(path).encode()).hexdigest()[:16]
    with unpack(path, limits) as unpacked:
        if not unpacked.packed:
            raise DataError(f"{path.name} is no zip archive; pack the images again")
        files = {}
        for number, (name, file) in enumerate(unpacked.files.items()):
            place = folder / str(number) / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
            files[name] = place
    return files
