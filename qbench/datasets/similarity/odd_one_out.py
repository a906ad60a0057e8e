"""Which of three images does not belong: CIFAR-100's coarse classes and six groups of ImageNet's classes.

UniSim-Bench, Sec. 3.1 and App. B.1. Two different images of one class and one of another, in random order; in the
authors' code the two may be the same image, which tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
from PIL import Image

from qbench.atomic import written_aside
from qbench.datasets.similarity import imagenet
from qbench.datasets.similarity.files import Loader, Location, require
from qbench.datasets.similarity.pickles import read_pickle
from qbench.datasets.similarity.random_pairs import ManifestRows, two_different
from qbench.errors import DataError

CIFAR = Location(("cifar-100-ooo", "cifar-100", "cifar100", ""), "cifar-100-python")
_SIDE = 32
_GroupT = TypeVar("_GroupT")


def cifar(root: Path, generator: np.random.Generator) -> ManifestRows:
    """CIFAR-100 (Krizhevsky 2009), test: the odd one is of another of the 20 coarse classes."""
    content = read_pickle(require(root, "cifar-100-python/test"))
    classes: dict[int, list[str]] = {}
    for number, label in enumerate(content.get("coarse_labels", [])):
        classes.setdefault(int(label), []).append(_unpacked_name(number))
    if len(classes) < 2:
        raise DataError("cifar-100-python/test holds no coarse_labels of two classes")
    members = [images for _, images in sorted(classes.items())]
    return _triplets(members, generator, lambda images: two_different(images, generator))


def unpack_cifar(root: Path) -> None:
    """Write the test images as files, once."""
    content = read_pickle(require(root, "cifar-100-python/test"))
    pixels = np.asarray(content.get("data"), dtype=np.uint8)
    if pixels.ndim != 2 or pixels.shape[1] != 3 * _SIDE * _SIDE:
        raise DataError(f"cifar-100-python/test holds data of shape {pixels.shape}, not of 32 by 32 pixels")
    for number, row in enumerate(pixels):
        path = root / _unpacked_name(number)
        if not path.exists():
            with written_aside(path) as part:
                Image.fromarray(row.reshape(3, _SIDE, _SIDE).transpose(1, 2, 0)).save(part, "PNG")


def _unpacked_name(number: int) -> str:
    return f"cifar-100-test/{number:05d}.png"


def imagenet_groups(root: Path, generator: np.random.Generator) -> ManifestRows:
    """ImageNet's validation images: the odd one is of another of six groups of classes, such as clothes and places."""
    images = imagenet.validation_images(root)

    def draw(classes: list[int]) -> tuple[str, str]:
        while True:
            first, second = (
                images[place][generator.integers(len(images[place]))] for place in generator.choice(classes, 2)
            )
            if first != second:
                return first, second

    return _triplets(list(imagenet.CLASS_GROUPS.values()), generator, draw)


def _triplets(
    groups: list[list[_GroupT]], generator: np.random.Generator, draw_two: Callable[[list[_GroupT]], tuple[str, str]]
) -> ManifestRows:
    rows: ManifestRows = []
    for _ in range(5000):
        alike, different = two_different(groups, generator)
        images = [*draw_two(alike)]
        place = int(generator.integers(3))
        images.insert(place, draw_two(different)[0])
        rows.append({"images": images, "label": place})
    return rows


LISTS: Mapping[str, Loader] = {
    "imagenet-ooo": Loader(imagenet.IMAGENET, imagenet_groups),
    "cifar-100-ooo": Loader(CIFAR, cifar, unpack_cifar),
}
"""Name -> how its list is made."""
