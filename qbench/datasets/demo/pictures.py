"""Pictures of the demo sets: which photo, which part of it, and what was done to it. Made when first needed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image

from qbench import distortions
from qbench.atomic import written_aside
from qbench.datasets.demo.damage import Damage, corner_of, region_of

DEMO_PHOTOS = (
    "admiral",
    "astronaut",
    "coffee",
    "dahlia",
    "flower-bed",
    "hills",
    "house",
    "pagoda",
    "playground",
    "raccoon",
    "railway",
    "rocket",
    "stadium",
    "warehouse",
)
_FOLDER = Path(__file__).with_name("photos")
_VIEW_SHARE = 0.75
"""Share of width and height that a view shows."""
_PNG_COMPRESSION = 1
"""The quickest: the files are read more often than kept, and the pixels are the same."""


@dataclass(frozen=True)
class DemoPicture:
    """A photo, seen whole or in part, and damaged or not."""

    photo: str
    damage: Damage | None = None
    view: str | None = None
    """One of `damage.PLACES`; None shows the whole photo."""

    @property
    def name(self) -> str:
        """Its file name, which no other picture has."""
        parts = [self.photo]
        if self.view:
            parts.append(f"view {self.view}")
        if self.damage:
            parts += [self.damage.kind, f"{self.damage.level:g}", *filter(None, [self.damage.place])]
        return "--".join(parts).replace(" ", "-") + ".png"


AddPicture = Callable[[DemoPicture], str]
"""Notes that a picture belongs to a set, and gives back its file name."""


def make_picture(picture: DemoPicture) -> Image.Image:
    """The pixels, the same on every machine."""
    with Image.open(_FOLDER / f"{picture.photo}.jpg") as file:
        image = file.convert("RGB")
    if picture.view:
        left, top = (
            round(lead * (1 - _VIEW_SHARE) * side)
            for lead, side in zip(corner_of(picture.view), image.size, strict=True)
        )
        width, height = (round(_VIEW_SHARE * side) for side in image.size)
        image = image.crop((left, top, left + width, top + height))
    damage = picture.damage
    if damage is None:
        return image
    # Not by level: a random type then grows from the same draw, so that a higher level is the worse one.
    source = f"{picture.photo} {picture.view} {damage.kind} {damage.place}"
    seed = int.from_bytes(hashlib.sha256(source.encode()).digest()[:4], "big")
    return distortions.distort(image, damage.kind, damage.level, seed=seed, region=region_of(damage.place, *image.size))


def ensure_file(picture: DemoPicture, folder: Path) -> Path:
    """The picture's file, made where it is not there yet; two processes at once do the work twice."""
    path = folder / picture.name
    if not path.is_file():
        with written_aside(path) as part:
            make_picture(picture).save(part, "PNG", compress_level=_PNG_COMPRESSION)
    return path


@cache
def pixels_version() -> str:
    """Digest of all that pixels are made from, so that files of an earlier version are never taken for this one's.

    It names a folder of files that can be made again, and stands in no record: a set's revision is of its samples.
    """
    sources = [*Path(distortions.__file__).parent.glob("*.py"), Path(__file__), *_FOLDER.glob("*.jpg")]
    digest = hashlib.sha256()
    for source in sorted(sources, key=lambda path: path.name):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]
