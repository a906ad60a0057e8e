"""Which of two images has more of an attribute: SICE by brightness, KonIQ-10k by four (UniSim-Bench, Sec. 3.1, B.1).

What is right was measured, in KonIQ by its authors and in SICE here; nobody was asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.random import Generator
from PIL import Image

from qbench.datasets.similarity.files import Loader, Location, ManifestRows, MissingError, require
from qbench.datasets.similarity.iqa_2afc import KONIQ, koniq
from qbench.errors import DataError

SICE = Location(("sice-brightness", "sice", "SICE"), "Dataset_Part1")
_SCENES = 589
"""How many there are in both parts."""
_TEST_SHARE = 0.1
_IMAGES = {".jpg", ".jpeg", ".png"}


def sice(root: Path, _generator: Generator) -> ManifestRows:
    """SICE (Cai et al. 2018): every two exposures of each of the first tenth of its scenes; one has the higher mean
    grey level."""
    scenes = _scenes(root)
    of_scene = {path.relative_to(root).as_posix(): path for path in scenes[: int(_TEST_SHARE * len(scenes))]}
    brightness = {
        f"{scene}/{path.name}": _mean_grey(path) for scene, folder in of_scene.items() for path in _exposures(folder)
    }
    return [
        {
            "images": [first, second],
            "label": int(brightness[second] > brightness[first]),
            "attribute": "brightness",
            "cluster": _scene_of(first),
        }
        for first, second in combinations(brightness, 2)
        if _scene_of(first) == _scene_of(second) and brightness[first] != brightness[second]
    ]


def _scenes(root: Path) -> list[Path]:
    """Folders of the scenes by part and number; `Label`, which lies among them, is none."""
    scenes = [
        path
        for part in ("Dataset_Part1", "Dataset_Part2")
        for path in sorted(require(root, part).iterdir(), key=_number)
        if path.is_dir() and path.name.isdigit()
    ]
    if len(scenes) < _SCENES:
        raise MissingError(f"{_SCENES - len(scenes):,} of its {_SCENES} scenes")
    return scenes


def _exposures(scene: Path) -> list[Path]:
    found = sorted((path for path in scene.iterdir() if path.suffix.lower() in _IMAGES), key=_number)
    if len(found) < 2:
        raise MissingError(f"exposures of {scene.parent.name}/{scene.name}")
    return found


def _number(path: Path) -> tuple[int, str]:
    return (int(path.stem) if path.stem.isdigit() else -1, path.name)


def _scene_of(image: str) -> str:
    return image.rsplit("/", 1)[0]


def _mean_grey(path: Path) -> int:
    try:
        with Image.open(path) as image:
            return int(np.asarray(image.convert("L")).mean())
    except OSError as error:
        raise DataError(f"{path.parent.name}/{path.name} cannot be read as an image ({error})") from None


LISTS: Mapping[str, Loader] = {
    "sice-brightness": Loader(SICE, sice),
    **{
        f"koniq-{attribute}": Loader(KONIQ, partial(koniq, attribute=attribute))
        for attribute in ("brightness", "colorfulness", "contrast", "sharpness")
    },
}
"""Name -> how its list is made."""
