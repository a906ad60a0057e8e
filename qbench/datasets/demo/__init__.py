"""Demo datasets: photos that ship with the package, damaged in known ways, and what is true of them by construction.

None of their answers is anybody's opinion: questions, ratings and right choices follow from the type and level of
damage alone, and every record of a run on them says so. The lists are frozen; `tools/demo` made them. The name of a
picture says how it is made, when it is first needed: photo, part that is seen, type, level and place of the damage.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from qbench import distortions
from qbench.atomic import written_aside
from qbench.distortions import Region
from qbench.records import Sample

_HERE = Path(__file__).parent
LISTS, PHOTOS = _HERE / "lists", _HERE / "photos"
_CORNERS: Mapping[str, tuple[float, float]] = {
    "top left": (0, 0),
    "top right": (1, 0),
    "bottom left": (0, 1),
    "bottom right": (1, 1),
    "centre": (0.5, 0.5),
}
"""Place -> how far right and down it lies."""
PLACES = tuple(_CORNERS)
_DAMAGED_SHARE, _VIEW_SHARE = 0.5, 0.75
"""Side of a damaged place, in shorter sides of the photo; share of width and height that a view shows."""
_PNG_COMPRESSION = 1
"""The quickest: the files are read more often than kept, and the pixels are the same."""


def read_demo_set(name: str) -> tuple[tuple[Sample, ...], str]:
    """The samples of a demo set, whose images are file names, and the SHA-256 of its list."""
    content = (LISTS / f"{name}.json").read_bytes()
    return tuple(map(_sample, json.loads(content))), hashlib.sha256(content).hexdigest()


def _sample(row: Mapping[str, object]) -> Sample:
    known = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    relevance = {name: tuple(ids) for name, ids in row["relevance"].items()}  # type: ignore[attr-defined]
    if row["reference"] in known["images"]:  # type: ignore[operator]  # an image, where others are descriptions
        known |= {"reference": None, "has_reference": True}
    return Sample(**{**known, "relevance": relevance})  # type: ignore[arg-type]


def with_picture_files(samples: Sequence[Sample], root: Path) -> tuple[Sample, ...]:
    """Samples with the paths of their pictures; what is missing of these is made below `root`."""
    folder = root / f"demo-{_pixels_version()}"
    paths = {name: str(ensure_file(name, folder)) for sample in samples for name in sample.images}
    return tuple(
        replace(
            sample,
            images=tuple(paths[name] for name in sample.images),
            cluster=sample.cluster or (sample.images[0] if sample.question else None),
        )
        for sample in samples
    )


class _Parts(NamedTuple):
    """What the name of a picture says: `coffee--view-top-left--jpeg--3--centre.png`."""

    photo: str
    view: str | None
    kind: str | None
    level: float
    place: str | None


def _parts_of(name: str) -> _Parts:
    photo, *said = Path(name).stem.split("--")
    view = said.pop(0).removeprefix("view-").replace("-", " ") if said and said[0].startswith("view-") else None
    kind, level = (said[0], float(said[1])) if said else (None, 0.0)
    return _Parts(photo, view, kind, level, said[2].replace("-", " ") if said[2:] else None)


def make_picture(name: str) -> Image.Image:
    """The pixels of the picture of this name, the same on every machine."""
    parts = _parts_of(name)
    with Image.open(PHOTOS / f"{parts.photo}.jpg") as file:
        image = file.convert("RGB")
    if parts.view:
        corner = zip(_CORNERS[parts.view], image.size, strict=True)
        left, top = (round(lead * (1 - _VIEW_SHARE) * side) for lead, side in corner)
        width, height = (round(_VIEW_SHARE * side) for side in image.size)
        image = image.crop((left, top, left + width, top + height))
    if not parts.kind:
        return image
    # Not by level: a random type then grows from the same draw, so that a higher level is the worse one.
    source = f"{parts.photo} {parts.view} {parts.kind} {parts.place}"
    seed = int.from_bytes(hashlib.sha256(source.encode()).digest()[:4], "big")
    region = region_of(parts.place, *image.size)
    return distortions.distort(image, parts.kind, parts.level, seed=seed, region=region)


def region_of(place: str | None, width: int, height: int) -> Region | None:
    """A place as `distort` takes it: a square of half the shorter side, as shares of width and height."""
    if place is None:
        return None
    side = _DAMAGED_SHARE * min(width, height)
    across, down = side / width, side / height
    column, row = _CORNERS[place]
    left, top = column * (1 - across), row * (1 - down)
    return left, top, left + across, top + down


def ensure_file(name: str, folder: Path) -> Path:
    """The file of the picture of this name, made where it is not there yet; two processes at once do it twice."""
    path = folder / name
    if not path.is_file():
        with written_aside(path) as part:
            make_picture(name).save(part, "PNG", compress_level=_PNG_COMPRESSION)
    return path


def picture_file(name: str, root: Path) -> Path | None:
    """The file of a picture of the demo sets, made below `root` where it is not there yet; None for any other name."""
    return ensure_file(name, root / f"demo-{_pixels_version()}") if name in _picture_names() else None


@cache
def _picture_names() -> frozenset[str]:
    sets = [read_demo_set(path.stem)[0] for path in LISTS.glob("*.json")]
    return frozenset(name for samples in sets for sample in samples for name in sample.images)


def describe_damage(image: str) -> str:
    """What was done to the picture of this file name: "Lens blur, level 4", or "none"."""
    parts = _parts_of(image)
    if not parts.kind:
        return "none"
    said = [distortions.TYPES[parts.kind].label, f"level {parts.level:g}"]
    return ", ".join([*said, place_in_words(parts.place)] if parts.place else said)


def place_in_words(place: str) -> str:
    """The place as it is written in texts."""
    return place.replace("centre", "center")


@cache
def _pixels_version() -> str:
    """Digest of all that pixels are made from: files of an earlier version are never taken for this one's."""
    sources = [*Path(distortions.__file__).parent.glob("*.py"), Path(__file__), *PHOTOS.glob("*.jpg")]
    digest = hashlib.sha256()
    for source in sorted(sources, key=lambda path: path.name):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]
