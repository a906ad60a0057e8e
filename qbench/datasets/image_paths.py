"""Where the images of a list lie: as it says, or by their file names anywhere below a folder; never outside of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from qbench.datasets.known import DatasetFacts
from qbench.errors import DataError, UserError
from qbench.records import Sample
from qbench.rows import digest


def locate_images(
    samples: Sequence[Sample], folders: Sequence[Path], facts: DatasetFacts | None, *, allow_missing: bool = False
) -> list[Sample]:
    """Samples with image paths that exist: as given, or by the file name anywhere below a folder.

    Args:
        samples: Of a list.
        folders: Where their images are looked for; the first that has an image is taken.
        facts: Of the dataset, where it is known: how to get it.
        allow_missing: Leave out samples whose images are not there.

    Raises:
        UserError: Images that are not there.
        DataError: A path that leads out of its folder, or could be one of two files.
    """
    images = list(dict.fromkeys(image for sample in samples for image in sample.images))
    found: dict[str, Path] = {}
    for folder in folders:
        found |= _in_folder(folder, [image for image in images if image not in found])
    missing = [image for image in images if image not in found]
    if missing and not allow_missing:
        get = f"; get them: {facts.get}" if facts else ""
        raise UserError(f"{len(missing):,} images are not below {folders[0]}, the first of them {missing[0]!r}{get}")
    return [
        replace(
            sample,
            images=tuple(str(found[image]) for image in sample.images),
            # Questions about one image belong together, on whichever machine it lies.
            cluster=sample.cluster or (sample.images[0] if sample.question and sample.images else None),
        )
        for sample in samples
        if all(image in found for image in sample.images)
    ]


def _in_folder(folder: Path, images: Sequence[str]) -> dict[str, Path]:
    """Those images that lie in a folder: where their paths lead, or by their names."""
    paths = {image: _inside(folder, image) for image in images}
    found = {image: path for image, path in paths.items() if path.is_file()}
    absent = [image for image in images if image not in found]
    by_name = _found_below(folder, absent, {path: image for image, path in found.items()}) if absent else {}
    return found | by_name


def _found_below(folder: Path, images: Sequence[str], taken: Mapping[Path, str]) -> dict[str, Path]:
    """Files with the names of images that are not where their paths lead; one file is never taken for two images.

    KonIQ-10k, for one, comes in two sizes under the same names. Of copies of one image any serves.
    """
    named: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            named.setdefault(file.name, []).append(file)
    image_of, found = dict(taken), dict[str, Path]()
    for image in images:
        parts = Path(image).parts
        files = named.get(Path(image).name, [])
        files = [file for file in files if file.parts[-len(parts) :] == parts] or files
        if not files:
            continue
        meant = [str(file) for file in files[:2]] if len(files) > 1 and len(set(map(digest, files))) > 1 else []
        if not meant and image_of.setdefault(files[0], image) != image:
            meant = [f"{files[0]}, as could {image_of[files[0]]!r}"]
        if meant:
            raise DataError(
                f"{image!r} could be {' or '.join(meant)}; name the folder that its path starts from with --images"
            )
        found[image] = files[0]
    return found


def _inside(folder: Path, image: str) -> Path:
    """A manifest from elsewhere must not make a run read, and send to an endpoint, other files of this machine."""
    path = folder / image
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"the image path {image!r} leads nowhere ({type(error).__name__})") from None
    if not inside:
        raise DataError(f"the image path {image!r} leads out of {folder}; name the folder that holds it with --images")
    return path
