"""Pictures of the demo sets: which photo, which part of it, and what was done to it. Made when first needed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

from PIL import Image

from qbench import distortions
from qbench.datasets.demo.damage import Damage, corner_of, region_of

PHOTOS = (
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
_VIEW = 0.75
"""Share of width and height that a view shows."""
_FAST = 1
"""PNG's quickest compression: the files are read more often than kept, and the pixels are the same."""


@dataclass(frozen=True)
class Shot:
    """A photo, seen whole or in part, and damaged or not."""

    photo: str
    damage: Damage | None = None
    view: str | None = None
    """One of `damage.PLACES`; None shows the whole photo."""

    @property
    def name(self) -> str:
        """Its file, which no other shot has."""
        parts = [self.photo]
        if self.view:
            parts.append(f"view {self.view}")
        if self.damage:
            parts += [self.damage.kind, f"{self.damage.level:g}", *filter(None, [self.damage.place])]
        return "--".join(parts).replace(" ", "-") + ".png"


Take = Callable[[Shot], str]
"""Notes that a shot is needed, and tells its file name."""


def picture_of(shot: Shot) -> Image.Image:
    """The pixels, the same on every machine."""
    with Image.open(_FOLDER / f"{shot.photo}.jpg") as file:
        picture = file.convert("RGB")
    if shot.view:
        left, top = (
            round(lead * (1 - _VIEW) * side) for lead, side in zip(corner_of(shot.view), picture.size, strict=True)
        )
        width, height = (round(_VIEW * side) for side in picture.size)
        picture = picture.crop((left, top, left + width, top + height))
    if shot.damage is None:
        return picture
    # Not by level: a random type then grows from the same draw, so that a higher level is the worse one.
    source = f"{shot.photo} {shot.view} {shot.damage.kind} {shot.damage.place}"
    seed = int.from_bytes(hashlib.sha256(source.encode()).digest()[:4], "big")
    region = region_of(shot.damage.place, *picture.size)
    return distortions.distort(picture, shot.damage.kind, shot.damage.level, seed=seed, region=region)


def stored(shot: Shot, folder: Path) -> Path:
    """The picture's file, made where it is not there yet.

    Written aside and then moved: two at once do the work twice, and neither sees half a file.
    """
    path = folder / shot.name
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{shot.name}.{uuid4().hex}.part"
        picture_of(shot).save(part, "PNG", compress_level=_FAST)
        part.replace(path)
    return path


@cache
def engine_version() -> str:
    """Digest of all that pixels are made from, so that a cache of an earlier engine is never taken for this one's."""
    sources = [*Path(distortions.__file__).parent.glob("*.py"), Path(__file__), *_FOLDER.glob("*.jpg")]
    digest = hashlib.sha256()
    for source in sorted(sources, key=lambda one: one.name):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]
